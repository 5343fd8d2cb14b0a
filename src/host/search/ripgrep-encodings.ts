// Names that ripgrep has for encodings. It decodes every file that has no byte order mark.
import { invalidParam } from '../../errors.ts'
import type { Encoding } from '../../text/encoding.ts'

/** Names other than ours; ripgrep knows the labels of the WHATWG Encoding Standard. */
const NAMES: Partial<Record<Encoding, string>> = {
  'utf-8-bom': 'utf-8',
  'utf-16le-no-bom': 'utf-16le',
  'utf-16be-no-bom': 'utf-16be'
}
const UNKNOWN: ReadonlySet<Encoding> = new Set<Encoding>(['ibm437', 'ibm850', 'ibm852'])

/** Throws INVALID_PARAMS for an encoding that ripgrep lacks. */
export function ripgrepEncoding(encoding: Encoding): string {
  if (!UNKNOWN.has(encoding)) return NAMES[encoding] ?? encoding
  throw invalidParam(
    'encoding',
    `must not be ${[...UNKNOWN].join(', ')}, which ripgrep does not support. Search files in this encoding for ASCII ` +
      'text, or read the files.'
  )
}
