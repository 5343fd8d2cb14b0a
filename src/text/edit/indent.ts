// Carrying new text from the indentation it was written in to the one of the place it goes to.

type Indents = ReadonlyMap<string, string>

/** How each indentation of `old` looks in the file; undefined where that is not one consistent answer. */
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

/** `lines` with every indentation replaced by what it is in the file. */
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

const leadingWhitespace = (line: string) => line.slice(0, line.length - line.trimStart().length)

function mapUnknownIndent(indent: string, indents: Indents): string {
  const base = [...indents].filter(([from]) => indent.startsWith(from)).sort(deepestFirst)[0]
  if (base) return base[1] + convertIndentUnits(indent.slice(base[0].length), indents)
  // Shallower than all that is known: as far out as the shallowest known one was moved.
  const [from, to] = [...indents].sort(deepestFirst).at(-1)!
  if (to.endsWith(from)) return to.slice(0, to.length - from.length) + indent
  if (from.endsWith(to)) return indent.slice(from.length - to.length)
  return convertIndentUnits(indent, indents)
}

const deepestFirst = ([a]: [string, string], [b]: [string, string]) => b.length - a.length

/** Spaces as tabs, or tabs as spaces, where the file has the other kind and the pairs tell how many make one. */
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

/** What one level more is, on both sides. A whole indentation does not tell that where all of it stands deeper in the file. */
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
