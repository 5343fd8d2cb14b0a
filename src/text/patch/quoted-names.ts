// File names as diffs have them: what is special is quoted as in C, byte by byte.

/** Controls, and what quoting itself gives a meaning to. Each is one byte. */
const SPECIAL = /["\\]|[^ -~\u0080-\uffff]/g

/** A name as git writes it: quoted where it must be. */
export function quoteName(name: string): string {
  if (name.search(SPECIAL) < 0) return name
  const escaped = (char: string) => ESCAPED[char] ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `"${name.replace(SPECIAL, escaped)}"`
}

const ESCAPED: Record<string, string> = { '"': '\\"', '\\': '\\\\' }

/** The quoted name that a text begins with, and how long it is there; undefined where that is none, or not UTF-8. */
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
