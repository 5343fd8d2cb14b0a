// Command lines that end at once and leave a process running, as data. These processes end by themselves after some minutes,
// unless killed.

/** A long-lived process whose name identifies its origin. */
const sleepCommand = (marker: string) => `exec -a ${marker} sleep 300`

/** Returns a command line that does not end. */
export const longRunningCommand = (marker: string) => `bash -c '${sleepCommand(marker)}'`

export function daemonCommands(marker: string, level: 'none' | 'workspace'): string[] {
  const one = longRunningCommand(marker)
  const anywhere = [
    `setsid ${one} &`,
    `setsid --fork ${one}`,
    `(${one} &)`,
    `( ( setsid ${one} & ) & )`,
    `nohup ${one} > /dev/null 2>&1 &`,
    `${one} & disown`,
    `${one} < /dev/null > /dev/null 2>&1 & disown -a`,
    `setsid --fork bash -c 'trap "" HUP INT TERM; ${sleepCommand(marker)}'`,
    `setsid --fork bash -c 'cd /; exec > /dev/null 2>&1; setsid --fork bash -c "${sleepCommand(marker)}"'`,
    `trap "" HUP; ${one} & ${one} & ${one} &`
  ]
  // Without a sandbox a process that clears its environment and leaves its session cannot be attributed.
  return level === 'none' ? anywhere : [...anywhere, `env -i PATH="$PATH" setsid --fork ${one}`]
}
