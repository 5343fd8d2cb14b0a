// tier: quick
import t from 'tap'
import { Type } from 'typebox'
import { Catalog } from '../../src/catalog/catalog.ts'
import { LISTING_FORMATS } from '../../src/catalog/listing.ts'
import type { ToolError } from '../../src/errors.ts'
import { defineTool, type Tool } from '../../src/tool/tool.ts'

const tool = (more: Partial<Tool> = {}): Tool => ({
  ...(defineTool({
    name: 'a_tool',
    category: 'custom',
    description: 'Does something.',
    input: Type.Object({
      text: Type.String({ minLength: 2 }),
      mode: Type.Optional(Type.Enum(['one', 'two'])),
      items: Type.Optional(Type.Array(Type.Object({ n: Type.Integer() }, { additionalProperties: false })))
    }),
    output: Type.Object({ text: Type.String() }),
    timeout_ms: 1_000,
    effect: 'write',
    request: () => ({}),
    run: ({ text }) => ({ text }),
    present: ({ text }) => ({ title: text, content: text })
  }) as unknown as Tool),
  ...more
})

const faults = (catalog: Catalog, params: unknown) => {
  try {
    catalog.validate(catalog.find('a_tool', {})!, params)
    return []
  } catch (error) {
    const { code, details } = error as ToolError
    if (code !== 'INVALID_PARAMS') throw error
    return (details!.errors as { pointer: string; message: string }[]).map(
      ({ pointer, message }) => `${pointer} ${message}`
    )
  }
}

t.test('reports every params error with its pointer', async t => {
  const catalog = new Catalog([tool()], {})
  const cases: [unknown, string[]][] = [
    [{ text: 'ab' }, []],
    [{ text: 'ab', mode: 'two', items: [{ n: 1 }] }, []],
    [{}, ['/params/text is required']],
    [{ text: 'ab', more: 1 }, ['/params/more is unknown; known: text, mode, items']],
    [{ text: 'ab', 'a/b~c': 1 }, ['/params/a~1b~0c is unknown; known: text, mode, items']],
    [{ text: 1 }, ['/params/text must be string']],
    [{ text: 'a' }, ['/params/text must have at least 2 characters']],
    [{ text: 'ab', mode: 'x' }, ['/params/mode must be one of "one", "two"']],
    [
      { text: 'ab', items: [{ n: '1' }, {}, { n: 1, m: 2 }] },
      ['/params/items/0/n must be integer', '/params/items/1/n is required', '/params/items/2/m is unknown; known: n']
    ],
    [
      { mode: 3, x: 1 },
      [
        '/params/text is required',
        '/params/x is unknown; known: text, mode, items',
        '/params/mode must be one of "one", "two"'
      ]
    ],
    [null, ['/params must be an object of text, mode, items']],
    ['text', ['/params must be an object of text, mode, items']]
  ]
  for (const [params, expected] of cases)
    t.strictSame(faults(catalog, params).sort(), expected.sort(), JSON.stringify(params))
})

t.test('validation does not change the params', async t => {
  const catalog = new Catalog([tool()], {})
  const params = { text: 'ab', items: [{ n: 1 }] }
  const before = structuredClone(params)
  faults(catalog, params)
  t.strictSame(params, before)
})

t.test('tools come and go by source: the first of a name is served, each change is published once', async t => {
  const named = (name: string, description = '') => tool({ name, description })
  const builtIn = named('one')
  const catalog = new Catalog([builtIn], {})
  const told: unknown[] = []
  const stop = catalog.onChange(change => told.push(change))
  const [two, theirOne] = [named('two'), named('one', 'another')]

  t.same(catalog.setTools('theirs', [two, theirOne]), ['one'], 'what is taken is told to whoever puts it')
  t.same(catalog.setTools('here', [named('three')], { workspace: 'a' }), [])
  t.equal(catalog.find('one', {}), builtIn)
  t.equal(catalog.find('two', {}), two)
  const names = (workspace?: string) => catalog.list({ workspace }).map(({ name }) => name)
  t.same(names('a'), ['one', 'two', 'three'])
  t.same(names('b'), ['one', 'two'], 'a workspace has its own')
  t.equal(catalog.find('three', { workspace: 'b' }), undefined)
  t.same(catalog.setTools('there', [named('three')], { workspace: 'b' }), [], 'and another one may use the name')

  catalog.setTools('theirs', [two])
  catalog.setTools('theirs', [two])
  catalog.setTools('theirs', [named('two', 'anew'), named('four')])
  t.same(told, [
    { source: 'theirs', added: ['two', 'one'], removed: [], changed: [] },
    { source: 'here', workspace: 'a', added: ['three'], removed: [], changed: [] },
    { source: 'there', workspace: 'b', added: ['three'], removed: [], changed: [] },
    { source: 'theirs', added: [], removed: ['one'], changed: [] },
    { source: 'theirs', added: ['four'], removed: [], changed: ['two'] }
  ])
  stop()
  catalog.setTools('theirs', [])
  t.equal(told.length, 5)
})

t.test('a listing states the worst effect of a tool', async t => {
  const hints = (more: Partial<Tool>) => LISTING_FORMATS.mcp(tool(more)).annotations
  t.strictSame(hints({ effect: 'read', traits: { idempotent: true } }), {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false
  })
  t.match(hints({ effect: 'create' }), { readOnlyHint: false, destructiveHint: false })
  t.match(hints({ effect: 'network' }), { readOnlyHint: false, openWorldHint: true })
  t.match(hints({ effect: 'depends' }), { readOnlyHint: false, destructiveHint: true })
  t.match(LISTING_FORMATS.native(tool({ effect: 'depends', timeout_ms: () => 5 })), {
    effect: 'depends',
    timeout_ms: null
  })
})
