// Symbols as servers tell them, in our terms.
import type { Range } from 'vscode-languageserver-protocol'
import type { Sym } from './language-service.ts'
import type { Places } from './location-converter.ts'
import type { Result } from './wire/protocol.ts'

/** More are of use to nobody. */
const MOST = 10_000

type SymbolAnswer = Result<'textDocument/documentSymbol' | 'workspace/symbol'>

/** In the protocol's order, from 1. */
const KINDS = [
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter'
]

/** Each after what it is in; `uri` is of the file that was asked about, if one was. */
export async function symbolsOf(answer: SymbolAnswer, places: Places, uri = ''): Promise<Sym[]> {
  const found: Sym[] = []
  for (const each of flat(answer ?? [], uri)) {
    const place = found.length < MOST ? await places.place(each) : undefined
    if (!place) continue
    const { name, kind, container } = each
    found.push({ ...place, name, kind: KINDS[kind - 1] ?? 'symbol', ...(container && { container }) })
  }
  return found
}

interface Flat {
  name: string
  kind: number
  container: string | undefined
  uri: string
  range: Range
}

function* flat(symbols: NonNullable<SymbolAnswer>, uri: string, container?: string): Generator<Flat, void, void> {
  for (const symbol of symbols) {
    const { name, kind } = symbol
    if ('location' in symbol) {
      const { location, containerName } = symbol
      const range = 'range' in location ? location.range : undefined
      yield { name, kind, container: containerName, uri: location.uri, range: range ?? BEGINNING }
      continue
    }
    yield { name, kind, container, uri, range: symbol.selectionRange }
    yield* flat(symbol.children ?? [], uri, name)
  }
}

const BEGINNING: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
