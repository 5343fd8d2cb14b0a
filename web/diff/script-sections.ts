// Splits the text of a preview: the command or code of the call itself, further facts about it, and the files that it executes.
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
}

/** A file that the command executes, or one entry of it. */
export interface ExecutedFile extends Omit<Extract<PreviewSection, { kind: 'executes' }>, 'kind' | 'lines'> {
  /** First line of the section. */
  heading: string
  script: ScriptSection
}

interface SplitText {
  /** The sections of the call itself, which together are its text. */
  call: readonly ScriptSection[]
  executed: readonly ExecutedFile[]
}

export function splitText(
  text: string,
  { sections = [], own }: { sections?: readonly PreviewSection[] | undefined; own?: OwnScript | undefined }
): SplitText {
  const [first, ...others] = sections
  if (!first) return { call: splitOwnScript(text, own), executed: [] }
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const call = splitOwnScript(lines.splice(0, first.lines).join('').replace(/\n\n$/, ''), own)
  const executed = others.map(section => {
    const [heading = '', ...content] = lines.splice(0, section.lines)
    // Indented in the text, so that no line looks like a heading.
    const script = content.join('').replace(/^ {4}/gm, '').trimEnd()
    return {
      ...(section.kind === 'executes' ? section : { path: '', format: 'text' as const }),
      heading: heading.trimEnd(),
      script: { text: script, language: languageOf(section, script) }
    }
  })
  // Lines that no section counts belong to the call, so that they are displayed.
  return { call: lines.length === 0 ? call : [...call, { text: lines.join('') }], executed }
}

function splitOwnScript(text: string, own: OwnScript | undefined): ScriptSection[] {
  const at = own === undefined ? -1 : text.startsWith(own.text) ? 0 : text.lastIndexOf(`\n${own.text}`) + 1
  if (own === undefined || (at === 0 && !text.startsWith(own.text))) return [{ text }]
  const end = at + own.text.length
  return [
    { text: text.slice(0, at) },
    { text: text.slice(at, end), language: own.language },
    { text: text.slice(end) }
  ].filter(section => section.text !== '')
}

/** An entry of a file, such as a script of `package.json`, is a command line. */
function languageOf(section: PreviewSection, content: string): Language | undefined {
  if (section.kind === 'call' || section.format === 'none') return undefined
  if (section.format === 'diff') return 'diff'
  if (section.entry !== undefined) return 'bash'
  return languageOfFile(section.path) ?? languageOfShebang(content)
}
