// The encoding that a caller names for a file, compared with what its bytes show.
import { decodeEditable, type Encoding, type TextContent } from './encoding.ts'

/** Another reading of a file than the one in the named encoding. */
export interface OtherReading {
  /** Undefined if the bytes look like no text. */
  encoding: Encoding | undefined
  /** The bytes are valid UTF-8, or have a byte order mark: they are not in the named encoding. */
  isCertain: boolean
}

/** Returns how the bytes are read by default if that gives another text; undefined if it is the same. */
export function findOtherReading(bytes: Buffer, named: TextContent): OtherReading | undefined {
  const detected = decodeEditable(bytes)
  if (detected?.text === named.text) return undefined
  return { encoding: detected?.encoding, isCertain: detected !== undefined && !detected.guessed }
}
