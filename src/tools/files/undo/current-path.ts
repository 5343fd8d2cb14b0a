// Follows the result of a call through later moves: the moves of one call are simultaneous, and a folder moves with all its
// descendants.
import type { Change } from '../../../host/change.ts'
import type { PastCall } from '../../../tool/contexts.ts'
import { isAtOrBelow } from './conflict-collector.ts'

/** Returns the current path of a change's result after the later moves, oldest first. */
export const currentPath = ({ path, operation }: Change, moves: readonly PastCall[]): string =>
  // A deleted entry returns to its original path.
  operation === 'deleted' ? path : moves.reduce((place, { changes }) => pathAfterMoves(place, changes), path)

function pathAfterMoves(place: string, changes: readonly Change[]): string {
  const carriers = changes.filter(
    ({ operation, from }) => operation === 'moved' && from !== undefined && isAtOrBelow(place, from)
  )
  const [nearest] = carriers.sort((a, b) => b.from!.length - a.from!.length)
  return nearest ? nearest.path + place.slice(nearest.from!.length) : place
}
