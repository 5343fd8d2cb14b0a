// What a file is filled with, and what is told of it.
import { createHash, hash } from 'node:crypto'
import { KeptContent } from '../undo-store/stored-blob.ts'
import { type Fill, writeAll, writeBytes } from './atomic-write.ts'
import { OpenFile } from './open-file.ts'

/** What to write: bytes, another file's content, or what is kept. */
export type Content = Uint8Array | OpenFile | KeptContent

/** How many lines a change adds and removes, where it is text. */
export interface LineChange {
  added: number
  removed: number
}

interface Filling {
  fill: Fill
  /** Prepares what will be told, while the disk is busy. */
  meanwhile(): void
  /** Known once filled. */
  told(): { size: number; hash: string }
}

/** The form in which hashes of content are told everywhere. */
export const hashOf = (bytes: Uint8Array): string => `sha256:${hash('sha256', bytes, 'hex')}`

export function fillingOf(content: Content): Filling {
  if (content instanceof OpenFile) return copyOf(content)
  if (content instanceof KeptContent)
    return {
      fill: (fd, signal) => content.copy(part => writeAll(fd, part, signal), signal),
      meanwhile: () => {},
      told: () => ({ size: content.size, hash: content.hash })
    }
  let hash = ''
  return {
    fill: (fd, signal) => writeBytes(fd, content, signal),
    meanwhile: () => {
      hash = hashOf(content)
    },
    told: () => ({ size: content.length, hash })
  }
}

function copyOf(file: OpenFile): Filling {
  const digest = createHash('sha256')
  let size = 0
  let hash = ''
  return {
    async fill(fd, signal) {
      for await (const chunk of file.chunks(signal)) {
        digest.update(chunk)
        size += chunk.length
        await writeAll(fd, chunk, signal)
      }
      hash = `sha256:${digest.digest('hex')}`
    },
    meanwhile: () => {},
    told: () => ({ size, hash })
  }
}

const NEWLINE = 10

/** How many lines bytes have; undefined where they are not text. */
export function lineCount(bytes: Uint8Array): number | undefined {
  if (bytes.subarray(0, 8000).includes(0)) return undefined
  let count = bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Counted when it is asked for, which is while the disk is busy. */
export type LineChanges = () => LineChange | undefined

export function linesAddedBy(content: Content): LineChange | undefined {
  const added = content instanceof Uint8Array ? lineCount(content) : undefined
  return added === undefined ? undefined : { added, removed: 0 }
}
