// What a server says of a place, as one text.

type Marked = string | { language: string; value: string } | { kind: string; value: string }

/** As the protocol has it, in all its ages. */
export type HoverContents = Marked | readonly Marked[]

const MOST_CHARACTERS = 20_000

export function hoverText(contents: HoverContents): string {
  const all = Array.isArray(contents) ? contents : [contents as Marked]
  const text = all
    .map(textOf)
    .filter(part => part !== '')
    .join('\n\n')
  return text.slice(0, MOST_CHARACTERS).toWellFormed()
}

function textOf(marked: Marked): string {
  if (typeof marked === 'string') return marked.trim()
  if ('language' in marked) return `\`\`\`${marked.language}\n${marked.value}\n\`\`\``
  return marked.value.trim()
}
