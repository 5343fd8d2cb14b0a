// Creates files and replaces their content, each atomically. Replaced content is stored for undo.
import { applyInEditorBuffer } from '../../editors/unsaved-buffer.ts'
import { NEW_FILE_MODE, replacedAttributes, writeFileAtomic } from '../atomic-write.ts'
import {
  type ContentSource,
  contentWriter,
  type LineChange,
  type LineChangeCounter,
  sizeOfContent
} from '../content-source.ts'
import { staleFileError } from '../errno.ts'
import { fileExistsError, notAFileError } from '../file-errors.ts'
import type { FileSnapshot } from '../file-snapshot.ts'
import { statFingerprint } from '../fingerprint.ts'
import { folderCreatedChange } from '../missing-folders.ts'
import { OpenFile } from '../open-file.ts'
import type { ResolvedEntry } from '../paths.ts'
import { archiveContent } from '../removed-entry.ts'
import type { FileChanges } from './file-changes.ts'

export interface WriteResult {
  path: string
  size: number
  hash: string
}

/** New content, and the count of the lines that it changes. */
interface NewContent {
  content: ContentSource
  lines: LineChangeCounter
}

/** Creates a file, and its missing parent folders. Never overwrites. */
export async function createFile(changes: FileChanges, path: string, what: NewContent): Promise<WriteResult> {
  return changes.runChange(path, changes.paths.walk(path), async (place, made) => {
    if (place.stat) throw fileExistsError(path)
    const reached = await changes.createMissingFolders(place, made)
    try {
      return await write(changes, reached, what, undefined, made)
    } finally {
      reached.close()
    }
  })
}

/** Replaces a file's content and preserves its permissions, if it still matches the snapshot. */
export async function replaceFile(
  changes: FileChanges,
  path: string,
  was: FileSnapshot,
  what: NewContent
): Promise<WriteResult> {
  return changes.runChange(path, changes.paths.walk(path), place => {
    if (changes.paths.find(path)?.kind === 'missing') throw fileExistsError(path)
    if (place.stat && !place.stat.isFile()) throw notAFileError(path, place.stat)
    if (was.unsaved) return applyInEditorBuffer(changes.effects, was.unsaved, what.content)
    if (!place.stat || place.path !== was.path || statFingerprint(place.stat) !== statFingerprint(was.stat))
      throw staleFileError(path)
    return write(changes, place, what, was, [])
  })
}

async function write(
  changes: FileChanges,
  place: ResolvedEntry,
  { content, lines }: NewContent,
  was: FileSnapshot | undefined,
  made: readonly string[]
): Promise<WriteResult> {
  changes.unsaved.assertNoConflict(place)
  const { workspace, effects, undoStorage } = changes
  const { blobs } = undoStorage
  effects.claimBytes?.(sizeOfContent(content))
  const filling = contentWriter(content)
  const mode = content instanceof OpenFile ? Number(content.stat.mode) & 0o777 : NEW_FILE_MODE
  let counted: LineChange | undefined
  let before: string | undefined
  const result = () => ({ path: place.path, ...filling.result() })
  await writeFileAtomic(
    place,
    filling.write,
    { from: was?.stat, forNew: mode, attributes: attributesFor(place, content, was) },
    {
      workspace,
      effects,
      undoStorage,
      concurrently: async () => {
        if (was) before = (await archiveReplaced(changes, place, was)) ?? was.hash
      },
      whileSyncing: () => {
        filling.whileSyncing()
        counted = lines()
        if (Buffer.isBuffer(content)) blobs.offer(content, result().hash)
      },
      change: () => ({
        path: place.path,
        operation: was ? 'modified' : 'created',
        ...(before !== undefined && { before_hash: before }),
        after_hash: result().hash,
        ...counted
      }),
      previousContent: () => was?.bytes ?? (before === undefined ? undefined : blobs.read(before)),
      onVisible: change => changes.report([...made.map(folderCreatedChange), change])
    }
  )
  return result()
}

/** Returns the attributes of the replaced file, or of the one that is copied. */
function attributesFor(place: ResolvedEntry, content: ContentSource, was: FileSnapshot | undefined) {
  if (was) return replacedAttributes(place.accessPath, was.stat)
  return content instanceof OpenFile ? content.attributes : undefined
}

async function archiveReplaced(
  changes: FileChanges,
  place: ResolvedEntry,
  { bytes }: FileSnapshot
): Promise<string | undefined> {
  if (bytes) return archiveContent(changes.undoStorage.blobs, bytes)
  const file = changes.openAt(place, place.path)
  return archiveContent(changes.undoStorage.blobs, file).finally(() => file.close())
}
