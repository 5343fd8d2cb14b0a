// Value of a word of a command line in bash, if that only takes removing quotes.

/** Characters without a special meaning to bash anywhere in a word. */
const BARE = /[\p{L}\p{N}_./:@%+,=^~#!\]-]/u
/** Characters before which a dollar sign is literal within double quotes. */
const LITERAL_AFTER_DOLLAR = new Set([undefined, ' ', '|', ')', '/', '\\', '.', ','])
/** Characters that a backslash escapes within double quotes. */
const ESCAPED_IN_QUOTES = new Set(['$', '`', '"', '\\'])
/** Literal braces: a reflog entry such as `HEAD@{1}`, and empty ones. */
const LITERAL_BRACES = /@\{[A-Za-z0-9_.:/-]*\}/g
/** Positions at which a tilde expands to a home folder. */
const HOME = /(?:^|[=:])~/

/** Returns the value that a program receives for the word; undefined if the shell would do more than remove quotes. */
export function wordValue(raw: string): string | undefined {
  if (raw === '[' || raw === ']' || raw === '{}' || raw === '!') return raw
  if (raw === '' || raw.startsWith('#')) return undefined
  const document = quotedDocument(raw)
  if (document !== undefined) return document
  let value = ''
  let bare = ''
  for (let at = 0; at < raw.length; at++) {
    const char = raw[at]!
    if (char === "'") {
      const end = raw.indexOf("'", at + 1)
      if (end < 0) return undefined
      value += raw.slice(at + 1, end)
      bare += 'q'
      at = end
    } else if (char === '"') {
      const quoted = inDoubleQuotes(raw, at + 1)
      if (!quoted) return undefined
      value += quoted.value
      bare += 'q'
      at = quoted.end
    } else if (char === '\\') {
      const next = raw[++at]
      if (next === undefined || next === '\n') return undefined
      value += next
      bare += 'q'
    } else {
      value += char
      bare += char
    }
  }
  const left = bare.replace(LITERAL_BRACES, '@')
  if (HOME.test(left)) return undefined
  for (const char of left) if (!BARE.test(char)) return undefined
  return value
}

/** The usual way to write a text of several lines as one word. */
const DOCUMENT_START = /^"\$\(cat <<(-?)[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|\\([\w.-]+))[ \t]*\n/
const DOCUMENT_END = /^[ \t\n]*\)"$/

/**
 * Returns the value of `"$(cat <<'EOF' … EOF)"`, with nothing else in it; undefined for any other word. The shell expands nothing in such a
 * here-document.
 */
export function quotedDocument(raw: string): string | undefined {
  const start = DOCUMENT_START.exec(raw)
  if (!start) return undefined
  const delimiter = start[2] ?? start[3] ?? start[4]!
  const lines = raw.slice(start[0].length).split('\n')
  const content = start[1] === '' ? lines : lines.map(line => line.replace(/^\t+/, ''))
  const end = content.indexOf(delimiter)
  // Bash also ends it, with a warning, at a line that begins with the word and has a parenthesis.
  if (content.slice(0, Math.max(0, end)).some(line => line.startsWith(delimiter))) return undefined
  if (end < 0 || !DOCUMENT_END.test(lines.slice(end + 1).join('\n'))) return undefined
  return content.slice(0, end).join('\n').replace(/\n+$/, '')
}

/** Several values of one flag, by a pattern or a list: whatever files exist, each word begins with that flag. */
const FLAG_WITH_PATTERN = /^-(?:-[a-z][a-z-]{1,30}=|[a-z])[\w.*?=-]{0,200}(?:\{[\w.*?,-]{1,200}\}[\w.*?-]{0,200})?$/

/** Returns true if it can only expand to a number in place of `$?`, or to more words that begin with the same flag. */
export const isSafeExpansion = (raw: string) => FLAG_WITH_PATTERN.test(raw) || holdsExitStatus(raw)

const holdsExitStatus = (raw: string) =>
  raw.includes('$?') && !/['\\]/.test(raw) && wordValue(raw.replaceAll('$?', '0')) !== undefined

function inDoubleQuotes(raw: string, from: number): { value: string; end: number } | undefined {
  let value = ''
  for (let at = from; at < raw.length; at++) {
    const char = raw[at]!
    if (char === '"') return { value, end: at }
    if (char === '`') return undefined
    if (char === '$') {
      const next = raw[at + 1]
      if (next !== '"' && !LITERAL_AFTER_DOLLAR.has(next)) return undefined
      value += char
    } else if (char === '\\' && raw[at + 1] === '\n') {
      return undefined
    } else if (char === '\\' && ESCAPED_IN_QUOTES.has(raw[at + 1]!)) {
      value += raw[++at]!
    } else {
      value += char
    }
  }
  return undefined
}
