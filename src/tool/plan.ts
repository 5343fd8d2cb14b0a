// The plan of a call, computed once: its preview is shown, and its state is run.
import type { CommandRequest, Effect, PathUse, ReviewReasons } from './request.ts'

/**
 * The part of a call that depends on the workspace: its effects, and how to run it. It is computed if policy does not deny the
 * request, and policy then applies to both. All that the preview shows is in the params, in snapshots of files of the call, or bound.
 */
export interface Plan<P = unknown> {
  /** Passed to the run. */
  state: P
  /** Paths besides those of the request. */
  paths?: PathUse[]
  /** Adds to the command of the request. */
  command?: CommandRequest
  /** Replaces the effect of the request: it turned out to be less. */
  effect?: Effect
  /** Adds to the reasons of the request. */
  reasons?: ReviewReasons
  /** Preconditions of a decision besides the params and the content of its paths, such as a branch's commit. */
  binds?: unknown
  /** Builds the approver's preview from the plan. */
  preview?(): Preview | Promise<Preview>
  /** The output of a run, also if it would fail because of `obstacle`. */
  expectedOutput?: unknown
  /** The error with which a run would fail; it ends the call before approval is requested. */
  obstacle?: Error
}

/** The preview of a call for its approver. */
export interface Preview {
  title: string
  /** Shown in full and literally: a command line, a list of files. */
  text?: string
  /** Unified diff. */
  diff?: string
  /** Anything the approver must pay attention to, such as that the match was fuzzy. */
  notes?: string[]
  /** Anything else that the approver should know. */
  information?: string[]
}
