// Where what a call left is now, after calls that moved it: one call's moves happen at once, and a folder takes along all
// that is beneath it.
import type { Change } from '../../../host/change.ts'
import type { PastCall } from '../../../tool/tool.ts'
import { isAtOrBelow } from './conflict-collector.ts'

/** Where the later moves, oldest first, have brought what the change left at its path. */
export const currentPath = ({ path, operation }: Change, moves: readonly PastCall[]): string =>
  // What was deleted comes back to where it was.
  operation === 'deleted' ? path : moves.reduce((place, { changes }) => pathAfterMoves(place, changes), path)

function pathAfterMoves(place: string, changes: readonly Change[]): string {
  const carriers = changes.filter(
    ({ operation, from }) => operation === 'moved' && from !== undefined && isAtOrBelow(place, from)
  )
  const [nearest] = carriers.sort((a, b) => b.from!.length - a.from!.length)
  return nearest ? nearest.path + place.slice(nearest.from!.length) : place
}
