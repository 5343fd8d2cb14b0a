// Reads the messages of a protocol that has one message a line.
import type { Readable } from 'node:stream'

/** Maximum length of a line in characters. */
const MAX_LINE_LENGTH = 64 * 1_048_576

/** Yields lines until the input ends or the signal aborts. A line over the limit is not a valid message. */
export async function* readLines(input: Readable, signal: AbortSignal): AsyncGenerator<string> {
  const stop = () => input.destroy()
  signal.addEventListener('abort', stop)
  let parts: string[] = []
  let length = 0
  input.setEncoding('utf8')
  try {
    for await (const text of input) {
      const [first = '', ...more] = (text as string).split('\n')
      length += first.length
      parts.push(length > MAX_LINE_LENGTH ? '' : first)
      for (const next of more) {
        yield parts.join('')
        parts = [next]
        length = next.length
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
