// What can be worked out off the main thread: pure functions of values that can be copied to another thread, by name.
// A fault that a caller must tell apart is part of the answer: of what is thrown only the message arrives.
import { type Diff, fileDiff, type Side, unifiedDiff } from '../../text/diff/unified-diff.ts'
import { estimatePlanSteps, planEdits } from '../../text/edit/plan-edits.ts'
import type { PageQuery, RenderedPage } from '../../text/html/render-page.ts'
import { type MergeResult, merge } from '../../text/merge/merge.ts'
import { type Notebook, type NotebookQuery, notebookCells } from '../../text/notebook.ts'
import { applyHunks, type PatchApplied, type PatchNotApplied } from '../../text/patch/apply.ts'
import { type ApplyHunksInput, estimateApplySteps } from '../../text/patch/cost.ts'
import type { TestReport } from '../../text/test-reports/report.ts'
import type { ReportFormat } from '../../text/test-reports/report-parsers.ts'
import type { RobotsAnswer, RobotsQuery } from '../../text/url/robots.ts'

export interface ComputeJob<I, O> {
  run(input: I): O | Promise<O>
  /** What it costs at most, in steps of some ten nanoseconds: what costs little is done where it is asked for. */
  steps(input: I): number
}

const job = <I, O>(job: ComputeJob<I, O>) => job

interface DiffInput {
  path: string
  before: string | undefined
  after: string | undefined
}

interface FileDiffInput {
  before: Side | undefined
  after: Side | undefined
  /** How many lines differ, at most. */
  changes: number
}

interface MergeInput {
  base: string
  ours: string
  theirs: string
}

interface TestReportInput {
  format: ReportFormat
  text: string
}

export const COMPUTE_JOBS = {
  diff: job<DiffInput, Diff>({
    run: ({ path, before, after }) => unifiedDiff(path, before, after),
    steps: ({ before = '', after = '' }) => before.length + after.length + (before.length * after.length) / 3
  }),
  edits: job({ run: planEdits, steps: estimatePlanSteps }),
  fileDiff: job<FileDiffInput, Diff>({
    run: ({ before, after }) => fileDiff(before, after),
    steps: ({ before, after, changes }) =>
      length(before) + length(after) + (before && after ? 3 * changes * changes : 0)
  }),
  hunks: job<ApplyHunksInput, PatchApplied | PatchNotApplied>({
    run: ({ text, hunks }) => applyHunks(text, hunks),
    steps: estimateApplySteps
  }),
  merge: job<MergeInput, MergeResult>({
    run: ({ base, ours, theirs }) => merge(base, ours, theirs),
    steps: ({ base, ours, theirs }) => 7 * (base.length + ours.length + theirs.length)
  }),
  notebook: job<NotebookQuery, Notebook | undefined>({ run: notebookCells, steps: ({ text }) => text.length / 2 }),
  page: job<PageQuery, RenderedPage>({
    // Loaded only now, as few calls want it.
    run: async query => (await import('../../text/html/render-page.ts')).renderPage(query),
    steps: ({ html }) => 30 * html.length
  }),
  robots: job<RobotsQuery, RobotsAnswer>({
    run: async query => (await import('../../text/url/robots.ts')).askRobots(query),
    steps: ({ text, url }) => text.length * (10 + url.length / 10)
  }),
  testReport: job<TestReportInput, TestReport | undefined>({
    // Loaded only now: few calls want it, and the parsers are large.
    run: async ({ format, text }) =>
      (await import('../../text/test-reports/report-parsers.ts')).REPORT_PARSERS[format](text),
    steps: ({ text }) => 20 * text.length
  })
}

const length = (side: Side | undefined) => side?.text?.length ?? 0

export type ComputeJobName = keyof typeof COMPUTE_JOBS
export type ComputeJobInput<N extends ComputeJobName> = Parameters<(typeof COMPUTE_JOBS)[N]['run']>[0]
export type ComputeJobOutput<N extends ComputeJobName> = Awaited<ReturnType<(typeof COMPUTE_JOBS)[N]['run']>>
