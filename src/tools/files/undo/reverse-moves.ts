// Computes the destinations of folders whose moves are reverted, one move after the other: by current path, the final one.
import type { PastCall } from '../../../tool/contexts.ts'
import { isAtOrBelow } from './conflict-collector.ts'

/** `calls` are ordered newest first, as they are reverted. */
export function reverseMoves(calls: readonly PastCall[]): Map<string, string> {
  const moves = new Map<string, string>()
  for (const { operation, kind, path, from } of calls.flatMap(({ changes }) => changes.toReversed())) {
    if (operation !== 'moved' || kind !== 'directory' || from === undefined) continue
    const now = currentPathOf(path, moves)
    for (const [place, last] of moves) if (isAtOrBelow(last, path)) moves.set(place, from + last.slice(path.length))
    moves.set(now, from)
  }
  return moves
}

/** Returns the current path of the entry that the moves bring to a path. */
function currentPathOf(path: string, moves: ReadonlyMap<string, string>): string {
  const [found] = [...moves].filter(([, last]) => isAtOrBelow(path, last)).sort(([, a], [, b]) => b.length - a.length)
  return found ? found[0] + path.slice(found[1].length) : path
}
