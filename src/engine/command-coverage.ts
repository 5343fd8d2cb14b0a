// Coverage of a command that the mode of its session lets run unasked: undo holds all that the command can change, and what undo
// cannot hold is read-only for it.
import type { Coverage } from '../host/undo-store/snapshots.ts'
import type { ActiveCall } from './active-call.ts'

/** Coverage of a command that has ended, for people and programs. */
export interface CoverageReport {
  /** Number and total size of the files that undo holds. */
  files: number
  bytes: number
  /** Milliseconds spent on inspecting the workspace before and after. */
  duration_ms: number
  /** Paths that the command could not change. */
  read_only: string[]
  /** Paths that it could not read either, because of rules. */
  hidden: string[]
  /** Another command ran at the same time: changes of both count as those of the one that ended first. */
  shared?: true
}

/** Maximum number of paths that a note names. */
const MAX_NAMED = 5

export class CommandCoverage {
  readonly #coverage: Coverage
  readonly #began_ms: number
  #finished: Promise<CoverageReport> | undefined

  private constructor(coverage: Coverage, began_ms: number) {
    this.#coverage = coverage
    this.#began_ms = began_ms
  }

  /** Begins before the command is started; returns undefined for a call that needs no coverage. */
  static async begin({ evaluation, host, ctx }: ActiveCall): Promise<CommandCoverage | undefined> {
    const wanted = evaluation!.coverage
    if (!wanted) return undefined
    const began = performance.now()
    const coverage = await host.cover(wanted)
    ctx.isolation = { ...ctx.isolation, readOnly: coverage.readOnly, hides: coverage.hidden }
    return new CommandCoverage(coverage, performance.now() - began)
  }

  /** Records the changes of the command as changes of its call, however it ended; once, however often it is called. */
  finish(): Promise<CoverageReport> {
    this.#finished ??= this.#finish()
    return this.#finished
  }

  async #finish(): Promise<CoverageReport> {
    const { readOnly, hidden } = this.#coverage
    const began = performance.now()
    const { files, bytes, shared } = await this.#coverage.finish()
    const duration_ms = Math.round(this.#began_ms + performance.now() - began)
    return { files, bytes, duration_ms, read_only: [...readOnly], hidden: [...hidden], ...(shared && { shared }) }
  }
}

/** Returns notes for a command that seems to have failed since a path was read-only or hidden. */
export const coverageNotes = ({ read_only, hidden }: CoverageReport, content: string): string[] => [
  ...(read_only.length > 0 && WRITE_FAILURE.test(content)
    ? [`Undo does not hold ${namePaths(read_only)}: a command that runs unasked cannot change that. ${ASK_HINT}`]
    : []),
  ...(hidden.length > 0 && READ_FAILURE.test(content)
    ? [`Rules deny or ask about ${namePaths(hidden)}: a command that runs unasked cannot read that. ${ASK_HINT}`]
    : [])
]

const ASK_HINT = 'To have a person asked, call with `track_changes: false`'
const WRITE_FAILURE = /EROFS|EBUSY|read-only file system|device or resource busy/i
const READ_FAILURE = /EACCES|permission denied/i

function namePaths(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''
  return paths.slice(0, MAX_NAMED).join(', ') + more
}
