// What a file is filled with, and what is told of it.
import { createHash, hash } from 'node:crypto'
import { StoredBlob } from '../undo-store/stored-blob.ts'
import { OpenFile } from './open-file.ts'
import { type WriteContent, writeAll, writeBytes } from './write-content.ts'

/** What to write: bytes, another file's content, or what is kept. */
export type ContentSource = Uint8Array | OpenFile | StoredBlob

/** How many lines a change adds and removes, where it is text. */
export interface LineChange {
  added: number
  removed: number
}

interface ContentWriter {
  write: WriteContent
  /** Prepares what will be told, while the disk is busy. */
  whileSyncing(): void
  /** Known once filled. */
  result(): { size: number; hash: string }
}

/** The form in which hashes of content are told everywhere. */
export const hashBytes = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes, 'hex')}`

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

/** How many lines bytes have; undefined where they are not text. */
export function countTextLines(bytes: Uint8Array): number | undefined {
  if (bytes.subarray(0, 8000).includes(0)) return undefined
  let count = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Counted when it is asked for, which is while the disk is busy. */
export type LineChangeCounter = () => LineChange | undefined

export function countAddedLines(content: ContentSource): LineChange | undefined {
  const added = content instanceof Uint8Array ? countTextLines(content) : undefined
  return added === undefined ? undefined : { added, removed: 0 }
}
