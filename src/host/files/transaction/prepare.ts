// Prepares the operations of a planned transaction: stages new contents under hidden names, stores removed ones, and builds the
// changes to report.
import type { BigIntStats } from 'node:fs'
import type { Change } from '../../change.ts'
import type { Effects } from '../../effects.ts'
import type { UndoStorage } from '../../undo-store/undo-storage.ts'
import type { Workspace } from '../../workspace.ts'
import { type FilePermissions, NEW_FILE_MODE, replacedAttributes } from '../atomic-write.ts'
import { type ContentSource, contentWriter, countAddedLines, sizeOfContent } from '../content-source.ts'
import { staleFileError, toFileError } from '../errno.ts'
import { contentIdentity } from '../fingerprint.ts'
import { TEMP_PREFIX } from '../hidden-names.ts'
import type { OpenFile } from '../open-file.ts'
import { deviceOf, type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'
import { archiveEntry, formatMode, inspectMovedEntry, type RemovedEntry } from '../removed-entry.ts'
import { settleAll } from '../settle-all.ts'
import type { FileOperation } from './file-operations.ts'
import {
  type FolderModeChange,
  joinRelative,
  type PathResolver,
  type Placement,
  type Removal,
  type TransactionPlan
} from './plan.ts'
import type { StagedFiles } from './staged-files.ts'

export interface TransactionContext extends PathResolver {
  workspace: Workspace
  effects: Effects
  undoStorage: UndoStorage
  openAt(place: ResolvedEntry, given: string): OpenFile
}

/** An operation, the expected state of the entry it removes, and the change to report. */
export interface PreparedOperation {
  operation: FileOperation
  was?: BigIntStats
  change?: Change
}

/** New content staged under a hidden name. */
interface StagedContent {
  hidden: string
  is: string
  hash: string
  mode: string
}

/** Maximum number of contents written and stored concurrently. */
const MAX_CONCURRENT = 16

export async function prepareTransaction(
  site: TransactionContext,
  { removals, placements, folders, modeChanges }: TransactionPlan,
  hidden: StagedFiles
): Promise<PreparedOperation[]> {
  const gone = new Map<Removal | Placement, RemovedEntry>()
  const arrived = new Map<Placement, StagedContent>()
  await runConcurrently([
    ...removals.map(one => async () => void gone.set(one, await inspectOrArchive(site, one))),
    ...placements
      .filter(put => put.replaces)
      .map(put => async () => void gone.set(put, await archiveAt(site, put.path))),
    ...placements
      .filter(put => needsNewContent(site, put))
      .map(put => async () => void arrived.set(put, await stageContent(site, put, hidden)))
  ])
  const fresh = (folder: string) => hidden.nameIn(folder)
  const names = new Map(removals.map(one => [one, fresh(one.stagingFolder)]))
  const isFolder = ({ step, stat }: Removal) => step.do === 'remove' && stat.isDirectory()
  const opens = ({ mode }: FolderModeChange) => (mode & OWNER_RIGHTS) === OWNER_RIGHTS
  return [
    // What is in a folder can only be changed while that may be written.
    ...modeChanges.filter(opens).map(prepareModeChange),
    ...removals.filter(one => !isFolder(one)).map(one => prepareHide(one, names.get(one)!, gone.get(one)!)),
    ...removals
      .filter(isFolder)
      .sort(deepestFirst)
      .map(one => prepareRemoveFolder(one, gone.get(one)!)),
    ...folders.map(([path, mode]) => prepareMakeFolder(path, mode)),
    ...placements.map(put =>
      put.step.do === 'link'
        ? prepareLink(put.path, put.step.target)
        : preparePlacement(put, arrived.get(put), put.from && names.get(put.from), gone.get(put.from ?? put), fresh)
    ),
    ...modeChanges
      .filter(one => !opens(one))
      .reverse()
      .map(prepareModeChange)
  ]
}

const OWNER_RIGHTS = 0o700

const formatFolderMode = (mode: number) => mode.toString(8).padStart(3, '0')

function prepareModeChange({ path, stat, mode }: FolderModeChange): PreparedOperation {
  const from = Number(stat.mode) & 0o7777
  return {
    operation: { do: 'chmod', path, from, mode },
    was: stat,
    change: {
      path,
      operation: 'modified',
      kind: 'directory',
      before_mode: formatFolderMode(from),
      after_mode: formatFolderMode(mode)
    }
  }
}

const deepestFirst = (a: Removal, b: Removal) => (a.path < b.path ? 1 : -1)

function prepareHide(
  { step, path, stat }: Removal,
  hidden: string,
  { changeFields, lines, isStored }: RemovedEntry
): PreparedOperation {
  const operation: FileOperation = { do: 'hide', path, hidden, kept: isStored }
  if (step.do === 'move') return { operation, was: stat }
  return {
    operation,
    was: stat,
    change: { path, operation: 'deleted', ...changeFields, ...(lines !== undefined && { added: 0, removed: lines }) }
  }
}

function prepareRemoveFolder({ path, stat }: Removal, { changeFields }: RemovedEntry): PreparedOperation {
  return {
    operation: { do: 'unmake', path, mode: Number(stat.mode) },
    change: { path, operation: 'deleted', ...changeFields }
  }
}

function prepareMakeFolder(path: string, mode: number | undefined): PreparedOperation {
  const operation: FileOperation = { do: 'make', path, ...(mode !== undefined && { mode }) }
  return { operation, change: { path, operation: 'created', kind: 'directory' } }
}

const prepareLink = (path: string, target: string): PreparedOperation => ({
  operation: { do: 'link', path, target },
  change: { path, operation: 'created', kind: 'symlink', target }
})

/** Prepares a file, or a moved folder, that appears at its path. `gone` describes its source, or the file that it replaces. */
function preparePlacement(
  put: Placement,
  arrived: StagedContent | undefined,
  source: string | undefined,
  gone: RemovedEntry | undefined,
  fresh: (folder: string) => string
): PreparedOperation {
  const { path, replaces, from } = put
  const before = gone?.changeFields.before_hash
  const modes =
    arrived && gone && arrived.mode !== gone.changeFields.before_mode
      ? { before_mode: gone.changeFields.before_mode!, after_mode: arrived.mode }
      : {}
  const after = arrived ? { after_hash: arrived.hash } : before !== undefined ? { after_hash: before } : {}
  const lines = put.step.do === 'link' ? undefined : lineChangesOf(put.step)
  const { hidden, is } = arrived ?? { hidden: source!, is: contentIdentity(from!.stat) }
  if (from) {
    const kind = from.stat.isDirectory() ? { kind: 'directory' as const } : {}
    const was = arrived && before !== undefined && before !== arrived.hash ? { from_hash: before } : {}
    const change: Change = { path, operation: 'moved', ...kind, from: from.path, ...after, ...was, ...modes, ...lines }
    return { operation: { do: 'show', path, hidden, is }, change }
  }
  if (!replaces)
    return { operation: { do: 'show', path, hidden, is }, change: { path, operation: 'created', ...after, ...lines } }
  const change: Change = {
    path,
    operation: 'modified',
    ...(before && { before_hash: before }),
    ...after,
    ...modes,
    ...lines
  }
  return {
    operation: { do: 'replace', path, hidden, is, second: fresh(put.stagingFolder), kept: gone!.isStored },
    was: replaces,
    change
  }
}

const lineChangesOf = (step: Exclude<Placement['step'], { do: 'link' }>) =>
  step.lines ? step.lines() : step.do === 'write' && !step.was ? countAddedLines(step.content) : undefined

/** Inspects an entry that leaves; stores its content if it will exist nowhere else. */
function inspectOrArchive(site: TransactionContext, taken: Removal): Promise<RemovedEntry> {
  const { step, path } = taken
  return step.do === 'move' && !step.content
    ? withExisting(site, path, place =>
        inspectMovedEntry(place, () => site.openAt(place, path), site.undoStorage.blobs)
      )
    : archiveAt(site, path)
}

const archiveAt = (site: TransactionContext, path: string) =>
  withExisting(site, path, place => archiveEntry(place, () => site.openAt(place, path), site.undoStorage.blobs))

/** Checks if new content has to be written; a file that only moves retains its own. */
function needsNewContent(site: TransactionContext, { step, from, stagingFolder }: Placement): boolean {
  if (step.do === 'link' || from?.stat.isDirectory()) return false
  if (step.do === 'write' || step.content) return true
  const sameMode = step.mode === undefined || (step.mode & 0o777) === (Number(from!.stat.mode) & 0o777)
  return !sameMode || deviceOfFolder(site, stagingFolder) !== deviceOfFolder(site, from!.stagingFolder)
}

/** Returns the device on which entries of a folder are created. */
function deviceOfFolder(site: TransactionContext, folder: string): bigint {
  const place = resolveWorkspaceEntry(site.workspace, joinRelative(folder, TEMP_PREFIX))
  try {
    return deviceOf(place)
  } finally {
    place.close()
  }
}

async function stageContent(
  site: TransactionContext,
  { step, path, from, replaces, stagingFolder }: Placement,
  hidden: StagedFiles
): Promise<StagedContent> {
  const exactly = step.do === 'link' ? undefined : step.mode
  const bits: FilePermissions = { from: replaces ?? from?.stat, forNew: NEW_FILE_MODE, exactly }
  const given = step.do === 'link' ? undefined : step.content
  const stored = step.do === 'write' ? step.attributes : undefined
  const before = replaces ? path : from?.path
  if (given && before === undefined) return written(given, stored && { stored })
  return withExisting(site, before!, async place => {
    const attributes = replacedAttributes(place.accessPath, place.stat!)
    if (given) return written(given, attributes)
    const file = site.openAt(place, from!.path)
    return written(file, attributes).finally(() => file.close())
  })

  async function written(content: ContentSource, attributes: FilePermissions['attributes']): Promise<StagedContent> {
    site.effects.claimBytes?.(sizeOfContent(content))
    const filling = contentWriter(content)
    const { mode, ...there } = await hidden
      .write(stagingFolder, filling.write, { ...bits, attributes })
      .catch(error => {
        throw toFileError(error, path)
      })
    filling.whileSyncing()
    const { hash } = filling.result()
    if (content instanceof Uint8Array)
      site.undoStorage.blobs.offer(Buffer.from(content.buffer, content.byteOffset, content.length), hash)
    return { ...there, hash, mode: formatMode(mode) }
  }
}

async function withExisting<T>(
  site: TransactionContext,
  path: string,
  work: (place: ResolvedEntry) => Promise<T>
): Promise<T> {
  const place = site.walkToEntry(path)
  try {
    if (!place.stat) throw staleFileError(path)
    return await work(place)
  } finally {
    place.close()
  }
}

/** Runs all tasks with bounded concurrency. Rejects only after every started task has settled. */
async function runConcurrently(tasks: (() => Promise<void>)[]) {
  const waiting = tasks.values()
  const worker = async () => {
    for (const task of waiting) await task()
  }
  await settleAll(...Array.from({ length: MAX_CONCURRENT }, worker))
}
