// What a process does before it becomes a sandbox: lines for a shell, which then gives itself over to bubblewrap. One shell
// runs them all, since starting a second takes a good part of what a command may cost.

const SHELL = '/bin/sh'

/** Goes before a program and its arguments. Where a line fails, nothing is run. */
export const prelude = (lines: readonly string[]): string[] => [
  SHELL,
  '-c',
  ['set -e', ...lines, 'exec "$@"'].join('\n'),
  'sandbox'
]
