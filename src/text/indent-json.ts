// Indents JSON texts by their tokens, so that numbers, the order of keys and repeated keys stay as they are written. `JSON.parse` with
// `JSON.stringify` would change these, and the formatter of jsonc-parser takes half a second for a megabyte.

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Returns a valid JSON text with one value a line, indented by two blanks a level. */
export function indentJson(text: string): string {
  const lines: string[] = []
  let line = ''
  let indent = ''
  const endLine = () => {
    lines.push(line)
    line = indent
  }
  let last = ''
  for (const [token] of text.matchAll(TOKENS)) {
    const isEmpty = (token === '}' && last === '{') || (token === ']' && last === '[')
    if (last === '{' || last === '[') {
      if (!isEmpty) {
        indent += '  '
        endLine()
      }
    } else if (token === '}' || token === ']') {
      indent = indent.slice(2)
      endLine()
    }
    line += token
    if (token === ',') endLine()
    else if (token === ':') line += ' '
    last = token
  }
  return [...lines, line].join('\n')
}
