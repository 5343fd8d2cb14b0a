// Diff of two tree snapshots: detects moves, and orders the changes so that each could be applied after the previous.
import type { Change } from '../change.ts'
import { isMovedSnapshot, isSameSnapshot, type StatSnapshot } from './stat-snapshot.ts'

/** One path before and after; undefined if there is no entry. For a moved entry, `from` is its previous path. */
export interface TreeDifference<S extends StatSnapshot = StatSnapshot> {
  path: string
  from?: string
  before: S | undefined
  after: StatSnapshot | undefined
}

/** Detects moves, and returns the changes in an order in which they could have happened. */
export function orderChanges<S extends StatSnapshot>(found: readonly TreeDifference<S>[]): TreeDifference<S>[] {
  const single = found.flatMap(splitReplaced)
  const moves = dropImpliedMoves(detectMoves(single))
  const left = new Set(moves.paired.map(({ from }) => from))
  const arrived = new Set(moves.paired.map(({ path }) => path))
  const rest = single.filter(({ path, after }) => !(after ? arrived : left).has(path))
  const reported = [...rest, ...moves.reported]
  const folders = moves.reported.filter(isFolder).map(({ from }) => `${from}/`)
  const goesAlong = ({ path }: TreeDifference) => folders.some(folder => path.startsWith(folder))
  // Paths are vacated first. A folder is created before its contents, and removed after them: before it is moved together with
  // its contents, or else after everything that is moved out of it.
  const steps: [is: (each: TreeDifference) => boolean, order: typeof byPath][] = [
    [each => !each.after && !isFolder(each), byPath],
    [each => !each.after && goesAlong(each), byPathDescending],
    [each => each.from !== undefined || (!each.before && isFolder(each)), byPath],
    [each => each.before !== undefined && each.after !== undefined, byPath],
    [each => !each.after, byPathDescending],
    [() => true, byPath]
  ]
  const stepOf = new Map(reported.map(each => [each, steps.findIndex(([is]) => is(each))]))
  return reported.sort((a, b) => {
    const [step, other] = [stepOf.get(a)!, stepOf.get(b)!]
    return step - other || steps[step]![1](a.path, b.path)
  })
}

/** Converts a difference to a change without hashes. */
export function toChange({ path, from, before, after }: TreeDifference): Change {
  const kind = (after ?? before)?.kind
  const target = (after ?? before)?.target
  const was = before && octal(before.mode)
  const is = after && octal(after.mode)
  return {
    path,
    operation: from !== undefined ? 'moved' : !before ? 'created' : after ? 'modified' : 'deleted',
    ...(from !== undefined && { from }),
    ...(kind !== undefined && kind !== 'file' && { kind }),
    ...(was !== undefined && was !== is && kind !== 'symlink' && { before_mode: was, ...(is && { after_mode: is }) }),
    ...(target !== undefined && { target })
  }
}

const octal = (mode: number) => mode.toString(8).padStart(3, '0')

/** Splits a change of kind, or of a link's target, into a removal and a creation. */
function splitReplaced<S extends StatSnapshot>(difference: TreeDifference<S>): TreeDifference<S>[] {
  const { path, before, after } = difference
  if (!before || !after) return [difference]
  if (before.kind === after.kind && after.kind !== 'symlink') return [difference]
  if (isSameSnapshot(before, after)) return []
  return [
    { path, before, after: undefined },
    { path, before: undefined, after }
  ]
}

interface Move<S extends StatSnapshot> extends TreeDifference<S> {
  from: string
}

/** Matches removals with creations, unless another entry takes the old path or had the new one. */
function detectMoves<S extends StatSnapshot>(single: readonly TreeDifference<S>[]): Move<S>[] {
  const gone = single.filter(({ after }) => !after)
  const come = single.filter(({ before }) => !before)
  const [was, is] = [new Set(gone.map(({ path }) => path)), new Set(come.map(({ path }) => path))]
  const arrived = Map.groupBy(
    come.filter(({ path }) => !was.has(path)),
    ({ after }) => after!.ino
  )
  return gone.flatMap(({ path: from, before }): Move<S>[] => {
    const candidates = is.has(from) ? [] : (arrived.get(before!.ino) ?? [])
    const at = candidates.findIndex(({ after }) => isMovedSnapshot(before!, after!))
    if (at < 0) return []
    const [to] = candidates.splice(at, 1)
    return [{ path: to!.path, from, before, after: to!.after }]
  })
}

/** Drops moves implied by a moved folder. An entry that left such a folder is split into a removal and a creation. */
function dropImpliedMoves<S extends StatSnapshot>(
  moves: readonly Move<S>[]
): { paired: Move<S>[]; reported: Move<S>[] } {
  const places = new Map(moves.filter(isFolder).map(({ from, path }) => [from, path]))
  const along = ({ from, path }: Move<S>): 'by itself' | 'implied' | 'elsewhere' => {
    for (let slash = from.indexOf('/'); slash > 0; slash = from.indexOf('/', slash + 1)) {
      const place = places.get(from.slice(0, slash))
      if (place !== undefined) return path === place + from.slice(slash) ? 'implied' : 'elsewhere'
    }
    return 'by itself'
  }
  const how = new Map(moves.map(move => [move, along(move)]))
  return {
    paired: moves.filter(move => how.get(move) !== 'elsewhere'),
    reported: moves.filter(move => how.get(move) === 'by itself')
  }
}

const isFolder = ({ before, after }: TreeDifference) => (after ?? before)?.kind === 'directory'

const byPath = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byPathDescending = (a: string, b: string) => byPath(b, a)
