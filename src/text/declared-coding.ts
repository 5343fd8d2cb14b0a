// Declarations by which a program reads its source in another encoding than UTF-8, as Python (PEP 263), Ruby and Emacs know them.

const DECLARATION = /coding[:=][ \t]*([-\w.]+)/g
/** Encodings in which the bytes of ASCII characters are these characters, and no others. */
const TRANSPARENT =
  /^(?:(?:utf-?8|us-ascii|ascii|latin-?1|iso-?8859-1|iso-8859-15|iso-latin-1|cp1252|windows-1252)(?:-(?:unix|dos|mac|sig))?)$/

/** Returns the encoding that one of the first two lines declares, unless it shows all ASCII characters as they are. */
export function findDeclaredCoding(text: string): string | undefined {
  for (const line of text.split(/\r\n|[\n\r]/, 2)) {
    const names = [...line.matchAll(DECLARATION)].map(([, name]) => name!)
    const other = names.find(name => !TRANSPARENT.test(name.toLowerCase().replaceAll('_', '-')))
    if (other !== undefined) return other
  }
  return undefined
}
