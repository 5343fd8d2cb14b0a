// The evaluation of a call: one immutable value with the request, the plan and the verdict. It is shown, decided on and run.
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { ReadContext } from '../tool/contexts.ts'
import type { Plan, Preview } from '../tool/plan.ts'
import type { CommandRequest, Effect, Request } from '../tool/request.ts'
import type { CommandSources, ExecutedCommand } from './policy/command-sources.ts'
import type { CommandFacts, PathFacts, PolicyInput, PolicyVerdict } from './policy/policy-input.ts'

/**
 * Kind of tracking. `cover`: undo holds every file that the command can change. `required`: the call asked for it and fails without.
 * `possible`: bounded; where it is not possible the command runs untracked.
 */
export type TrackingKind = { cover: { hides: readonly string[] } } | 'required' | 'possible'

/** A path of a call with its facts. */
export type EvaluatedPath = PathFacts & { tree: boolean; if_match?: string | undefined }

/** The effects of a call, as evaluated at one moment. */
export interface Evaluation {
  readonly params: unknown
  /** The context that it was evaluated in. */
  readonly context: ReadContext
  readonly request: Request
  /** Absent if policy denies the request, or the tool plans nothing. */
  readonly plan: Plan | undefined
  /** Returns the images of the entries that the plan is based on, by canonical path; undefined for a file that it has not read. */
  readonly images: ReadonlyMap<string, (() => string) | undefined>
  readonly paths: readonly EvaluatedPath[]
  /** The command as requested and planned. */
  readonly commandRequest: CommandRequest | undefined
  /** The parsed command line with its facts. */
  readonly command: CommandFacts | undefined
  /** The sandbox of the command or code. */
  readonly isolation: Isolation | undefined
  /** Canonical folder of the command. */
  readonly cwd: string | undefined
  /** The line that is searched for the files that it executes. */
  readonly executed: ExecutedCommand | undefined
  /** The files of the workspace that its command executes. */
  readonly sources: CommandSources | undefined
  /** It moves files away, or takes the place of files, that are not its session's. */
  readonly displaces: boolean
  /** Set if what its command changes is recorded. */
  readonly tracking: TrackingKind | undefined
  /** Set if its command runs without approval. */
  readonly isAutoApproved: boolean
  readonly effect: Effect
  readonly verdict: PolicyVerdict
  /** The input of the policy. */
  readonly question: PolicyInput
  /** Returns the tool's own preview; builds it once. */
  readonly toolPreview: () => Promise<Preview>
}

/** Returns an evaluation without its plan, which may be large: a call that waits for a decision is planned again for it. */
export const withoutPlan = (evaluation: Evaluation): Evaluation => ({
  ...evaluation,
  plan: undefined,
  images: new Map(),
  toolPreview: () => Promise.reject(new Error('The plan of the call is missing.'))
})
