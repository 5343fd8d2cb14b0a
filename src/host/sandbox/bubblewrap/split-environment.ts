// Which variables may stand in the environment of the programs that make the sandbox. They are ours and run outside, so
// nothing that a caller sets may change what they do.

/** What the loader, the C library and shells obey. */
const LOADER_VARIABLES =
  /^(?:LD_|MALLOC_|BASH|GLIBC_TUNABLES$|GCONV_PATH$|GETCONF_DIR$|HOSTALIASES$|LOCALDOMAIN$|LOCPATH$|NIS_PATH$|NLSPATH$|RESOLV_HOST_CONF$|RES_OPTIONS$|TMPDIR$|TZDIR$|SHELLOPTS$|ENV$|PS4$|IFS$|POSIXLY_CORRECT$)/

interface SplitEnvironment {
  /** For the programs that make the sandbox, and for all in it. */
  env: Record<string, string>
  /** Arguments that set the rest inside. */
  setenvArguments: string[]
}

const INJECTED_VARIABLES = ['NODE_OPTIONS']

export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const all = Object.entries(env)
  return {
    env: Object.fromEntries(all.filter(([name]) => !LOADER_VARIABLES.test(name))),
    setenvArguments: [
      // Whoever watches the server, a profiler say, may put its own there on the way.
      ...INJECTED_VARIABLES.filter(name => env[name] === undefined).flatMap(name => ['--unsetenv', name]),
      ...all.filter(([name]) => LOADER_VARIABLES.test(name)).flatMap(([name, value]) => ['--setenv', name, value])
    ]
  }
}
