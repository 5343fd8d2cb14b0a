import { Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import type { SymbolInfo } from '../../host/lsp/language-service.ts'
import { truncateLines } from '../../text/truncate-lines.ts'
import type { RunContext } from '../../tool/contexts.ts'
import { defineTool } from '../../tool/tool.ts'
import { LOCATION_FIELDS, limitParam, locationPresenter } from './lib/locations.ts'
import { LSP_TOOL, lspRequest, planLspCall, withLspProgress } from './lib/lsp-tool.ts'
import { resolveFile } from './lib/position-param.ts'
import { Responder, responderNotes, truncatedNote } from './lib/responder.ts'

const LIMIT = 200

const Input = Type.Object(
  {
    path: Type.Optional(
      Type.String({ minLength: 1, description: 'File whose symbols are listed, instead of `query`.' })
    ),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name to find, with the running language servers or that of the main language.'
      })
    ),
    limit: limitParam(LIMIT, 5_000)
  },
  { additionalProperties: false }
)

const { text: _, withheld: __, ...WHERE } = LOCATION_FIELDS

export default defineTool({
  ...LSP_TOOL,
  name: 'symbols',
  description: 'Lists the symbols of a file, or finds symbols of the project by name, with language servers.',
  input: Input,
  output: Type.Object({
    symbols: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Symbol name.' }),
        kind: Type.String({ description: 'Kind of symbol, such as function or class.' }),
        container: Type.Optional(Type.String({ description: 'Name of the containing symbol.' })),
        ...WHERE
      }),
      { description: 'Symbols: of a file in the order of the file, of a query the best match first.' }
    ),
    total: Type.Integer({ description: 'Total number of symbols.' }),
    truncated: Type.Boolean({ description: 'True if there are more symbols than the limit.' }),
    withheld: Type.Optional(
      Type.Integer({ description: 'Number of symbols omitted because reading their file requires approval.' })
    ),
    answered: Type.Array(Responder, { description: 'All language servers that were queried.' })
  }),
  request({ path, query }, ctx) {
    if ((path === undefined) === (query === undefined))
      throw invalidParam('path', 'or `query` is required, but not both.')
    const use =
      path === undefined ? { path: '.', access: 'list' as const, tree: true } : { path, access: 'read' as const }
    return lspRequest([use], ctx)
  },
  async plan({ path }, ctx) {
    if (path === undefined) await ctx.host.languages.assertFindsSymbols()
    return planLspCall({ path }, ctx)
  },
  async *run({ path, query = '', limit = LIMIT }, ctx) {
    const file = path === undefined ? undefined : resolveFile(path, ctx)
    const { symbols, answered } = yield* withLspProgress(ctx, async languages => {
      if (file === undefined) return languages.workspaceSymbols(query)
      const { symbols, answered } = await languages.documentSymbols(file)
      return { symbols, answered: [answered] }
    })
    const presented = await Promise.all(symbols.slice(0, limit).map(symbolPresenter(ctx)))
    const shown = presented.filter(symbol => symbol !== undefined)
    const withheld = presented.length - shown.length
    return {
      symbols: shown,
      total: symbols.length,
      truncated: symbols.length > limit,
      ...(withheld > 0 && { withheld }),
      answered
    }
  },
  present({ symbols, total, truncated, withheld, answered }, { path, query }) {
    const lines = symbols.map(({ name, kind, container, path: file, line, column }) => {
      const place = path === undefined ? `${file}:${line}:${column}` : `${line}:${column}`
      return `${place} ${kind} ${container === undefined ? '' : `${container} › `}${name}`
    })
    const notes = [
      ...(truncated ? [truncatedNote(symbols.length, total)] : []),
      ...(withheld ? [`(Symbols omitted because reading their files requires approval: ${withheld}.)`] : []),
      ...responderNotes(answered)
    ]
    return {
      title: `${path ?? query}: ${total === 1 ? '1 symbol' : `${total} symbols`}`,
      content: [...(lines.length === 0 ? ['No symbols found.'] : truncateLines(lines)), ...notes].join('\n'),
      metadata: { total },
      ...(truncated && { truncated })
    }
  }
})

/** A symbol's name reveals part of its file's content. */
function symbolPresenter(ctx: RunContext) {
  const teller = locationPresenter(ctx)
  return async ({ name, kind, container, ...place }: SymbolInfo) => {
    const { withheld, text: _, ...where } = await teller(place)
    return withheld ? undefined : { name, kind, ...(container !== undefined && { container }), ...where }
  }
}
