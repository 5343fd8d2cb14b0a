// Shell lines that run before a process becomes a sandbox by executing bubblewrap. One shell runs them all, since starting a
// second is a considerable part of a command's overhead.

const SHELL = '/bin/sh'

/** Precedes a program and its arguments. If a line fails, nothing is run. */
export const prelude = (lines: readonly string[]): string[] => [
  SHELL,
  '-c',
  ['set -e', ...lines, 'exec "$@"'].join('\n'),
  'sandbox'
]
