// Sources of file content, and the size, hash and line counts reported for them.
import { createHash, hash } from 'node:crypto'
import { StoredBlob } from '../undo-store/stored-blob.ts'
import { OpenFile } from './open-file.ts'
import { type WriteContent, writeAll, writeBytes } from './write-content.ts'

/** Content to write: bytes, another file's content, or a stored blob. */
export type ContentSource = Uint8Array | OpenFile | StoredBlob

/** Number of lines that a change adds and removes in a text file. */
export interface LineChange {
  added: number
  removed: number
}

interface ContentWriter {
  write: WriteContent
  /** Computes what will be reported, while the disk is busy. */
  whileSyncing(): void
  /** Returns size and hash; available once the file is filled. */
  result(): { size: number; hash: string }
}

/** Formats a content hash as it is reported everywhere. */
export const hashBytes = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes, 'hex')}`

/** Returns the number of bytes of a content. */
export const sizeOfContent = (content: ContentSource): number =>
  content instanceof OpenFile
    ? Number(content.stat.size)
    : content instanceof StoredBlob
      ? content.size
      : content.length

/** Hashes content that is read in chunks. */
export async function hashChunks(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of chunks) digest.update(chunk)
  return `sha256:${digest.digest('hex')}`
}

export function contentWriter(content: ContentSource): ContentWriter {
  if (content instanceof OpenFile) return copyWriter(content)
  if (content instanceof StoredBlob)
    return {
      write: (fd, signal) => content.copy(part => writeAll(fd, part, signal), signal),
      whileSyncing: () => {},
      result: () => ({ size: content.size, hash: content.hash })
    }
  let hash = ''
  return {
    write: (fd, signal) => writeBytes(fd, content, signal),
    whileSyncing: () => {
      hash = hashBytes(content)
    },
    result: () => ({ size: content.length, hash })
  }
}

function copyWriter(file: OpenFile): ContentWriter {
  const digest = createHash('sha256')
  let size = 0
  let hash = ''
  return {
    async write(fd, signal) {
      for await (const chunk of file.chunks(signal)) {
        digest.update(chunk)
        size += chunk.length
        await writeAll(fd, chunk, signal)
      }
      hash = `sha256:${digest.digest('hex')}`
    },
    whileSyncing: () => {},
    result: () => ({ size, hash })
  }
}

const NEWLINE = 10

/** Counts the lines of a text; returns undefined for binary content. */
export function countTextLines(bytes: Uint8Array): number | undefined {
  if (bytes.subarray(0, 8000).includes(0)) return undefined
  let count = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Counts lines lazily, which happens while the disk is busy. */
export type LineChangeCounter = () => LineChange | undefined

export function countAddedLines(content: ContentSource): LineChange | undefined {
  const added = content instanceof Uint8Array ? countTextLines(content) : undefined
  return added === undefined ? undefined : { added, removed: 0 }
}
