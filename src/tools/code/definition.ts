import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import { PlaceTold, placesInWords, placeTeller } from './lib/locations.ts'
import { QUESTION, UNKEPT, whileAsking } from './lib/lsp-tool.ts'
import { AT, pointed } from './lib/position-param.ts'
import { Answered, answererNotes } from './lib/responder.ts'

/** Nothing is defined in more places that anybody would look at. */
const MOST = 100

export default defineTool({
  ...QUESTION,
  name: 'definition',
  description: 'Find where the name at a place in a file is defined, by the language server of its project.',
  input: Type.Object(AT, { additionalProperties: false }),
  output: Type.Object({
    places: Type.Array(PlaceTold, { description: 'Where it is defined.' }),
    truncated: Type.Boolean({ description: `There are more than ${MOST}.` }),
    answered: Answered
  }),
  subject: ({ path }) => ({ paths: [{ path, access: 'read' }], because: UNKEPT }),
  async *run(input, ctx) {
    const at = await pointed(input, ctx)
    const { places, answered } = yield* whileAsking(ctx, languages => languages.definition(at))
    return {
      places: await Promise.all(places.slice(0, MOST).map(placeTeller(ctx))),
      truncated: places.length > MOST,
      answered
    }
  },
  present({ places, truncated, answered }, { path, line, col, symbol }) {
    const found = places.length === 0 ? ['No definition is known.'] : placesInWords(places)
    return {
      title: `${symbol ?? `${path}:${line}:${col}`}: ${places.length === 1 ? '1 definition' : `${places.length} definitions`}`,
      content: [...found, ...answererNotes([answered])].join('\n'),
      metadata: { places: places.length },
      ...(truncated && { truncated })
    }
  }
})
