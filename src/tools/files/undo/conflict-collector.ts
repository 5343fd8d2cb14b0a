// Collects the conflicts of an undo, by path.
import type { Change } from '../../../host/change.ts'
import { UNDO_OBSTACLES, type UndoConflict, type UndoFile } from '../../../protocol/undo.ts'
import type { Obstruction } from './obstruction.ts'

/** Conflicting texts are truncated to this length. */
const MAX_TEXT_LENGTH = 2_000

/** Returns the path, or both paths of a move. */
export const changePaths = ({ path, from }: Change) => (from === undefined ? [path] : [path, from])

/** Checks if a path is equal to another or its descendant. */
export const isAtOrBelow = (place: string, path: string) => place === path || place.startsWith(`${path}/`)

export class ConflictCollector {
  readonly #byPath = new Map<string, UndoConflict[]>()
  /** Paths with changes that could not be reverted. */
  readonly #blockedPaths = new Set<string>()

  get hasAny(): boolean {
    return this.#byPath.size > 0
  }

  /** Texts are included only for files that may be revealed. */
  add(change: Change, obstruction: Obstruction, { tool_call_id, shown }: { tool_call_id: string; shown: boolean }) {
    const { path } = obstruction
    const known = this.#byPath.get(path) ?? []
    const found = toConflicts(tool_call_id, obstruction).map(({ now, before, ...conflict }) =>
      shown && now !== undefined && before !== undefined ? { ...conflict, now, before } : conflict
    )
    // A folder that cannot be created is a conflict for all its contents; it is reported once.
    const isNews = ({ message }: UndoConflict) =>
      !known.some(one => one.message === message && one.tool_call_id === tool_call_id)
    this.#byPath.set(path, [...known, ...found.filter(isNews)])
    for (const place of [...changePaths(change), path]) this.#blockedPaths.add(place)
  }

  /** Checks if a later change of the same path is not reverted: then this one cannot be reverted either. */
  isBlocked(change: Change): boolean {
    return changePaths(change).some(place => this.#blockedPaths.has(place))
  }

  /** Checks if a path's outcome is omitted. */
  covers(path: string): boolean {
    return this.#blockedPaths.size > 0 && [...this.#blockedPaths].some(place => isAtOrBelow(path, place))
  }

  files(): UndoFile[] {
    return [...this.#byPath].map(([path, conflicts]) => ({
      path,
      action: conflicts.every(({ reason }) => reason === 'not_kept') ? 'not_kept' : 'conflict',
      conflicts
    }))
  }
}

function toConflicts(tool_call_id: string, { reason, conflicts }: Obstruction): UndoConflict[] {
  if (conflicts.length === 0) return [{ tool_call_id, reason, message: UNDO_OBSTACLES[reason] }]
  return conflicts.map(({ start_line, end_line, ours, theirs }) => ({
    tool_call_id,
    reason,
    message: `${linesText(start_line, end_line)}: ${UNDO_OBSTACLES[reason]}`,
    start_line,
    end_line,
    now: brief(ours),
    before: brief(theirs)
  }))
}

function linesText(start: number, end: number) {
  if (end < start) return `before line ${start}`
  return start === end ? `line ${start}` : `lines ${start} to ${end}`
}

const brief = (text: string) => (text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text)
