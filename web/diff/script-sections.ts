// Finds the scripts in the text of a preview: the command or code of the call itself, and the files that it executes.
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

/** The heading of an executed file. The lines of the file are indented, so that none of them looks like a heading. */
const HEADING = /^Executes (?<name>.+?)(?<changed>, changed since it was approved)?:\n/gm
const INDENT = 4

/** Splits a preview's text into sections, which together are the text. */
export function splitScripts(text: string, own?: OwnScript): readonly ScriptSection[] {
  const headings = [...text.matchAll(HEADING)]
  const sections = splitOwnScript(text.slice(0, headings[0]?.index), own)
  for (const [index, { 0: heading, index: at, groups }] of headings.entries()) {
    const content = text.slice(at + heading.length, headings[index + 1]?.index)
    const language = groups!.changed ? 'diff' : languageOfSource(groups!.name!, content)
    sections.push({ text: heading, indent: 0 }, { text: content, language, indent: INDENT })
  }
  return sections.filter(section => section.text !== '')
}

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

/** An entry of a file, such as a script of `package.json (scripts.test)`, is a command line. */
function languageOfSource(name: string, content: string): Language | undefined {
  if (/ \([^()]+\)$/.test(name)) return 'bash'
  return languageOfFile(name.replace(/^"(.*)"$/, '$1')) ?? languageOfShebang(content.slice(INDENT))
}
