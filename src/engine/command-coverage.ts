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
  /** Another command ran at the same time: changes of both count as those of the one that ended first. */
  shared?: true
}

/** Maximum number of paths that a note names. */
const MAX_NAMED = 5

export class CommandCoverage {
  readonly #coverage: Coverage
  #duration_ms: number
  #report: CoverageReport | undefined

  private constructor(coverage: Coverage, duration_ms: number) {
    this.#coverage = coverage
    this.#duration_ms = duration_ms
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

  /** Records the changes of the command as changes of its call, however it ended. */
  async finish(): Promise<void> {
    const began = performance.now()
    const { files, bytes, shared } = await this.#coverage.finish()
    this.#duration_ms += performance.now() - began
    this.#report = {
      files,
      bytes,
      duration_ms: Math.round(this.#duration_ms),
      read_only: [...this.#coverage.readOnly],
      ...(shared && { shared })
    }
  }

  get report(): CoverageReport | undefined {
    return this.#report
  }
}

/** Returns a note for a command that seems to have failed since a path was read-only. */
export function coverageNote({ read_only }: CoverageReport, content: string): string | undefined {
  if (read_only.length === 0 || !WRITE_FAILURE.test(content)) return undefined
  const named = read_only.slice(0, MAX_NAMED).join(', ')
  const more = read_only.length > MAX_NAMED ? ` and ${read_only.length - MAX_NAMED} more` : ''
  return (
    `Undo does not hold ${named}${more}: a command that runs unasked cannot change that. To have a person asked, call with ` +
    '`track_changes: false`'
  )
}

const WRITE_FAILURE = /EROFS|EBUSY|read-only file system|device or resource busy/i
