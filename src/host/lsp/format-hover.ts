// What a server says of a place, as one text.
import type { MarkedString, MarkupContent, Hover as ServerHover } from 'vscode-languageserver-protocol'
import type { Hover } from './language-service.ts'

const MOST_CHARACTERS = 20_000

export function hoverText(contents: ServerHover['contents']): Pick<Hover, 'text' | 'cut'> {
  const all = Array.isArray(contents) ? contents : [contents]
  const text = all
    .map(textOf)
    .filter(part => part !== '')
    .join('\n\n')
  // Each is of two units at the most.
  const characters = [...text.slice(0, 2 * MOST_CHARACTERS + 1)]
  if (characters.length <= MOST_CHARACTERS) return { text: text.toWellFormed() }
  return { text: characters.slice(0, MOST_CHARACTERS).join('').toWellFormed(), cut: true }
}

function textOf(marked: MarkedString | MarkupContent): string {
  if (typeof marked === 'string') return marked.trim()
  if ('language' in marked) return `\`\`\`${marked.language}\n${marked.value}\n\`\`\``
  return marked.value.trim()
}
