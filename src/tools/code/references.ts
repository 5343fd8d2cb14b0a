import { Type } from 'typebox'
import { defineTool } from '../../tool/tool.ts'
import { byPlace, limitOf, PlaceTold, placesInWords, placeTeller } from './lib/locations.ts'
import { QUESTION, UNKEPT, whileAsking } from './lib/lsp-tool.ts'
import { AT, pointed } from './lib/position-param.ts'
import { Answered, answererNotes, truncatedNote } from './lib/responder.ts'

const LIMIT = 100

export default defineTool({
  ...QUESTION,
  name: 'references',
  description:
    'Find where the name at a place in a file is used, its definition included, by the language server of its project.',
  input: Type.Object({ ...AT, limit: limitOf(LIMIT, 2_000) }, { additionalProperties: false }),
  output: Type.Object({
    places: Type.Array(PlaceTold, { description: 'Where it is used, by path and line.' }),
    total: Type.Integer({ description: 'How many there are.' }),
    truncated: Type.Boolean({ description: 'There are more than the limit.' }),
    answered: Answered
  }),
  subject: ({ path }) => ({ paths: [{ path, access: 'read' }], because: UNKEPT }),
  async *run(input, ctx) {
    const { limit = LIMIT } = input
    const at = await pointed(input, ctx)
    const { places, answered } = yield* whileAsking(ctx, languages => languages.references(at))
    const shown = places.toSorted(byPlace).slice(0, limit)
    return {
      places: await Promise.all(shown.map(placeTeller(ctx))),
      total: places.length,
      truncated: places.length > limit,
      answered
    }
  },
  present({ places, total, truncated, answered }, { path, line, col, symbol }) {
    const found = places.length === 0 ? ['No use is known.'] : placesInWords(places)
    const notes = [...(truncated ? [truncatedNote(places.length, total)] : []), ...answererNotes([answered])]
    return {
      title: `${symbol ?? `${path}:${line}:${col}`}: ${total === 1 ? '1 use' : `${total} uses`}`,
      content: [...found, ...notes].join('\n'),
      metadata: { total },
      ...(truncated && { truncated })
    }
  }
})
