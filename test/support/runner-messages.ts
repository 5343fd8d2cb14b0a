// Messages between the runner and a process of tests.

/** Message to the runner that asks for a file. Tap sends messages too. */
export const NEXT_FILE = 'next file'

/** Messages of the runner. */
export type RunnerMessage = { type: 'file'; file: string } | { type: 'end' } | { type: 'limit-factor'; factor: number }
