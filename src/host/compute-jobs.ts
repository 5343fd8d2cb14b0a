// What can be worked out off the main thread: pure functions of values that can be copied to another thread, by name.
// A fault that a caller must tell apart is part of the answer: of what is thrown only the message arrives.
import { type Diff, unifiedDiff } from '../text/diff.ts'
import { type Notebook, type NotebookQuery, notebookCells } from '../text/notebook.ts'

export interface Job<I, O> {
  run(input: I): O
  /** What it costs at most, in steps of some ten nanoseconds: what costs little is done where it is asked for. */
  steps(input: I): number
}

const job = <I, O>(job: Job<I, O>) => job

export interface DiffInput {
  path: string
  before: string | undefined
  after: string | undefined
}

export const JOBS = {
  diff: job<DiffInput, Diff>({
    run: ({ path, before, after }) => unifiedDiff(path, before, after),
    steps: ({ before = '', after = '' }) => before.length + after.length + (before.length * after.length) / 3
  }),
  notebook: job<NotebookQuery, Notebook | undefined>({ run: notebookCells, steps: ({ text }) => text.length / 2 })
}

export type JobName = keyof typeof JOBS
export type JobInput<N extends JobName> = Parameters<(typeof JOBS)[N]['run']>[0]
export type JobOutput<N extends JobName> = ReturnType<(typeof JOBS)[N]['run']>
