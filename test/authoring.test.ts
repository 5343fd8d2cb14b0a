// Tests of tool authoring: types are inferred from the schemas, of TypeBox and of plain JSON Schema.
// tier: quick
import t from 'tap'
import { defineTool, Type } from '../src/authoring/tool.ts'

const counted = defineTool({
  description: 'Counts.',
  input: Type.Object({ file: Type.String(), lines: Type.Optional(Type.Boolean()) }),
  output: Type.Object({ count: Type.Integer() }),
  run: ({ file, lines }) => ({ count: file.length + (lines === true ? 1 : 0) }),
  present: ({ count }, { file }) => `${file}: ${count.toFixed()}`
})

const plain = defineTool({
  description: 'Counts.',
  input: {
    type: 'object',
    properties: { file: { type: 'string' }, lines: { type: 'boolean' } },
    required: ['file']
  },
  async run({ file, lines }, ctx) {
    ctx.progress({ progress: 0.5 })
    return file.toUpperCase() + String(lines?.valueOf())
  }
})

const told: object[] = []
const ctx = { progress: (one: object) => told.push(one) } as never

t.test('a definition is returned unchanged, with its types', async t => {
  t.same(counted.run({ file: 'abc', lines: true }, ctx), { count: 4 })
  t.equal(counted.present?.({ count: 4 }, { file: 'abc' }), 'abc: 4')
  t.equal(await plain.run({ file: 'abc' }, ctx), 'ABCundefined')
  t.same(told, [{ progress: 0.5 }])
  t.same(JSON.parse(JSON.stringify(counted.input)).required, ['file'])
  // @ts-expect-error: a param that the schema does not know
  t.same(counted.run({ fil: 'abc', file: '' }, ctx), { count: 0 })
})
