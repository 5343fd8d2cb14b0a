// C-style quoting of file names in diffs, byte by byte.

/** Control characters, and those with a meaning in quotes. Each is one byte. */
const SPECIAL = /["\\]|[^ -~\u0080-\uffff]/g

/** Quotes a name as git does, if necessary. */
export function quoteName(name: string): string {
  if (name.search(SPECIAL) < 0) return name
  const escaped = (char: string) => ESCAPED[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `"${name.replace(SPECIAL, escaped)}"`
}

const ESCAPED: Record<string, string> = { '"': '\\"', '\\': '\\\\' }

/** Unquotes the name at the beginning of a text, with its quoted length; undefined if there is none, or it is not UTF-8. */
export function unquoteName(text: string): { name: string; length: number } | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(text)
  if (!quoted) return undefined
  const parts: Buffer[] = []
  for (const [part] of quoted[1]!.matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]+/gs)) {
    const bytes = decodeEscape(part)
    if (!bytes) return undefined
    parts.push(bytes)
  }
  const bytes = Buffer.concat(parts)
  const name = bytes.toString('utf8')
  return bytes.equals(Buffer.from(name)) ? { name, length: quoted[0].length } : undefined
}

const LETTERS: Record<string, string> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\'
}

function decodeEscape(part: string): Buffer | undefined {
  if (!part.startsWith('\\')) return Buffer.from(part)
  if (part.length === 4) return Buffer.of(Number.parseInt(part.slice(1), 8))
  const char = LETTERS[part[1]!]
  return char === undefined ? undefined : Buffer.from(char)
}
