// Tests of listings: model APIs accept them, whoever defined the tool.
// tier: full
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { Type } from 'typebox'
import { toAlias } from '../../src/catalog/alias.ts'
import { Catalog } from '../../src/catalog/catalog.ts'
import { LISTING_FORMATS } from '../../src/catalog/listing.ts'
import { toModelSchema, withoutBounds } from '../../src/catalog/model-schema.ts'
import { LISTING_FORMAT_NAMES } from '../../src/protocol/tools.ts'
import { defineTool, type Tool } from '../../src/tool/tool.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { startApp } from '../start-app.ts'

/** Limit of the listing of all tools, which a model reads with each request. */
const MAX_LISTING_BYTES = 35_000

const tool = (more: object = {}): Tool => ({
  ...(defineTool({
    name: 'mcp:my-server:do.it',
    category: 'mcp',
    description: 'Does it.',
    input: Type.Object({}),
    output: Type.Object({}),
    timeout_ms: 1_000,
    effect: 'read',
    request: () => ({}),
    run: () => ({}),
    present: () => ({ title: '', content: '' })
  }) as unknown as Tool),
  ...more
})
const schemaIn = (input: object) => toModelSchema(JSON.parse(JSON.stringify(input)))

t.test('the dialects agree on the schema, and MCP gets only object output schemas', async t => {
  for (const each of TOOLS) {
    const { parameters } = LISTING_FORMATS.openai(each).function
    t.strictSame(parameters, LISTING_FORMATS.anthropic(each).input_schema, each.name)
    t.strictSame(parameters, LISTING_FORMATS['openai-responses'](each).parameters, each.name)
    const flat = { name: each.name, description: each.description.slice(0, 1_024), parameters }
    t.strictSame(LISTING_FORMATS['openai-functions'](each), flat)
    t.ok(new Ajv({ strict: false }).validateSchema(parameters), each.name)
  }
  t.notOk('outputSchema' in LISTING_FORMATS.mcp(tool({ output: Type.Array(Type.String()) })))
})

t.test('a tool has a name that every API accepts, and is found by it', async t => {
  const names: [string, string | RegExp][] = [
    ['read_file', 'read_file'],
    ['mcp:github:create_issue', 'mcp__github__create_issue'],
    ['mcp:github:search-code', 'mcp__github__search-code'],
    ['mcp:a:b__c', /^mcp__a__b__c_[0-9a-f]{10}$/],
    ['mcp:a__b:c', /^mcp__a__b__c_[0-9a-f]{10}$/],
    ['mcp:a:b.c/d', /^mcp__a__b_c_d_[0-9a-f]{10}$/],
    ['mcp:a:é', /^mcp__a____[0-9a-f]{10}$/],
    ['a:b', /^a__b_[0-9a-f]{10}$/],
    [`mcp:server:${'x'.repeat(80)}`, /^mcp__server__x{40}_[0-9a-f]{10}$/],
    ['x'.repeat(65), /^x{53}_[0-9a-f]{10}$/]
  ]
  const tools = names.map(([name]) => tool({ name }))
  const catalog = new Catalog(tools, {})
  for (const [name, alias] of names) {
    const found = toAlias(name)
    if (typeof alias === 'string') t.equal(found, alias)
    else t.match(found, alias)
    t.match(found, /^[a-zA-Z0-9_-]{1,64}$/)
    t.equal(catalog.find(found, {})?.name, name)
    t.equal(catalog.find(name, {})?.name, name)
  }
  t.equal(new Set(names.map(([name]) => toAlias(name))).size, names.length)
  t.equal(catalog.find('mcp__github__none', {}), undefined)
  t.strictSame(
    new Catalog([], {}).setTools('custom', [tool({ name: 'mcp__github__create_issue' }), tool({ name: 'fine' })]),
    ['mcp__github__create_issue'],
    'no tool of another source takes the place of one of a server'
  )
  t.strictSame(
    new Catalog(tools, { a: { tools: { deny: ['mcp:github:*'] } } }).find('mcp__github__create_issue', { agent: 'a' }),
    undefined,
    'what is denied is denied by any name'
  )
})

t.test('a call may use the name in a listing', async t => {
  const { app, call, get } = await startApp(t, {}, { tools: [tool({ name: 'mcp:s:ping' })] })
  t.ok(app)
  const { tools } = await get('/tools?format=openai')
  t.equal(tools.at(-1).function.name, 'mcp__s__ping')
  t.match(await call('mcp__s__ping', {}), { status: 'success', tool: 'mcp:s:ping' })
  t.match(await get('/tools/mcp__s__ping'), { name: 'mcp:s:ping' })
})

t.test('a schema has an object at the top, with all properties', async t => {
  const a = { type: 'string' }
  const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
  t.strictSame(schemaIn({}), { type: 'object', properties: {} })
  t.strictSame(schemaIn({ type: 'object' }), { type: 'object', properties: {} })
  const pattern = { type: 'string', minLength: 1, pattern: '^a', maxLength: 2 }
  const bounded = object({ pattern, list: { type: 'array', items: a, maxItems: 2 } }, ['pattern'])
  t.strictSame(
    withoutBounds(schemaIn({ ...bounded, $schema: 'x', $id: 'y', not: {}, additionalProperties: false })),
    object({ pattern: a, list: { type: 'array', items: a } }, ['pattern']),
    'bounds are left out, params of these names are not'
  )
  t.strictSame(
    LISTING_FORMATS.mcp(tool({ input: { ...bounded, additionalProperties: false } })).inputSchema,
    { ...bounded, additionalProperties: false },
    'but for MCP'
  )
  t.strictSame(
    schemaIn({ anyOf: [object({ a, b: a }, ['a', 'b']), object({ a, c: a }, ['a'])] }),
    object({ a, b: a, c: a }, ['a']),
    'of branches to choose from, what all of them require'
  )
  t.strictSame(schemaIn({ oneOf: [object({ a }, ['a']), { type: 'null' }] }), { type: 'object', properties: { a } })
  t.strictSame(schemaIn({ allOf: [object({ a }, ['a']), object({ b: a }, ['b'])] }), object({ a, b: a }, ['a', 'b']))
  const $defs = { 'A/b~c': object({ a }, ['a']), Loop: { $ref: '#/$defs/Loop' } }
  t.strictSame(schemaIn({ $ref: '#/$defs/A~1b~0c', $defs }), { $defs, ...object({ a }, ['a']) })
  for (const $ref of ['#/$defs/Loop', '#/$defs/none', 'https://example.com/x', 7])
    t.strictSame(schemaIn({ $ref, $defs }).properties, {}, String($ref))
})

t.test('nested schemas contain nothing that an API rejects', async t => {
  const long = 'x'.repeat(2_000)
  const made = schemaIn({
    type: 'object',
    description: long,
    properties: {
      list: { type: 'array', $comment: 'x' },
      maybe: { type: ['array', 'null'], description: long },
      pair: { type: 'array', prefixItems: [{ $anchor: 'x', type: 'string' }] },
      either: { anyOf: [{ type: 'array' }, { type: 'string' }] },
      // A param may have the name of a keyword.
      $id: { type: 'string' },
      description: { type: 'object', additionalProperties: { type: 'array' } }
    }
  })
  const bounded = `${'x'.repeat(1_023)}…`
  t.strictSame(made, {
    type: 'object',
    description: bounded,
    properties: {
      list: { type: 'array', items: {} },
      maybe: { type: ['array', 'null'], description: bounded, items: {} },
      pair: { type: 'array', prefixItems: [{ type: 'string' }] },
      either: { anyOf: [{ type: 'array', items: {} }, { type: 'string' }] },
      $id: { type: 'string' },
      description: { type: 'object', additionalProperties: { type: 'array', items: {} } }
    }
  })
  t.equal(LISTING_FORMATS.openai(tool({ description: long })).function.description.length, 1_024)
})

t.test('describes values under arbitrary names in a form that every API supports', async t => {
  const headers = Type.Record(Type.String(), Type.String())
  t.strictSame(schemaIn(Type.Object({ headers })).properties.headers, {
    type: 'object',
    additionalProperties: { type: 'string' }
  })
  const several = { type: 'object', patternProperties: { '^x-': { type: 'string' }, '^y-': {} } }
  t.strictSame(schemaIn(Type.Object({ several: Type.Unsafe(several) })).properties.several, {
    type: 'object',
    additionalProperties: true
  })
  for (const format of ['openai', 'openai-responses', 'openai-functions', 'anthropic'] as const)
    for (const each of TOOLS) t.notMatch(JSON.stringify(LISTING_FORMATS[format](each)), 'patternProperties', each.name)
})

t.test("any server's tools can be listed, and accepted params match the listing", async () => {
  const inner = fc.letrec<{ schema: object }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({}, { type: 'string' }, { type: 'array' }, { $ref: '#/$defs/a' }, { enum: [1] }),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', ['object', 'null']),
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'items'), tie('schema')),
          required: fc.subarray(['a', 'b']),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          $defs: fc.record({ a: tie('schema') })
        },
        { requiredKeys: [] }
      )
    )
  })).schema
  fc.assert(
    fc.property(inner, fc.string(), (input, description) => {
      const listed = LISTING_FORMATS.anthropic(tool({ input, description }))
      const schema = listed.input_schema as Record<string, unknown>
      return (
        schema.type === 'object' &&
        typeof schema.properties === 'object' &&
        !['anyOf', 'allOf', 'oneOf', 'not', 'enum', '$ref'].some(key => Object.hasOwn(schema, key))
      )
    })
  )
})

t.test('does not send an unchanged list again', async t => {
  const app = await startApp(t)
  for (const format of LISTING_FORMAT_NAMES) {
    const first = await app.request('GET', `/tools?format=${format}`)
    const tag = first.headers.get('etag')!
    t.match(tag, /^"[\w-]{43}"$/)
    const again = await app.request('GET', `/tools?format=${format}`, undefined, { 'if-none-match': `W/"x", ${tag}` })
    t.match([again.status, again.body, again.headers.get('etag')], [304, '', tag])
    const other = await app.request('GET', `/tools?format=${format}&toolset=opencode`, undefined, {
      'if-none-match': tag
    })
    t.equal(other.status, 200)
  }
})

t.test('the listing for a model is short', async t => {
  const bytes = Buffer.byteLength(JSON.stringify({ tools: TOOLS.map(LISTING_FORMATS.openai) }))
  t.ok(bytes <= MAX_LISTING_BYTES, `${bytes} bytes`)
})
