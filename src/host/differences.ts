// What became of a tree between two looks at it: moves put together, and told in an order in which each could be done.
import type { Change } from './host.ts'
import { isMoved, isSame, type Seen } from './seen.ts'

/** One path then and now; undefined where nothing was or is. Of what was moved, `from` is where it was. */
export interface Difference<S extends Seen = Seen> {
  path: string
  from?: string
  before: S | undefined
  after: Seen | undefined
}

/** Puts together what was moved, and gives an order in which the changes could have happened one after the other. */
export function arrange<S extends Seen>(found: readonly Difference<S>[]): Difference<S>[] {
  const single = found.flatMap(apart)
  const gone = single.filter(({ after }) => after === undefined)
  const come = single.filter(({ before }) => before === undefined)
  const moved = movesOf(gone, come)
  const left = new Set(moved.map(({ from }) => from))
  const arrived = new Set(moved.map(({ path }) => path))
  const rest = single.filter(({ path, after }) => !(after === undefined ? left.has(path) : arrived.has(path)))
  const told = [...rest, ...withoutImplied(moved)]
  return told
    .map(difference => ({ difference, rank: RANKS.findIndex(is => is(difference)) }))
    .sort((a, b) => a.rank - b.rank || byPath(a.difference.path, b.difference.path, RANKS[a.rank] === isFolderGone))
    .map(({ difference }) => difference)
}

/** The change without its hashes. */
export function changeOf({ path, from, before, after }: Difference): Change {
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

/** What became of another kind went, and something else came; so did a link that leads elsewhere now. */
function apart<S extends Seen>(difference: Difference<S>): Difference<S>[] {
  const { path, before, after } = difference
  if (!before || !after) return [difference]
  if (before.kind === after.kind && after.kind !== 'symlink') return [difference]
  if (isSame(before, after)) return []
  return [
    { path, before, after: undefined },
    { path, before: undefined, after }
  ]
}

function movesOf<S extends Seen>(gone: readonly Difference<S>[], come: readonly Difference<S>[]) {
  const arrived = new Map<number, Difference<S>[]>()
  for (const each of come) {
    const same = arrived.get(each.after!.ino)
    if (same) same.push(each)
    else arrived.set(each.after!.ino, [each])
  }
  const replaced = new Set(gone.map(({ path }) => path))
  return gone.flatMap(({ path: from, before }): (Difference<S> & { from: string })[] => {
    const candidates = arrived.get(before!.ino) ?? []
    const at = candidates.findIndex(({ path, after }) => !replaced.has(path) && isMoved(before!, after!))
    if (at < 0) return []
    const [to] = candidates.splice(at, 1)
    return [{ path: to!.path, from, before, after: to!.after }]
  })
}

/** With a folder, all in it is moved. */
function withoutImplied<S extends Seen>(moved: readonly (Difference<S> & { from: string })[]) {
  const folders = moved.filter(({ after }) => after?.kind === 'directory')
  const places = new Map(folders.map(({ from, path }) => [from, path]))
  return moved.filter(({ from, path }) => {
    for (let slash = from.lastIndexOf('/'); slash > 0; slash = from.lastIndexOf('/', slash - 1)) {
      const place = places.get(from.slice(0, slash))
      if (place !== undefined) return path !== place + from.slice(slash)
    }
    return true
  })
}

const isFolder = ({ before, after }: Difference) => (after ?? before)?.kind === 'directory'
const isFolderGone = (each: Difference) => !each.after && isFolder(each)

// Room is made first; folders come before what is in them, and go after it.
const RANKS: readonly ((each: Difference) => boolean)[] = [
  each => !each.after && !isFolder(each),
  each => !each.before && isFolder(each),
  each => each.from !== undefined,
  each => each.before !== undefined && each.after !== undefined,
  isFolderGone,
  () => true
]

function byPath(a: string, b: string, backwards: boolean) {
  const order = a < b ? -1 : a > b ? 1 : 0
  return backwards ? -order : order
}
