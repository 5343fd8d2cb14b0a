// Tests of forms from schemas: the field of each param, and the resulting value.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { Form } from '../../web/form/form.ts'
import { toPointer, valueAt, withRenamedKey, withValueAt } from '../../web/form/json-path.ts'
import { canShow, initialValue, type Schema, toField, variantLabel } from '../../web/form/schema.ts'
import { runs } from '../support/property.ts'

const kindOf = (schema: Schema, root: Schema = schema) => toField(schema, root).kind

t.test('each schema has its field, and others are JSON', async t => {
  const $defs = { name: { type: 'string', pattern: '^a' }, self: { $ref: '#/$defs/self' } }
  const root = { $defs }
  t.same(toField({ type: 'string' }, true), { kind: 'text', long: true })
  t.same(toField({ type: 'string', maxLength: 64 }, true), { kind: 'text', long: false })
  t.same(toField({ $ref: '#/$defs/name' }, root), { kind: 'text', long: false })
  t.same(toField({ type: 'integer', minimum: 1, maximum: 9 }, true), {
    kind: 'number',
    whole: true,
    minimum: 1,
    maximum: 9
  })
  t.same(toField({ type: 'number' }, true), { kind: 'number', whole: false })
  t.equal(kindOf({ type: 'boolean' }), 'flag')
  t.same(toField({ enum: ['a', 1] }, true), { kind: 'choice', options: ['a', 1] })
  t.same(toField({ const: null }, true), { kind: 'choice', options: [null] })
  t.same(toField({ type: 'array', items: { type: 'string' } }, true), { kind: 'list', item: { type: 'string' } })
  t.same(toField({ type: 'object', patternProperties: { '^.*$': { type: 'string' } } }, true), {
    kind: 'map',
    item: { type: 'string' }
  })
  t.same(toField({ type: 'object', required: ['b'], properties: { a: true, b: {} } }, true), {
    kind: 'table',
    properties: [
      { name: 'a', schema: true, required: false },
      { name: 'b', schema: {}, required: true }
    ]
  })
  t.same(toField({ type: ['string', 'null'] }, true), {
    kind: 'variant',
    options: [{ type: 'string' }, { type: 'null' }]
  })
  t.equal(kindOf({ anyOf: [{ type: 'string' }, { type: 'array' }] }), 'variant')
  for (const schema of [true, {}, { allOf: [] }, { type: 'null' }, { $ref: 'https://a.example/s' }])
    t.equal(kindOf(schema), 'json', JSON.stringify(schema))
  t.equal(kindOf({ $ref: '#/$defs/self' }, root), 'json', 'a reference to itself ends')
})

t.test('labels a variant by its words', async t => {
  const names = [
    { type: 'string' },
    { type: 'null' },
    { const: 'x' },
    { title: 'A range', type: 'object' },
    { type: 'array' }
  ]
  t.same(
    names.map(schema => variantLabel(schema, true)),
    ['text', 'null', '"x"', 'A range', 'list']
  )
})

t.test('a value that its field cannot show is edited as JSON', async t => {
  const text = toField({ type: 'string' }, true)
  t.same(
    ['a\nb', 'a\r\nb\r\n', 'a\r\nb\nc', 'a\rb', 1].map(value => canShow(text, value, true)),
    [true, true, false, false, false]
  )
  const either = toField({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, true)
  t.same(
    ['a', ['a'], 1].map(value => canShow(either, value, true)),
    [true, true, false]
  )
})

t.test('a form begins without values that were not given', async t => {
  const schema = {
    type: 'object',
    required: ['path', 'edits', 'line'],
    properties: { path: { type: 'string' }, line: { type: 'integer' }, edits: { type: 'array' }, note: {} }
  }
  t.same(initialValue(schema, schema), { edits: [] })
})

const GREP = {
  type: 'object',
  required: ['pattern'],
  properties: {
    pattern: { type: 'string' },
    limit: { type: 'integer' },
    include: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    env: { type: 'object', patternProperties: { '^.*$': { type: 'string' } } }
  }
}

t.test('a draft is no value, and says why', async t => {
  const form = new Form(GREP)
  form.set(['pattern'], 'x')
  form.set(['limit'], 5)
  form.setDraft(['limit'], '5x', 'must be a whole number')
  t.same(
    [form.hasDrafts, form.draftAt(['limit']), form.errorsAt(['limit']), form.value.value],
    [true, '5x', ['must be a whole number'], { pattern: 'x', limit: 5 }]
  )
  form.set(['limit'], undefined)
  t.same([form.hasDrafts, form.errors.value, form.value.value], [false, [], { pattern: 'x' }])
})

t.test('drafts in a list are dropped when earlier items are removed', async t => {
  const form = new Form(GREP, { include: [{ n: 1 }, { n: 2 }] })
  form.setDraft(['include', 1, 'n'], '2x', 'must be a whole number')
  form.set(['include', 0], undefined)
  t.same([form.value.value, form.hasDrafts], [{ include: [{ n: 2 }] }, false])
})

t.test('server errors stay at their fields until these change, others at the top', async t => {
  const form = new Form(GREP, { env: { 'a/b': 'x' }, patern: 1 })
  form.setErrors(
    [
      { pointer: '/params/pattern', message: 'is required' },
      { pointer: '/params/env/a~1b', message: 'is wrong' },
      { pointer: '/params/patern', message: 'is unknown' },
      { pointer: '/params/include/3/n', message: 'is not there' },
      { pointer: '/session_id', message: 'is too long' }
    ],
    '/params'
  )
  t.same(form.errorsAt(['pattern']), ['is required'])
  t.same(form.errorsAt(['env', 'a/b']), ['is wrong'])
  t.same(form.errorsAt(['patern']), ['is unknown'])
  t.same(form.unattachedErrors, [
    { pointer: '/include/3/n', message: 'is not there' },
    { pointer: '/session_id', message: 'is too long' }
  ])
  form.set(['pattern'], 'x')
  form.rename(['env'], 'a/b', 'c')
  t.same(form.errorsAt(['pattern']), [])
  t.same(form.value.value, { env: { c: 'x' }, patern: 1, pattern: 'x' })
  t.equal(form.errors.value.length, 3)
})

t.test('paths: a set value is there, and all else stays', async t => {
  const part = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a/b', '~'))
  const name = fc.array(part, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.dictionary(part, fc.jsonValue()), name, fc.jsonValue(), (table, place, value) => {
      const before = JSON.stringify(table)
      const after = withValueAt(table, place, value)
      t.strictSame(valueAt(after, place), value)
      for (const key of Object.keys(table)) if (key !== place[0]) t.equal(valueAt(after, [key]), table[key])
      t.equal(JSON.stringify(table), before)
    }),
    runs(100)
  )
  t.same(withValueAt({ a: [1, 2, 3] }, ['a', 1], undefined), { a: [1, 3] })
  t.equal(toPointer(['a/b', 0, '~']), '/a~1b/0/~0')
  t.equal(JSON.stringify(withRenamedKey({ o: { a: 1, b: 2 } }, ['o'], 'a', 'z')), '{"o":{"z":1,"b":2}}')
})
