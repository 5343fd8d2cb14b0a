// Splits the environment between the wrapper programs, which run outside the sandbox, and the sandboxed program: variables set by
// a caller must not affect the former.

/** Variables interpreted by the loader, the C library and shells. */
const LOADER_VARIABLES =
  /^(?:LD_|MALLOC_|BASH|GLIBC_TUNABLES$|GCONV_PATH$|GETCONF_DIR$|HOSTALIASES$|LOCALDOMAIN$|LOCPATH$|NIS_PATH$|NLSPATH$|RESOLV_HOST_CONF$|RES_OPTIONS$|TMPDIR$|TZDIR$|SHELLOPTS$|ENV$|PS4$|IFS$|POSIXLY_CORRECT$)/

interface SplitEnvironment {
  /** Environment of the wrapper programs, and of everything in the sandbox. */
  env: Record<string, string>
  /** Arguments that set the remaining variables inside. */
  setenvArguments: string[]
}

const INJECTED_VARIABLES = ['NODE_OPTIONS']

export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const all = Object.entries(env)
  return {
    env: Object.fromEntries(all.filter(([name]) => !LOADER_VARIABLES.test(name))),
    setenvArguments: [
      // A monitor of the server, such as a profiler, may inject its own variables on the way.
      ...INJECTED_VARIABLES.filter(name => env[name] === undefined).flatMap(name => ['--unsetenv', name]),
      ...all.filter(([name]) => LOADER_VARIABLES.test(name)).flatMap(([name, value]) => ['--setenv', name, value])
    ]
  }
}
