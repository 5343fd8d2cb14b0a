// Where folders come to that go back to where they were, one move after the other: by where each is now, its last place.
import type { PastCall } from '../../../tool/tool.ts'
import { isAtOrBelow } from './conflict-collector.ts'

/** `calls` are told newest first, as they are taken back. */
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

/** What is now that which the moves bring to a path. */
function currentPathOf(path: string, moves: ReadonlyMap<string, string>): string {
  const [found] = [...moves].filter(([, last]) => isAtOrBelow(path, last)).sort(([, a], [, b]) => b.length - a.length)
  return found ? found[0] + path.slice(found[1].length) : path
}
