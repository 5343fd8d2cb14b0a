// Command lines that end at once and leave something running, as data. What they leave ends by itself after some minutes,
// should nobody end it.

/** Something that lasts, and tells by its name what it belongs to. */
const sleepCommand = (marker: string) => `exec -a ${marker} sleep 300`

/** A command line that does not end. */
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
  // Without a sandbox what wipes its environment and leaves its session is told from nothing else.
  return level === 'none' ? anywhere : [...anywhere, `env -i PATH="$PATH" setsid --fork ${one}`]
}
