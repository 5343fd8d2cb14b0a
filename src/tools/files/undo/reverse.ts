// Taking back what one call did, in the draft. Its changes are taken back as if all at once: first what it modified is as
// before, then what it left leaves, then what it took comes back. What stands in the way of one stops only that one.
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../../host/host.ts'
import { Obstruction } from './obstruction.ts'
import { bits, type Contents } from './previous-contents.ts'
import { type Draft, type FileThing, MISSING, type Thing } from './workspace-overlay.ts'

/** Where a call is taken back, and who hears what is in the way. */
interface Scene {
  draft: Draft
  contents: Contents
  /** Whether a folder that was moved can go back as it is: nothing else is about what it holds. */
  movesWhole(change: Change): boolean
  obstructed(change: Change, obstruction: Obstruction): void
}

/** One thing to do, and which change it is for. */
interface Task {
  change: Change
  work: () => Promise<void>
}

export async function reverse(changes: readonly Change[], scene: Scene): Promise<void> {
  const lifted = new Map<Change, [path: string, thing: Thing][]>()
  const failed = new Set<Change>()
  const all = async (tasks: readonly Task[]) => {
    for (const { change, work } of tasks) {
      if (failed.has(change)) continue
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Obstruction)) throw error
        failed.add(change)
        scene.obstructed(change, error)
      }
    }
  }
  const each = (operation: Change['operation'], work: (change: Change) => Promise<void>): Task[] =>
    changes.filter(change => change.operation === operation).map(change => ({ change, work: () => work(change) }))
  const lift = async (change: Change) => {
    const things = await liftMoved(change, scene)
    if (things) lifted.set(change, things)
    else failed.add(change)
  }

  await all(each('modified', change => restoreModified(change, scene)))
  await all([...each('created', change => removeCreated(change, scene)), ...each('moved', lift)].sort(insideFirst))
  await all(
    [
      ...each('deleted', change => bringBack(change, scene)),
      ...each('moved', change => putBack(change, lifted.get(change)!, scene))
    ].sort(foldersFirst)
  )
}

const inOrder = (a: string, b: string) => (a < b ? -1 : 1)
const foldersOf = (a: Task, b: Task) => Number(isFolder(a)) - Number(isFolder(b))
const isFolder = ({ change }: Task) => change.kind === 'directory'
/** Files and links leave before the folders that hold them, the innermost folders first. */
const insideFirst = (a: Task, b: Task) => foldersOf(a, b) || inOrder(b.change.path, a.change.path)
/** Folders come back before what they hold. */
const foldersFirst = (a: Task, b: Task) => foldersOf(b, a) || inOrder(homeOf(a), homeOf(b))
const homeOf = ({ change: { path, from = path } }: Task) => from

async function restoreModified(change: Change, { draft, contents }: Scene) {
  const { path, kind, before_hash: back, after_hash: left } = change
  const now = await draft.at(path)
  // Only permission bits of a folder can be modified, and those stay.
  if (kind === 'directory') return draft.put(path, now)
  if (kind) throw new Obstruction(path, 'not_kept')
  if (now.kind !== 'file') throw new Obstruction(path, now.kind === 'missing' ? 'gone' : 'changed')
  draft.put(path, await contents.fileBefore(change, now, { ...(left && { left }), ...(back && { back }) }))
}

async function removeCreated(change: Change, { draft }: Scene) {
  const { path, kind, target, after_hash } = change
  const now = await draft.at(path)
  if (kind === 'directory') {
    // What others put into it keeps it.
    const goes = now.kind === 'directory' && (await draft.inside(path)).length === 0
    return draft.put(path, goes ? MISSING : now)
  }
  const isLeft =
    kind === 'symlink'
      ? now.kind === 'symlink' && now.target === target
      : now.kind === 'file' && now.hash === after_hash
  if (now.kind !== 'missing' && !isLeft) throw new Obstruction(path, 'changed')
  draft.put(path, MISSING)
}

async function bringBack(change: Change, { draft, contents }: Scene) {
  const { path } = change
  const now = await draft.at(path)
  if (now.kind === 'missing') return makeAt(draft, path, await contents.thingBefore(change))
  if (!isBefore(change, now)) throw new Obstruction(path, 'exists')
  draft.put(path, now)
}

/** Whether it is what was there before the call. */
function isBefore({ operation, kind, target, before_hash, before_mode }: Change, now: Thing) {
  if (operation === 'deleted' && kind === 'directory') return now.kind === 'directory'
  if (operation === 'deleted' && kind === 'symlink') return now.kind === 'symlink' && now.target === target
  if (now.kind !== 'file' || now.hash !== before_hash) return false
  return before_mode === undefined || now.mode === bits(before_mode).mode
}

/** A move that put something in the place of a file. */
const overwrote = ({ before_hash, before_mode, after_mode }: Change) =>
  before_hash !== undefined || (before_mode !== undefined && after_mode === undefined)

/** Takes up what was moved, by where it goes; nothing where that has been taken back already. */
async function liftMoved(change: Change, scene: Scene): Promise<[string, Thing][] | undefined> {
  const { draft } = scene
  const { path, from = path, kind = 'file' } = change
  const [now, there] = [await draft.at(path), await draft.at(from)]
  const isBack = now.kind === 'missing' ? !overwrote(change) : overwrote(change) && isBefore(change, now)
  if (isBack && there.kind === kind) {
    draft.put(path, now)
    draft.put(from, there)
    return undefined
  }
  if (now.kind !== kind) throw new Obstruction(path, now.kind === 'missing' ? 'gone' : 'changed')
  if (now.kind === 'directory') return liftFolder(change, scene)
  const lifted = now.kind === 'file' ? await asBeforeMove(change, now, scene) : now
  draft.put(path, MISSING)
  return [[from, lifted]]
}

/** The moved file as it was before, where its content or its permission bits changed on the way. */
function asBeforeMove(change: Change, now: FileThing, { contents }: Scene): Promise<FileThing> | FileThing {
  const { after_hash: left, from_hash: back = left } = change
  const { before_mode: _, ...rest } = change
  const own = overwrote(change) ? rest : change
  if (back === undefined) return now
  return contents.fileBefore(own, now, { ...(left && { left }), back: back === left ? now.hash : back })
}

const LARGEST_FOLDER = 2_000

async function liftFolder(change: Change, { draft, movesWhole }: Scene): Promise<[string, Thing][]> {
  const { path, from = path } = change
  const folder = await draft.at(path)
  if (movesWhole(change)) {
    draft.put(path, MISSING)
    return [[from, { kind: 'directory', origin: path }]]
  }
  const moving: [string, Thing][] = [[path, folder]]
  for (const [inner, { kind }] of moving) {
    if (kind !== 'directory') continue
    for (const { path: each, closed } of await draft.inside(inner)) {
      if (closed) throw new ToolError('SENSITIVE_PATH', `${each} is protected: no call may change it.`, { path: each })
      moving.push([each, await draft.at(each)])
      if (moving.length > LARGEST_FOLDER) throw new Obstruction(path, 'too_large')
    }
  }
  for (const [inner] of moving) draft.put(inner, MISSING)
  return moving.map(([inner, thing]) => [from + inner.slice(path.length), thing])
}

async function putBack(change: Change, lifted: readonly [string, Thing][], { draft, contents }: Scene) {
  if (overwrote(change)) draft.put(change.path, await contents.thingBefore(change))
  for (const [i, [path, thing]] of lifted.entries()) {
    const { kind } = await draft.at(path)
    const isThere = i > 0 && kind === 'directory' && thing.kind === 'directory'
    if (kind !== 'missing' && !isThere) throw new Obstruction(path, 'exists')
    if (!isThere) await makeAt(draft, path, thing)
  }
}

async function makeAt(draft: Draft, path: string, thing: Thing) {
  const inTheWay = await draft.make(path, thing)
  if (inTheWay !== undefined) throw new Obstruction(inTheWay, 'exists')
}
