// Reverts one call in the overlay. Its changes are reverted as if simultaneously: modifications first, then creations are
// removed, then removals are restored. A conflict affects only its own change.
import { ToolError } from '../../../errors.ts'
import type { Change } from '../../../host/change.ts'
import { Obstruction } from './obstruction.ts'
import { type PreviousContents, parseMode } from './previous-contents.ts'
import { type EntryState, type FileState, MISSING, type WorkspaceOverlay } from './workspace-overlay.ts'

/** RunContext of a reversal, with the collector of conflicts. */
interface ReversalContext {
  draft: WorkspaceOverlay
  contents: PreviousContents
  /** Checks if a moved folder can be moved back as a whole: no other change concerns its contents. */
  canMoveWhole(change: Change): boolean
  onObstructed(change: Change, obstruction: Obstruction): void
}

/** One task, and the change it belongs to. */
interface Task {
  change: Change
  work: () => Promise<void>
}

export async function reverse(changes: readonly Change[], scene: ReversalContext): Promise<void> {
  const lifted = new Map<Change, [path: string, thing: EntryState][]>()
  const failed = new Set<Change>()
  const all = async (tasks: readonly Task[]) => {
    for (const { change, work } of tasks) {
      if (failed.has(change)) continue
      try {
        await work()
      } catch (error) {
        if (!(error instanceof Obstruction)) throw error
        failed.add(change)
        scene.onObstructed(change, error)
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
  await all([...each('created', change => removeCreated(change, scene)), ...each('moved', lift)].sort(contentsFirst))
  await all(
    [
      ...each('deleted', change => restoreRemoved(change, scene)),
      ...each('moved', change => putBack(change, lifted.get(change)!, scene))
    ].sort(foldersFirst)
  )
}

const comparePaths = (a: string, b: string) => (a < b ? -1 : 1)
const compareFolders = (a: Task, b: Task) => Number(isFolder(a)) - Number(isFolder(b))
const isFolder = ({ change }: Task) => change.kind === 'directory'
/** Files and links are removed before their folders, innermost folders first. */
const contentsFirst = (a: Task, b: Task) => compareFolders(a, b) || comparePaths(b.change.path, a.change.path)
/** Folders are restored before their contents. */
const foldersFirst = (a: Task, b: Task) => compareFolders(b, a) || comparePaths(originalPath(a), originalPath(b))
const originalPath = ({ change: { path, from = path } }: Task) => from

async function restoreModified(change: Change, { draft, contents }: ReversalContext) {
  const { path, kind, before_hash: back, after_hash: left } = change
  const now = await draft.at(path)
  if (kind === 'directory') return draft.put(path, folderBefore(change, now))
  if (kind) throw new Obstruction(path, 'not_kept')
  if (now.kind !== 'file') throw new Obstruction(path, now.kind === 'missing' ? 'gone' : 'changed')
  draft.put(path, await contents.fileBefore(change, now, { ...(left && { left }), ...(back && { back }) }))
}

/** Restores the permission bits of a folder unless they were changed since. */
function folderBefore({ path, before_mode, after_mode }: Change, now: EntryState): EntryState {
  if (now.kind !== 'directory') throw new Obstruction(path, now.kind === 'missing' ? 'gone' : 'changed')
  if (before_mode === undefined || after_mode === undefined || now.mode !== parseMode(after_mode).mode) return now
  return { ...now, ...parseMode(before_mode) }
}

async function removeCreated(change: Change, { draft }: ReversalContext) {
  const { path, kind, target, after_hash, after_identity } = change
  if (after_identity !== undefined && draft.hasUnread(path, after_identity)) return draft.put(path, MISSING)
  const now = await draft.at(path)
  if (kind === 'directory') {
    // A folder with entries of others is retained.
    const goes = now.kind === 'directory' && (await draft.childrenOf(path)).length === 0
    return draft.put(path, goes ? MISSING : now)
  }
  const isLeft =
    kind === 'symlink'
      ? now.kind === 'symlink' && now.target === target
      : kind === 'other'
        ? now.kind === 'other'
        : now.kind === 'file' && now.hash === after_hash
  if (now.kind !== 'missing' && !isLeft) throw new Obstruction(path, 'changed')
  draft.put(path, MISSING)
}

async function restoreRemoved(change: Change, { draft, contents }: ReversalContext) {
  const { path } = change
  const now = await draft.at(path)
  if (now.kind === 'missing') return createAt(draft, path, await contents.entryBefore(change))
  if (!isPreviousState(change, now)) throw new Obstruction(path, 'exists')
  draft.put(path, now)
}

/** Checks if it is the state before the call. */
function isPreviousState({ operation, kind, target, before_hash, before_mode }: Change, now: EntryState) {
  if (operation === 'deleted' && kind === 'directory') return now.kind === 'directory'
  if (operation === 'deleted' && kind === 'symlink') return now.kind === 'symlink' && now.target === target
  if (now.kind !== 'file' || now.hash !== before_hash) return false
  return before_mode === undefined || now.mode === parseMode(before_mode).mode
}

/** A move that replaced a file. */
const didOverwrite = ({ before_hash, before_mode, after_mode }: Change) =>
  before_hash !== undefined || (before_mode !== undefined && after_mode === undefined)

/** Takes moved entries, by destination; none if that has been reverted already. */
async function liftMoved(change: Change, scene: ReversalContext): Promise<[string, EntryState][] | undefined> {
  const { draft } = scene
  const { path, from = path, kind = 'file' } = change
  const [now, there] = [await draft.at(path), await draft.at(from)]
  const isBack = now.kind === 'missing' ? !didOverwrite(change) : didOverwrite(change) && isPreviousState(change, now)
  if (isBack && there.kind === kind) {
    draft.put(path, now)
    draft.put(from, there)
    return undefined
  }
  if (now.kind !== kind) throw new Obstruction(path, now.kind === 'missing' ? 'gone' : 'changed')
  if (now.kind === 'directory') return liftFolder(change, scene)
  const lifted = now.kind === 'file' ? await stateBeforeMove(change, now, scene) : now
  draft.put(path, MISSING)
  return [[from, lifted]]
}

/** Returns the moved file as before, if its content or permission bits changed on the way. */
function stateBeforeMove(
  change: Change,
  now: FileState,
  { contents }: ReversalContext
): Promise<FileState> | FileState {
  const { after_hash: left, from_hash: back = left } = change
  const { before_mode: _, ...rest } = change
  const own = didOverwrite(change) ? rest : change
  if (back === undefined) return now
  return contents.fileBefore(own, now, { ...(left && { left }), back: back === left ? now.hash : back })
}

const MAX_FOLDER_ENTRIES = 2_000

async function liftFolder(change: Change, { draft, canMoveWhole }: ReversalContext): Promise<[string, EntryState][]> {
  const { path, from = path } = change
  const folder = await draft.at(path)
  if (canMoveWhole(change)) {
    draft.put(path, MISSING)
    return [[from, { kind: 'directory', origin: path }]]
  }
  const moving: [string, EntryState][] = [[path, folder]]
  for (const [inner, { kind }] of moving) {
    if (kind !== 'directory') continue
    for (const { path: each, closed } of await draft.childrenOf(inner)) {
      if (closed)
        throw new ToolError('SENSITIVE_PATH', `${each} is protected: calls cannot change this path.`, { path: each })
      moving.push([each, await draft.at(each)])
      if (moving.length > MAX_FOLDER_ENTRIES) throw new Obstruction(path, 'too_large')
    }
  }
  for (const [inner] of moving) draft.put(inner, MISSING)
  return moving.map(([inner, thing]) => [from + inner.slice(path.length), thing])
}

async function putBack(change: Change, lifted: readonly [string, EntryState][], { draft, contents }: ReversalContext) {
  if (didOverwrite(change)) draft.put(change.path, await contents.entryBefore(change))
  for (const [i, [path, thing]] of lifted.entries()) {
    const { kind } = await draft.at(path)
    const isThere = i > 0 && kind === 'directory' && thing.kind === 'directory'
    if (kind !== 'missing' && !isThere) throw new Obstruction(path, 'exists')
    if (!isThere) await createAt(draft, path, thing)
  }
}

async function createAt(draft: WorkspaceOverlay, path: string, thing: EntryState) {
  const inTheWay = await draft.create(path, thing)
  if (inTheWay !== undefined) throw new Obstruction(inTheWay, 'exists')
}
