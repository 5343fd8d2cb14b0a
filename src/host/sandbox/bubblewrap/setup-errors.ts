// Why a sandbox could not be set up, from what bubblewrap said, and what cures it.
import { ToolError } from '../../../errors.ts'

interface Cure {
  said: RegExp
  cure: string
}

const CURES: readonly Cure[] = [
  {
    said: /unknown option --disable-userns/i,
    cure: 'bubblewrap is older than 0.8: install a newer one.'
  },
  {
    said: /mount proc|\/newroot\/proc/i,
    cure: 'A fresh /proc may not be mounted, as in most containers: start the container with `--security-opt systempaths=unconfined`, or let the container be the sandbox (`sandbox.level: container`).'
  },
  {
    said: /RTM_NEWADDR|setting up uid map|new namespace|unshare|userns|clone|Operation not permitted|Permission denied/i,
    cure: 'User namespaces may not be made here. Ubuntu 24.04 and later: install the package `apparmor-profiles`, or an AppArmor profile for /usr/bin/bwrap. Debian: `sysctl kernel.unprivileged_userns_clone=1`. Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`, or let the container be the sandbox (`sandbox.level: container`).'
  }
]

export function whyItFailed(said: string, code: number | null): string {
  const first = said.trim().split('\n')[0]?.slice(0, 300) ?? ''
  const cure = CURES.find(one => one.said.test(said))?.cure
  const what = first === '' ? `It ended with ${code === null ? 'a signal' : `code ${code}`}.` : `It says: ${first}.`
  return cure ? `${what.replace(/\.\.$/, '.')} ${cure}` : what
}

/** For a program that the sandbox did not get so far as to start: all that was printed is the sandbox's own. */
export const notSetUp = (said: string, code: number) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `The sandbox could not be set up, and the command did not run. ${whyItFailed(said, code)}`
  )
