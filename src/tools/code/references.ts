import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import { compareLocations, formatLocations, LocationOutput, limitParam, locationPresenter } from './lib/locations.ts'
import { LSP_TOOL, lspRequest, planLspCall, withLspProgress } from './lib/lsp-tool.ts'
import { POSITION_PARAMS, resolvePosition } from './lib/position-param.ts'
import { Responder, responderNotes, truncatedNote } from './lib/responder.ts'

const LIMIT = 100

export default defineTool({
  ...LSP_TOOL,
  name: 'references',
  description: 'Finds the uses of a symbol and its definition, with a language server.',
  input: Type.Object({ ...POSITION_PARAMS, limit: limitParam(LIMIT, 2_000) }, { additionalProperties: false }),
  output: Type.Object({
    places: Type.Array(LocationOutput, { description: 'Uses of the symbol, sorted by path and line.' }),
    total: Type.Integer({ description: 'Total number of uses.' }),
    truncated: Type.Boolean({ description: 'True if there are more uses than the limit.' }),
    answered: Responder
  }),
  request: ({ path }, ctx) => lspRequest([{ path, access: 'read' }], ctx),
  plan: planLspCall,
  async *run(input, ctx) {
    const { limit = LIMIT } = input
    const at = await resolvePosition(input, ctx)
    const { places, answered } = yield* withLspProgress(ctx, languages => languages.references(at))
    const shown = places.toSorted(compareLocations).slice(0, limit)
    return {
      places: await Promise.all(shown.map(locationPresenter(ctx))),
      total: places.length,
      truncated: places.length > limit,
      answered
    }
  },
  present({ places, total, truncated, answered }, { path, line, col, symbol }) {
    const found = places.length === 0 ? ['No uses found.'] : formatLocations(places)
    const notes = [...(truncated ? [truncatedNote(places.length, total)] : []), ...responderNotes([answered])]
    return {
      title: `${symbol ?? `${path}:${line}:${col}`}: ${total === 1 ? '1 use' : `${total} uses`}`,
      content: [...found, ...notes].join('\n'),
      metadata: { total },
      ...(truncated && { truncated })
    }
  }
})
