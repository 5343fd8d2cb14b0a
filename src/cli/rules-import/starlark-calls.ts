// Reads the calls of a Starlark file whose arguments are literals. Anything else is returned as a statement that is not read.
import { toPosition } from './json-file.ts'
import { PolicyFileError } from './policy-entry.ts'

export type StarlarkLiteral = string | boolean | null | readonly StarlarkLiteral[]

export interface StarlarkStatement {
  /** From 1. */
  line: number
  text: string
  /** Set if the statement is a call by names with literals. Arguments that are no literals are left out, and `isLiteral` is false. */
  call?: { name: string; args: ReadonlyMap<string, StarlarkLiteral>; isLiteral: boolean }
}

interface Token {
  type: 'name' | 'string' | 'sign' | 'end'
  text: string
  offset: number
}

const TOKEN =
  /[ \t\r]+|#[^\n]*|\\\n|(?<newline>\n)|(?<name>[A-Za-z_]\w*)|(?<string>"""|'''|"|')|(?<sign>[^\s\w]|\d[\w.]*)/y

/** Throws a PolicyFileError if a string or a bracket is not closed. */
export function readStarlarkCalls(source: string): StarlarkStatement[] {
  const statements: StarlarkStatement[] = []
  for (const tokens of splitStatements(source)) {
    const first = tokens[0]!
    const isIndented = /[ \t]$/.test(source.slice(0, first.offset))
    const call = isIndented ? undefined : readCall(tokens)
    const line = Number(toPosition(source, first.offset).split(':')[0])
    statements.push({ line, text: joinTokens(tokens), ...(call && { call }) })
  }
  return statements
}

/** Joins the tokens of a statement on one line, without its comments. */
const joinTokens = (tokens: readonly Token[]) =>
  tokens
    .map(({ text, offset }, at) => {
      const before = tokens[at - 1]
      return before && before.offset + before.text.length < offset ? ` ${text}` : text
    })
    .join('')

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Splits the file into its statements: lines, unless a bracket is open. */
function splitStatements(source: string): Token[][] {
  const statements: Token[][] = []
  const open: Token[] = []
  let current: Token[] = []
  let at = 0
  while (at < source.length) {
    TOKEN.lastIndex = at
    const groups = TOKEN.exec(source)?.groups ?? {}
    const offset = at
    at = Math.max(TOKEN.lastIndex, at + 1)
    if (groups.newline !== undefined && open.length === 0) {
      if (current.length > 0) statements.push(current)
      current = []
    } else if (groups.name !== undefined) current.push({ type: 'name', text: groups.name, offset })
    else if (groups.string !== undefined) {
      const text = readString(source, offset, groups.string)
      at = offset + text.length
      current.push({ type: 'string', text, offset })
    } else if (groups.sign !== undefined) {
      const token: Token = { type: 'sign', text: groups.sign, offset }
      if (CLOSING[token.text] !== undefined) open.push(token)
      else if (/[)\]}]/.test(token.text)) {
        const opening = open.pop()
        if (!opening || CLOSING[opening.text] !== token.text)
          throw new PolicyFileError(toPosition(source, offset), `unexpected ${token.text}`)
      }
      current.push(token)
    }
  }
  const [unclosed] = open
  if (unclosed) throw new PolicyFileError(toPosition(source, unclosed.offset), `${unclosed.text} is not closed`)
  if (current.length > 0) statements.push(current)
  return statements
}

/** Returns a string with its quotes. */
function readString(source: string, start: number, quote: string): string {
  for (let at = start + quote.length; at < source.length; at++) {
    if (source[at] === '\\') at += 1
    else if (source.startsWith(quote, at)) return source.slice(start, at + quote.length)
    else if (source[at] === '\n' && quote.length === 1) break
  }
  throw new PolicyFileError(toPosition(source, start), 'the string is not closed')
}

/** Reads `name(key = literal, …)`; undefined for any other statement. */
function readCall(tokens: readonly Token[]): StarlarkStatement['call'] {
  const [name, opening] = tokens
  if (name?.type !== 'name' || opening?.text !== '(' || tokens.at(-1)?.text !== ')') return undefined
  const args = new Map<string, StarlarkLiteral>()
  let isLiteral = true
  for (const [key, equals, ...value] of splitByComma(tokens.slice(2, -1))) {
    const literal = key?.type === 'name' && equals?.text === '=' ? readLiteral(value) : undefined
    if (literal === undefined || args.has(key!.text)) isLiteral = false
    else args.set(key!.text, literal.value)
  }
  return { name: name.text, args, isLiteral }
}

/** Splits at the commas outside brackets. */
function splitByComma(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.type === 'sign' && /[([{]/.test(token.text)) depth += 1
    if (token.type === 'sign' && /[)\]}]/.test(token.text)) depth -= 1
    if (token.type === 'sign' && token.text === ',' && depth === 0) items.push([])
    else items.at(-1)!.push(token)
  }
  return items.filter(item => item.length > 0)
}

const CONSTANTS: ReadonlyMap<string, StarlarkLiteral> = new Map<string, StarlarkLiteral>([
  ['True', true],
  ['False', false],
  ['None', null]
])

function readLiteral(tokens: readonly Token[]): { value: StarlarkLiteral } | undefined {
  const [first] = tokens
  if (tokens.length === 1 && first?.type === 'string') return readText(first.text)
  if (tokens.length === 1 && first?.type === 'name' && CONSTANTS.has(first.text))
    return { value: CONSTANTS.get(first.text)! }
  if (first?.text !== '[' || first.type !== 'sign' || tokens.at(-1)?.text !== ']') return undefined
  const items = splitByComma(tokens.slice(1, -1)).map(readLiteral)
  return items.every(item => item !== undefined) ? { value: items.map(item => item.value) } : undefined
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' }

/** Returns undefined for a string with an escape that is not read. */
function readText(token: string): { value: string } | undefined {
  const quotes = /^(?:"""|''')/.test(token) ? 3 : 1
  const inner = token.slice(quotes, -quotes)
  if (/\\[^ntr\n"'\\]/.test(inner.replaceAll('\\\\', ''))) return undefined
  return { value: inner.replaceAll(/\\([\s\S])/g, (_, sign: string) => ESCAPES[sign] ?? sign) }
}
