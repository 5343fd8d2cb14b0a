// Parses git's configuration files as `git config` does. Syntax: https://git-scm.com/docs/git-config#_syntax

/** A setting: section and name in lower case, joined with the subsection by dots; the value without quotes and escapes. */
export type ConfigSetting = readonly [key: string, value: string]

const SECTION = /[^\S\n]*\[[^\S\n]*([\w.-]+)(?:[^\S\n]+"((?:[^"\\\n]|\\.)*)")?[^\S\n]*\]/y
const VARIABLE = /[^\S\n]*([A-Za-z][\w-]*)[^\S\n]*(=?)/y
const REST_OF_LINE = /[^\n]*\n?/y
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' }

/** Returns the settings in their order; lines that are no setting are skipped. A name without a value means true. */
export function parseConfigText(text: string): ConfigSetting[] {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const settings: ConfigSetting[] = []
  let section = ''
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < source.length) {
    const header = take(SECTION)
    if (header) {
      section = sectionKey(header[1]!, header[2])
      continue
    }
    const variable = take(VARIABLE)
    const value = variable?.[2] ? readValue(source, at) : undefined
    if (variable && section !== '') settings.push([`${section}.${variable[1]!.toLowerCase()}`, value?.text ?? 'true'])
    if (value) at = value.end
    else take(REST_OF_LINE)
  }
  return settings
}

const sectionKey = (name: string, subsection: string | undefined) =>
  subsection === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${subsection.replace(/\\(.)/gs, '$1')}`

/**
 * Reads a value up to the end of its line; a backslash at the end of a line, but not of a comment, continues it. Removes quotes,
 * escapes, comments, and unquoted blanks at both ends.
 */
function readValue(source: string, start: number): { text: string; end: number } {
  let text = ''
  /** Length up to the last character that is no unquoted blank. */
  let length = 0
  let quoted = false
  let inComment = false
  let at = start
  for (; at < source.length && source[at] !== '\n'; at++) {
    const character = source[at]!
    const isBlank = !quoted && /\s/.test(character)
    if (!quoted && /[#;]/.test(character)) inComment = true
    if (inComment || (isBlank && text === '')) continue
    if (character === '"') quoted = !quoted
    else if (character === '\\') {
      at += 1
      if (source[at] !== '\n') text += ESCAPES[source[at] ?? ''] ?? source[at] ?? ''
    } else text += character
    if (!isBlank) length = text.length
  }
  return { text: text.slice(0, length), end: at + 1 }
}
