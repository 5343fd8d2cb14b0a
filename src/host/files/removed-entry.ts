// Records entries before they are removed or moved: the change to report, with the content stored.

import { closeSync, constants, fchmodSync, writeSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { BlobStore } from '../undo-store/blob-store.ts'
import { mkdirSync, openSync, symlinkSync } from './byte-path-fs.ts'
import { countTextLines, hashBytes } from './content-source.ts'
import { toStateFolderError } from './errno.ts'
import { MAX_HASHED_FILE_BYTES } from './file-snapshot.ts'
import type { OpenFile } from './open-file.ts'
import type { ResolvedEntry } from './paths.ts'
import { readLink } from './read-link.ts'
import { settleAll } from './settle-all.ts'

export interface RemovedEntry {
  changeFields: Pick<Change, 'kind' | 'before_hash' | 'before_mode' | 'before_attributes' | 'target'>
  /** Number of lines of a text file. */
  lines?: number | undefined
  /** The content is in the blob store. */
  isStored: boolean
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Formats permission bits as they are reported. */
export const formatMode = (mode: number | bigint): string => (Number(mode) & 0o777).toString(8).padStart(3, '0')

/** Records an entry that is about to be removed. `open` opens it if it is a file. */
export const archiveEntry = (place: ResolvedEntry, open: () => OpenFile, images: BlobStore): Promise<RemovedEntry> =>
  inspectEntry(place, open, async file => {
    const bytes = file.size > MAX_HASHED_FILE_BYTES ? undefined : await file.bytes()
    const [hash, attributes] = await settleAll(archiveContent(images, bytes ?? file), archiveAttributes(images, file))
    const contents = { hash, attributes, isStored: hash !== undefined }
    return bytes ? { ...contents, hash: hash ?? hashBytes(bytes), lines: countTextLines(bytes) } : contents
  })

/** Records an entry that only moves: a text is stored for later merges. */
export const inspectMovedEntry = (
  place: ResolvedEntry,
  open: () => OpenFile,
  images: BlobStore
): Promise<RemovedEntry> =>
  inspectEntry(place, open, async file => {
    if (file.size > MAX_HASHED_FILE_BYTES) return { isStored: false }
    const bytes = await file.bytes()
    const hash = hashBytes(bytes)
    images.offer(bytes, hash)
    return { hash, isStored: false }
  })

/** Stores content durably; returns undefined if it is too large. If this fails, the file must not be removed. */
export async function archiveContent(images: BlobStore, content: Uint8Array | OpenFile): Promise<string | undefined> {
  try {
    return await images.put(content)
  } catch (error) {
    throw toStateFolderError(error, 'the content could not be stored for undo')
  }
}

async function archiveAttributes(images: BlobStore, file: OpenFile): Promise<string | undefined> {
  const attributes = await file.readAttributes()
  return attributes && archiveContent(images, attributes)
}

/** Restores a removed entry, as far as it is stored. */
export function restoreEntry(door: string, { changeFields }: RemovedEntry, images: BlobStore) {
  const mode = Number.parseInt(changeFields.before_mode ?? '777', 8)
  if (changeFields.kind === 'symlink') return symlinkSync(changeFields.target!, door)
  if (changeFields.kind === 'directory') return mkdirSync(door, mode)
  const content = changeFields.before_hash === undefined ? undefined : images.read(changeFields.before_hash)
  if (!content) throw new ToolError('INTERNAL', 'The removed content is no longer stored.')
  const fd = openSync(door, NEW_FILE, 0o600)
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at)
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

interface ContentInfo {
  hash?: string | undefined
  /** Hash of its extended attributes. */
  attributes?: string | undefined
  lines?: number | undefined
  isStored: boolean
}

async function inspectEntry(
  place: ResolvedEntry,
  open: () => OpenFile,
  look: (file: OpenFile) => Promise<ContentInfo>
) {
  const { stat } = place
  if (stat!.isSymbolicLink())
    return { changeFields: { kind: 'symlink' as const, target: readLink(place) }, isStored: false }
  const before_mode = formatMode(stat!.mode)
  if (stat!.isDirectory()) return { changeFields: { kind: 'directory' as const, before_mode }, isStored: false }
  const file = stat!.isFile() ? openIfPermitted(open) : undefined
  if (!file) return { changeFields: { before_mode }, isStored: false }
  try {
    const { hash, attributes, ...more } = await look(file)
    const hashes = {
      ...(hash !== undefined && { before_hash: hash }),
      ...(attributes !== undefined && { before_attributes: attributes })
    }
    return { changeFields: { before_mode, ...hashes }, ...more }
  } finally {
    file.close()
  }
}

/** A file that may be removed though not read is reported without its content. */
function openIfPermitted(open: () => OpenFile): OpenFile | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof ToolError && error.code === 'PERMISSION_DENIED') return undefined
    throw error
  }
}
