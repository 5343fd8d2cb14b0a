// Reads single lines of many files: from the unsaved buffer if an editor has one, and only from text files below a size limit.
import { ToolError } from '../../../errors.ts'
import { decode } from '../../../text/encoding.ts'
import type { ReadContext } from '../../../tool/contexts.ts'

/** Larger files are not read. */
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** Maximum number of bytes read for one answer. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024

interface LineReader {
  /** Returns a line, counted from 1, without its line ending; undefined if it is unavailable. */
  line(path: string, line: number): Promise<string | undefined>
}

const LINE_END = /\r?\n/

export function lineReader({ host: { files }, signal }: ReadContext): LineReader {
  const known = new Map<string, Promise<readonly string[]>>()
  let left = MAX_TOTAL_BYTES
  const read = async (path: string): Promise<readonly string[]> => {
    const unsaved = files.unsaved(path)
    if (unsaved) return unsaved.buffer.text.split(LINE_END)
    const file = files.open(path)
    try {
      if (file.size > Math.min(left, MAX_FILE_BYTES)) return []
      left -= file.size
      return decode(await file.bytes(signal))?.text.split(LINE_END) ?? []
    } finally {
      file.close()
    }
  }
  const linesOf = (path: string) => {
    const lines = known.get(path) ?? read(path)
    known.set(path, lines)
    return lines
  }
  return {
    async line(path, line) {
      try {
        return (await linesOf(path))[line - 1]
      } catch (error) {
        // Removed concurrently, or unreadable.
        if (error instanceof ToolError && !signal.aborted) return undefined
        throw error
      }
    }
  }
}
