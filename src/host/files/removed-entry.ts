// What is about to leave its place: what will be told of it, with its content kept.
import { closeSync, constants, fchmodSync, mkdirSync, openSync, readlinkSync, symlinkSync, writeSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { Change } from '../host.ts'
import type { Images } from '../undo-store/blob-store.ts'
import { hashOf, lineCount } from './content-source.ts'
import { explainState } from './errno.ts'
import { HASH_LIMIT } from './file-snapshot.ts'
import type { OpenFile } from './open-file.ts'
import type { Place } from './paths.ts'

export interface Gone {
  told: Pick<Change, 'kind' | 'before_hash' | 'before_mode' | 'target'>
  /** How many lines it has, where it is text. */
  lines?: number | undefined
  /** Its content is in the images. */
  kept: boolean
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Permission bits as they are told. */
export const modeOf = (mode: number | bigint): string => (Number(mode) & 0o777).toString(8).padStart(3, '0')

/** For what will not be there any more. `open` opens it, where it is a file. */
export const keepGone = (place: Place, open: () => OpenFile, images: Images): Promise<Gone> =>
  lookAt(place, open, async file => {
    const bytes = file.size > HASH_LIMIT ? undefined : await file.bytes()
    const hash = await kept(images, bytes ?? file)
    const contents = { hash, kept: hash !== undefined }
    return bytes ? { ...contents, hash: hash ?? hashOf(bytes), lines: lineCount(bytes) } : contents
  })

/** For what only moves: a text is kept, to be merged with later. */
export const lookAtGone = (place: Place, open: () => OpenFile, images: Images): Promise<Gone> =>
  lookAt(place, open, async file => {
    if (file.size > HASH_LIMIT) return { kept: false }
    const bytes = await file.bytes()
    const hash = hashOf(bytes)
    images.offer(bytes, hash)
    return { hash, kept: false }
  })

/** Keeps a content durably; undefined where it is too large. Where that fails, what holds it must not go. */
export async function kept(images: Images, content: Uint8Array | OpenFile): Promise<string | undefined> {
  try {
    return await images.keep(content)
  } catch (error) {
    throw explainState(error, 'what is there now could not be kept for undo')
  }
}

/** Puts back what has gone from a place, as far as it is kept. */
export function bringBack(door: string, { told }: Gone, images: Images) {
  const mode = Number.parseInt(told.before_mode ?? '777', 8)
  if (told.kind === 'symlink') return symlinkSync(told.target!, door)
  if (told.kind === 'directory') return mkdirSync(door, mode)
  const content = told.before_hash === undefined ? undefined : images.read(told.before_hash)
  if (!content) throw new ToolError('INTERNAL', 'What has gone is not kept.')
  const fd = openSync(door, NEW_FILE, 0o600)
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at)
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

interface Contents {
  hash?: string | undefined
  lines?: number | undefined
  kept: boolean
}

async function lookAt({ stat, door }: Place, open: () => OpenFile, look: (file: OpenFile) => Promise<Contents>) {
  if (stat!.isSymbolicLink()) return { told: { kind: 'symlink' as const, target: readlinkSync(door) }, kept: false }
  const before_mode = modeOf(stat!.mode)
  if (stat!.isDirectory()) return { told: { kind: 'directory' as const, before_mode }, kept: false }
  const file = stat!.isFile() ? opened(open) : undefined
  if (!file) return { told: { before_mode }, kept: false }
  try {
    const { hash, ...more } = await look(file)
    return { told: { before_mode, ...(hash !== undefined && { before_hash: hash }) }, ...more }
  } finally {
    file.close()
  }
}

/** A file that we may remove though not read is told without its content. */
function opened(open: () => OpenFile): OpenFile | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof ToolError && error.code === 'PERMISSION_DENIED') return undefined
    throw error
  }
}
