// Converts LSP symbols to `SymbolInfo`.
import type { Range } from 'vscode-languageserver-protocol'
import type { SymbolInfo } from './language-service.ts'
import type { LocationConverter } from './location-converter.ts'
import type { MethodResult } from './wire/protocol.ts'

/** Maximum number of symbols; more are of no use. */
const MAX_SYMBOLS = 10_000

type SymbolResult = MethodResult<'textDocument/documentSymbol' | 'workspace/symbol'>

/** In the protocol's order, from 1. */
const SYMBOL_KIND_NAMES = [
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

/** Converts symbols, each after its container; `uri` is that of the requested file, if any. */
export async function convertSymbols(answer: SymbolResult, places: LocationConverter, uri = ''): Promise<SymbolInfo[]> {
  const found: SymbolInfo[] = []
  for (const each of flattenSymbols(answer ?? [], uri)) {
    const place = found.length < MAX_SYMBOLS ? await places.convert(each) : undefined
    if (!place) continue
    const { name, kind, container } = each
    found.push({ ...place, name, kind: SYMBOL_KIND_NAMES[kind - 1] ?? 'symbol', ...(container && { container }) })
  }
  return found
}

interface FlatSymbol {
  name: string
  kind: number
  container: string | undefined
  uri: string
  range: Range
}

function* flattenSymbols(
  symbols: NonNullable<SymbolResult>,
  uri: string,
  container?: string
): Generator<FlatSymbol, void, void> {
  for (const symbol of symbols) {
    const { name, kind } = symbol
    if ('location' in symbol) {
      const { location, containerName } = symbol
      const range = 'range' in location ? location.range : undefined
      yield { name, kind, container: containerName, uri: location.uri, range: range ?? START_OF_FILE }
      continue
    }
    yield { name, kind, container, uri, range: symbol.selectionRange }
    yield* flattenSymbols(symbol.children ?? [], uri, name)
  }
}

const START_OF_FILE: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
