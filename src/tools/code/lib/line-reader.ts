// Single lines of many files, as people see them: unsaved where an editor holds a file, and only of what is text and not
// too large.
import { ToolError } from '../../../errors.ts'
import { decode } from '../../../text/encoding.ts'
import type { Context } from '../../../tool/tool.ts'

/** Nobody wants a line of a larger file. */
const MAX_FILE_BYTES = 4 * 1024 * 1024
/** So much is read for one answer. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024

interface LineReader {
  /** A line, counted from 1, without its ending; undefined where it cannot be told. */
  line(path: string, line: number): Promise<string | undefined>
}

const LINE_END = /\r?\n/

export function lineReader({ host: { files }, signal }: Context): LineReader {
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
        // Gone meanwhile, or not to be read.
        if (error instanceof ToolError && !signal.aborted) return undefined
        throw error
      }
    }
  }
}
