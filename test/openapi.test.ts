// Tests of openapi.yaml as a whole: types that generators can name, each written once, and a size that people and models can read.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { DOCUMENT, type Operation, ROUTES, type Schema } from './support/openapi.ts'

const MAX_BYTES = 235_000
/** Schemas of any value, as the source says: their types depend on the tool. */
const ANY_VALUE = new Set([
  'CallError/properties/details/additionalProperties',
  'Delegation/properties/params/additionalProperties',
  'ListedTool/properties/input/additionalProperties',
  'ListedTool/properties/output/additionalProperties',
  'Problem/properties/details/additionalProperties',
  'Result/properties/data',
  'ToolDelegateEvent/allOf/1/properties/params/patternProperties/^.*$'
])
const { schemas } = DOCUMENT.components

t.test('is small, and has no schema twice', async t => {
  const text = readFileSync('openapi.yaml', 'utf8')
  t.ok(Buffer.byteLength(text) <= MAX_BYTES, `${Buffer.byteLength(text)} bytes`)
  const places = new Map<string, string[]>()
  visitSchemas((schema, place) => {
    if (schema.type !== 'object' || Object.keys(schema.properties ?? {}).length < 2) return
    const json = JSON.stringify(schema)
    places.set(json, [...(places.get(json) ?? []), place])
  })
  t.strictSame(
    [...places.values()].filter(same => same.length > 1),
    []
  )
})

t.test('calls and events have a discriminator', async t => {
  for (const [name, propertyName] of [
    ['Call', 'status'],
    ['Event', 'type']
  ] as const) {
    const { oneOf = [], discriminator } = schemas[name]!
    t.equal(discriminator!.propertyName, propertyName)
    t.strictSame(
      Object.values(discriminator!.mapping),
      oneOf.map(({ $ref }: Schema) => $ref)
    )
    for (const [value, $ref] of Object.entries(discriminator!.mapping)) {
      const own = schemas[$ref.split('/').at(-1)!]!.allOf![1]!
      t.strictSame(valuesOf(own.properties![propertyName]!), [value])
      t.ok(own.required!.includes(propertyName))
    }
  }
})

t.test('parameters with a default need not be sent', async t => {
  for (const { method, path, operation } of ROUTES)
    for (const { name, required, schema } of operation.parameters ?? [])
      if ('default' in schema) t.notOk(required, `${name} of ${method} ${path}`)
})

t.test('a type is given wherever one is known', async t => {
  const untyped: string[] = []
  visitSchemas((schema, place) => {
    const { description: _, ...rest } = schema
    if (Object.keys(rest).length === 0) untyped.push(place)
  })
  t.strictSame(new Set(untyped), ANY_VALUE)
})

t.test('every operation has an example', async t => {
  for (const { operation } of ROUTES) {
    const { parameters = [], requestBody, responses, operationId } = operation
    const contents = [requestBody, ...Object.values(responses)].flatMap(each => Object.values(each?.content ?? {}))
    t.ok(
      [...parameters, ...contents].some(each => 'example' in each || 'examples' in each),
      operationId
    )
  }
})

const valuesOf = (schema: Schema): unknown[] => schema.enum ?? [schema.const]

/** Visits all schemas of the components and of the operations, with their places. */
function visitSchemas(visit: (schema: Schema, place: string) => void) {
  const walk = (schema: Schema, place: string) => {
    visit(schema, place)
    for (const key of ['items', 'additionalProperties'] as const)
      if (typeof schema[key] === 'object') walk(schema[key], `${place}/${key}`)
    for (const key of ['properties', 'patternProperties'] as const)
      for (const [name, inner] of Object.entries(schema[key] ?? {})) walk(inner, `${place}/${key}/${name}`)
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const)
      for (const [i, inner] of (schema[key] ?? []).entries()) walk(inner, `${place}/${key}/${i}`)
  }
  for (const [name, schema] of Object.entries(schemas)) walk(schema, name)
  for (const [path, operations] of Object.entries(DOCUMENT.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const { requestBody, responses, parameters = [] } = operation as Operation
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
      for (const content of contents)
        for (const { schema } of Object.values(content ?? {})) walk(schema, `${method} ${path}`)
      for (const { schema } of parameters) if (schema) walk(schema, `${method} ${path}`)
    }
}
