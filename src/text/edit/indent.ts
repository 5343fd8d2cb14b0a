// Adapts the indentation of new text to its context in the file.

type Indents = ReadonlyMap<string, string>

/** Maps each indentation of `old` to that in the file; undefined if it is inconsistent. */
export function mapIndents(old: readonly string[], file: readonly string[]): Indents | undefined {
  const indents = new Map<string, string>()
  for (const [i, line] of old.entries()) {
    if (line.trim() === '') continue
    const [from, to] = [leadingWhitespace(line), leadingWhitespace(file[i]!)]
    if ((indents.get(from) ?? to) !== to) return undefined
    indents.set(from, to)
  }
  return indents
}

/** Replaces every indentation of `lines` by its equivalent in the file. */
export function reindent(lines: readonly string[], indents: Indents): string[] {
  const known = new Map(indents)
  return lines.map(line => {
    const indent = leadingWhitespace(line)
    if (indent.length === line.length) return line
    const to = known.get(indent) ?? mapUnknownIndent(indent, indents)
    known.set(indent, to)
    return to + line.slice(indent.length)
  })
}

/** Returns the white space that a line begins with. */
export const leadingWhitespace = (line: string) => line.slice(0, line.length - line.trimStart().length)

function mapUnknownIndent(indent: string, indents: Indents): string {
  const base = [...indents].filter(([from]) => indent.startsWith(from)).sort(deepestFirst)[0]
  if (base) return base[1] + convertIndentUnits(indent.slice(base[0].length), indents)
  // Shallower than all known ones: shifted like the shallowest known one.
  const [from, to] = [...indents].sort(deepestFirst).at(-1)!
  if (to.endsWith(from)) return to.slice(0, to.length - from.length) + indent
  if (from.endsWith(to)) return indent.slice(from.length - to.length)
  return convertIndentUnits(indent, indents)
}

const deepestFirst = ([a]: [string, string], [b]: [string, string]) => b.length - a.length

/** Converts between spaces and tabs if the file uses the other kind and the pairs determine the tab width. */
function convertIndentUnits(indent: string, indents: Indents): string {
  if (!isOnly(indent, indent[0])) return indent
  for (const [from, to] of [...steps(indents), ...indents]) {
    if (from === '' || to === '' || !isOnly(from, indent[0])) continue
    if (indent[0] === ' ' && isOnly(to, '\t')) {
      const width = Math.max(1, Math.round(from.length / to.length))
      return '\t'.repeat(Math.floor(indent.length / width)) + ' '.repeat(indent.length % width)
    }
    if (indent[0] === '\t' && isOnly(to, ' ')) return ' '.repeat(Math.round((indent.length * to.length) / from.length))
  }
  return indent
}

/**
 * Returns one level of indentation, on both sides. A whole indentation does not determine it if the entire text is deeper in the
 * file.
 */
function steps(indents: Indents): [string, string][] {
  const known = [...indents].sort(deepestFirst).reverse()
  return known.slice(1).flatMap(([from, to], i): [string, string][] => {
    const [above, aboveTo] = known[i]!
    if (!from.startsWith(above) || !to.startsWith(aboveTo)) return []
    return [[from.slice(above.length), to.slice(aboveTo.length)]]
  })
}

function isOnly(text: string, char: string | undefined) {
  for (const other of text) if (other !== char) return false
  return true
}
