// Explains sandbox setup failures from bubblewrap's output, with hints for their resolution.
import { ToolError } from '../../../errors.ts'

interface Hint {
  pattern: RegExp
  hint: string
}

const HINTS: readonly Hint[] = [
  {
    pattern: /unknown option --disable-userns/i,
    hint: 'bubblewrap is older than 0.8: install a newer one.'
  },
  {
    pattern: /mount proc|\/newroot\/proc/i,
    hint: '/proc cannot be mounted, as in most containers: start the container with `--security-opt systempaths=unconfined`, or use the container as the sandbox (`sandbox.level: container`).'
  },
  {
    pattern:
      /RTM_NEWADDR|setting up uid map|new namespace|unshare|userns|clone|Operation not permitted|Permission denied/i,
    hint: 'User namespaces cannot be created. Ubuntu 24.04 and later: install the package `apparmor-profiles`, or an AppArmor profile for /usr/bin/bwrap. Debian: `sysctl kernel.unprivileged_userns_clone=1`. Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or use the container as the sandbox (`sandbox.level: container`).'
  }
]

export function explainSetupFailure(stderr: string, code: number | null): string {
  const first = stderr.trim().split('\n')[0]?.slice(0, 300) ?? ''
  const hint = HINTS.find(one => one.pattern.test(stderr))?.hint
  const what =
    first === '' ? `bubblewrap ended with ${code === null ? 'a signal' : `code ${code}`}.` : `Message: ${first}.`
  return hint ? `${what.replace(/\.\.$/, '.')} ${hint}` : what
}

/** Creates the error for a program that the sandbox did not start: all output is the sandbox's own. */
export const sandboxSetupError = (stderr: string, code: number) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `The sandbox could not be set up, and the command did not run. ${explainSetupFailure(stderr, code)}`
  )
