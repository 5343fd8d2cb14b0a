import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import { formatLocations, LocationOutput, locationPresenter } from './lib/locations.ts'
import { LSP_TOOL, lspRequest, planLspCall, withLspProgress } from './lib/lsp-tool.ts'
import { POSITION_PARAMS, resolvePosition } from './lib/position-param.ts'
import { Responder, responderNotes } from './lib/responder.ts'

/** Maximum number of definitions; more are of no use. */
const MAX_LOCATIONS = 100

export default defineTool({
  ...LSP_TOOL,
  name: 'definition',
  description: 'Finds the definition of a symbol, with a language server.',
  input: Type.Object(POSITION_PARAMS, { additionalProperties: false }),
  output: Type.Object({
    places: Type.Array(LocationOutput, { description: 'Locations of the definition.' }),
    truncated: Type.Boolean({
      description: `True if there are more than ${MAX_LOCATIONS} locations; the rest is omitted.`
    }),
    answered: Responder
  }),
  request: ({ path }, ctx) => lspRequest([{ path, access: 'read' }], ctx),
  plan: planLspCall,
  async *run(input, ctx) {
    const at = await resolvePosition(input, ctx)
    const { places, answered } = yield* withLspProgress(ctx, languages => languages.definition(at))
    return {
      places: await Promise.all(places.slice(0, MAX_LOCATIONS).map(locationPresenter(ctx))),
      truncated: places.length > MAX_LOCATIONS,
      answered
    }
  },
  present({ places, truncated, answered }, { path, line, col, symbol }) {
    const found = places.length === 0 ? ['No definition found.'] : formatLocations(places)
    return {
      title: `${symbol ?? `${path}:${line}:${col}`}: ${places.length === 1 ? '1 definition' : `${places.length} definitions`}`,
      content: [...found, ...responderNotes([answered])].join('\n'),
      metadata: { places: places.length },
      ...(truncated && { truncated })
    }
  }
})
