// The encoding of a file, as callers name it.
import { invalidParam } from '../../errors.ts'
import { ENCODINGS, type Encoding } from '../../text/encoding.ts'

const NAMES: ReadonlySet<string> = new Set(ENCODINGS)

/** Returns an encoding by its name, or by another label of the WHATWG Encoding Standard. */
export function parseEncoding(label: string): Encoding {
  const name = label.trim().toLowerCase()
  const found = NAMES.has(name) ? name : SUPERSETS[toStandardName(name)]
  if (found !== undefined) return found as Encoding
  throw invalidParam('encoding', `must be one of ${ENCODINGS.join(', ')}.`)
}

/** Standard names of encodings that are served under another name, and of those under their own. */
const SUPERSETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ENCODINGS.map(name => [name, name])),
  gbk: 'gb18030',
  'iso-8859-8-i': 'iso-8859-8'
}

/** Returns the name unchanged if it is no label of the standard. */
function toStandardName(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return label
  }
}
