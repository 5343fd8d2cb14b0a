// Finds the scripts in the text of a preview: the command or code of the call itself, and the files that it executes.
import type { PreviewSection } from '../../src/client/client.ts'
import { type Language, languageOfFile, languageOfShebang } from '../highlight/languages.ts'

/** A script that the call itself contains. */
export interface OwnScript {
  text: string
  language: Language
}

export interface ScriptSection {
  text: string
  /** Undefined for text that is no script. */
  language?: Language | undefined
  /** Spaces before each line that are no part of the script. */
  indent: number
}

/** Spaces before the lines of an executed file. */
const INDENT = 4

/** Splits a preview's text into scripts and other text, which together are the text. */
export function splitScripts(
  text: string,
  { sections = [], own }: { sections?: readonly PreviewSection[] | undefined; own?: OwnScript | undefined }
): readonly ScriptSection[] {
  const [first, ...executed] = sections
  if (!first) return splitOwnScript(text, own).filter(hasText)
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  let at = first.lines
  const found = splitOwnScript(lines.slice(0, at).join(''), own)
  for (const section of executed) {
    const [heading = '', ...content] = lines.slice(at, at + section.lines)
    at += section.lines
    const script = content.join('')
    found.push({ text: heading, indent: 0 }, { text: script, language: languageOf(section, script), indent: INDENT })
  }
  return found.filter(hasText)
}

const hasText = ({ text }: ScriptSection) => text !== ''

function splitOwnScript(text: string, own: OwnScript | undefined): ScriptSection[] {
  const at = own === undefined ? -1 : text.startsWith(own.text) ? 0 : text.lastIndexOf(`\n${own.text}`) + 1
  if (own === undefined || (at === 0 && !text.startsWith(own.text))) return [{ text, indent: 0 }]
  const end = at + own.text.length
  return [
    { text: text.slice(0, at), indent: 0 },
    { text: text.slice(at, end), language: own.language, indent: 0 },
    { text: text.slice(end), indent: 0 }
  ]
}

/** An entry of a file, such as a script of `package.json`, is a command line. */
function languageOf(section: PreviewSection, content: string): Language | undefined {
  if (section.kind === 'call' || section.format === 'none') return undefined
  if (section.format === 'diff') return 'diff'
  if (section.entry !== undefined) return 'bash'
  return languageOfFile(section.path) ?? languageOfShebang(content.slice(INDENT))
}
