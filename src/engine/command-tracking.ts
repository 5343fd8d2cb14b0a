// Tracking of a command: what it changes in the workspace is recorded as changes of its call, so that undo takes it back. A command
// that the mode of its session lets run unasked is covered: what undo cannot hold is read-only for it.
import { ToolError } from '../errors.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { Coverage, Tracking, TrackingResult } from '../host/undo-store/snapshots.ts'
import type { FileChange } from '../protocol/file-change.ts'
import type { ActiveCall } from './active-call.ts'

/** Tracking of a command that has ended or has been moved to the background, for people and programs. */
export interface TrackingReport {
  /** Milliseconds spent on inspecting the workspace before and after. */
  duration_ms: number
  /** Reason, as one sentence, for which its changes could not be recorded. The other fields are missing then. */
  untracked?: string
  /** Number and total size of the files that undo holds. */
  files?: number
  bytes?: number
  /** Number of files whose content undo does not hold: their changes are recorded, but cannot be undone. */
  not_covered?: number
  /** Paths that a covered command could not change. */
  read_only?: string[]
  /** Paths that it could not read either, because of rules. */
  hidden?: string[]
  /** Folders in which what it changed was discarded. */
  discarded?: string[]
  /** Another tracked command ran at the same time: changes of both count as those of the one that ended first. */
  shared?: true
}

/** Maximum number of paths that a note names. */
const MAX_NAMED = 5

export class CommandTracking {
  readonly #live: ActiveCall
  readonly #tracking: Tracking | { untracked: string }
  readonly #coverage: Coverage | undefined
  readonly #began_ms: number
  #finished: Promise<TrackingReport> | undefined

  private constructor(
    live: ActiveCall,
    { tracking, coverage }: { tracking: Tracking | { untracked: string }; coverage?: Coverage },
    began_ms: number
  ) {
    this.#live = live
    this.#tracking = tracking
    this.#coverage = coverage
    this.#began_ms = began_ms
  }

  /** Begins before the command is started; returns undefined for a call that is not tracked. */
  static async begin(live: ActiveCall): Promise<CommandTracking | undefined> {
    const { evaluation, host } = live
    const kind = evaluation!.tracking
    if (!kind) return undefined
    const began = performance.now()
    const since = () => performance.now() - began
    if (typeof kind === 'object') {
      const coverage = await host.cover(kind.cover)
      return new CommandTracking(live, { tracking: coverage, coverage }, since())
    }
    const starting = kind === 'required' ? host.track() : host.trackIfCheap().catch(error => toUntracked(live, error))
    return new CommandTracking(live, { tracking: await starting }, since())
  }

  /** Limits the isolation of a command to what its tracking covers. */
  limitIsolation(isolation: Isolation): Isolation {
    if (!this.#coverage) return isolation
    const { readOnly, hidden, discarded } = this.#coverage
    return { ...isolation, readOnly, hides: hidden, discards: discarded }
  }

  /** Records the changes of the command as changes of its call, however it ended; once, however often it is called. */
  finish(): Promise<TrackingReport> {
    this.#finished ??= this.#finish()
    return this.#finished
  }

  async #finish(): Promise<TrackingReport> {
    const began = performance.now()
    const result = await this.#result()
    const duration_ms = Math.round(this.#began_ms + performance.now() - began)
    if ('untracked' in result) return { duration_ms, ...result }
    const { files, bytes, not_covered, shared } = result
    return {
      duration_ms,
      files,
      bytes,
      ...(not_covered > 0 && { not_covered }),
      ...(this.#coverage && describeCoverage(this.#coverage)),
      ...(shared && { shared })
    }
  }

  async #result(): Promise<TrackingResult | { untracked: string }> {
    if ('untracked' in this.#tracking) return this.#tracking
    const finished = this.#tracking.finish()
    return this.#live.evaluation!.tracking === 'possible'
      ? finished.catch(error => toUntracked(this.#live, error))
      : finished
  }
}

const describeCoverage = ({ readOnly, hidden, discarded }: Coverage) => ({
  read_only: [...readOnly],
  hidden: [...hidden],
  ...(discarded.length > 0 && { discarded: discarded.map(({ path }) => path) })
})

/** Returns the reason for which a command runs untracked. Rejects with the error if the call is being stopped. */
function toUntracked({ abort }: ActiveCall, error: unknown): { untracked: string } {
  if (abort.signal.aborted) throw error
  if (error instanceof ToolError) return { untracked: error.message }
  return { untracked: `The changes of the command could not be tracked: ${(error as Error).message}` }
}

/** Returns notes about what undo cannot take back, and about a command that seems to have failed since paths are out of its reach. */
export const trackingNotes = (
  { untracked, read_only, hidden = [], shared }: TrackingReport,
  changes: readonly FileChange[],
  content: string
): string[] => [
  ...(untracked === undefined ? [] : [`Undo cannot revert the changes of this command. ${untracked}`]),
  ...lossNotes(changes),
  ...(shared && changes.length > 0
    ? [
        'Another command whose changes are recorded ran at the same time, so it is unknown which of the two commands made each change'
      ]
    : []),
  ...(read_only && WRITE_FAILURE.test(content) ? [`${describeReadOnly(read_only)} ${ASK_HINT}`] : []),
  ...(hidden.length > 0 && READ_FAILURE.test(content)
    ? [
        `Rules deny or ask about ${namePaths(hidden)}, so commands that run without approval cannot read this content. ${ASK_HINT}`
      ]
    : [])
]

const describeReadOnly = (paths: readonly string[]) =>
  paths.length > 0
    ? `Undo does not cover ${namePaths(paths)}, so commands that run without approval cannot change this content.`
    : 'A command that runs without approval cannot change files that programs execute automatically.'

function lossNotes(changes: readonly FileChange[]): string[] {
  const lost = changes.filter(isLost).map(({ path }) => path)
  return lost.length === 0
    ? []
    : [`Undo cannot restore ${namePaths(lost)}: the content before the change was not stored`]
}

/** Returns true if undo does not hold what the file was. */
const isLost = ({ operation, kind, before_hash }: FileChange) =>
  (operation === 'modified' || operation === 'deleted') && kind === undefined && before_hash === undefined

const ASK_HINT = 'To request approval, run the command again with `track_changes: false`'
const WRITE_FAILURE = /EROFS|EBUSY|read-only file system|device or resource busy/i
const READ_FAILURE = /EACCES|permission denied/i

function namePaths(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''
  return paths.slice(0, MAX_NAMED).join(', ') + more
}
