// Jobs for worker threads: pure functions of structured-cloneable values, by name. An error that a caller must distinguish is
// part of the result: only the message of a thrown one arrives.
import { type Diff, fileDiff, type Side, unifiedDiff } from '../../text/diff/unified-diff.ts'
import { estimatePlanSteps, planEdits } from '../../text/edit/plan-edits.ts'
import type { PageQuery, RenderedPage } from '../../text/html/render-page.ts'
import { type MergeResult, merge } from '../../text/merge/merge.ts'
import { estimateCellSteps, planCellChange } from '../../text/notebook/change-cell.ts'
import { type Notebook, type NotebookQuery, notebookCells } from '../../text/notebook/read-cells.ts'
import { applyHunks, type PatchApplied, type PatchNotApplied, type UncertainHunk } from '../../text/patch/apply.ts'
import { type ApplyHunksInput, estimateApplySteps } from '../../text/patch/cost.ts'
import type { TestReport } from '../../text/test-reports/report.ts'
import type { ReportFormat } from '../../text/test-reports/report-parsers.ts'

export interface ComputeJob<I, O> {
  run(input: I): O | Promise<O>
  /** Returns the maximum cost in steps of some ten nanoseconds: cheap jobs run inline. */
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
  /** Maximum number of differing lines. */
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
  cell: job({ run: planCellChange, steps: estimateCellSteps }),
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
  hunks: job<ApplyHunksInput, PatchApplied | PatchNotApplied | UncertainHunk>({
    run: ({ text, hunks }) => applyHunks(text, hunks),
    steps: estimateApplySteps
  }),
  merge: job<MergeInput, MergeResult>({
    run: ({ base, ours, theirs }) => merge(base, ours, theirs),
    steps: ({ base, ours, theirs }) => 7 * (base.length + ours.length + theirs.length)
  }),
  notebook: job<NotebookQuery, Notebook | undefined>({ run: notebookCells, steps: ({ text }) => text.length / 2 }),
  page: job<PageQuery, RenderedPage>({
    // Loaded on demand: rarely needed.
    run: async query => (await import('../../text/html/render-page.ts')).renderPage(query),
    steps: ({ html }) => 30 * html.length
  }),
  testReport: job<TestReportInput, TestReport | undefined>({
    // Loaded on demand: rarely needed, and the parsers are large.
    run: async ({ format, text }) =>
      (await import('../../text/test-reports/report-parsers.ts')).REPORT_PARSERS[format](text),
    steps: ({ text }) => 20 * text.length
  })
}

const length = (side: Side | undefined) => side?.text?.length ?? 0

export type ComputeJobName = keyof typeof COMPUTE_JOBS
export type ComputeJobInput<N extends ComputeJobName> = Parameters<(typeof COMPUTE_JOBS)[N]['run']>[0]
export type ComputeJobOutput<N extends ComputeJobName> = Awaited<ReturnType<(typeof COMPUTE_JOBS)[N]['run']>>
