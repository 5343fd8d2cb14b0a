// Converts an LSP hover to one text.
import type { MarkedString, MarkupContent, Hover as ServerHover } from 'vscode-languageserver-protocol'
import type { Hover } from './language-service.ts'

const MAX_HOVER_CHARACTERS = 20_000

export function formatHover(contents: ServerHover['contents']): Pick<Hover, 'text' | 'truncated'> {
  const all = Array.isArray(contents) ? contents : [contents]
  const text = all
    .map(formatMarkup)
    .filter(part => part !== '')
    .join('\n\n')
  // A character has at most two UTF-16 units.
  const characters = [...text.slice(0, 2 * MAX_HOVER_CHARACTERS + 1)]
  if (characters.length <= MAX_HOVER_CHARACTERS) return { text: text.toWellFormed() }
  return { text: characters.slice(0, MAX_HOVER_CHARACTERS).join('').toWellFormed(), truncated: true }
}

function formatMarkup(marked: MarkedString | MarkupContent): string {
  if (typeof marked === 'string') return marked.trim()
  if ('language' in marked) return `\`\`\`${marked.language}\n${marked.value}\n\`\`\``
  return marked.value.trim()
}
