// Tests of numbers in JSON texts that parsing would change.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { isExactNumber, spellsInexactNumber } from '../../src/text/exact-number.ts'
import { findInexactNumbers, parseWithExactNumbers } from '../../src/text/json-numbers.ts'
import { toJsonPointer } from '../../src/text/json-pointer.ts'

t.test('finds them with their places', async t => {
  const text =
    '{"a":[1,{"b\\"}/~":12345678901234567890}],"12345678901234567890":"12345678901234567890","c":{},"d":[[],[1e400,-1e-400]],"e":0.10000000000000000001}'
  t.same(
    findInexactNumbers(text).map(({ path, source, offset }) => [
      toJsonPointer(path),
      source,
      text.startsWith(source, offset)
    ]),
    [
      ['/a/1/b"}~1~0', '12345678901234567890', true],
      ['/d/1/0', '1e400', true],
      ['/d/1/1', '-1e-400', true],
      ['/e', '0.10000000000000000001', true]
    ]
  )
  t.same(
    findInexactNumbers('12345678901234567890').map(({ path }) => path),
    [[]]
  )
  t.same(parseWithExactNumbers('{"id":12345678901234567890,"n":[1.5,1e400]}'), {
    id: '12345678901234567890',
    n: [1.5, '1e400']
  })
})

t.test('any value that is written by JavaScript is exact, and a place is found in any of them', async t => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => isExactNumber(JSON.stringify(value)))
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      const text = JSON.stringify([before, { after, 'k"\\': 'PLACE' }, after]).replace(
        '"PLACE"',
        '98765432109876543210'
      )
      return JSON.stringify(findInexactNumbers(text).map(({ path }) => path)) === JSON.stringify([[1, 'k"\\']])
    })
  )
  t.pass()
})

t.test('spellings', async t => {
  for (const exact of [
    '0',
    '-0',
    '1.10',
    '1e5',
    '1E+5',
    '100000000000000000000',
    '5e-324',
    '0e99999999999999999999999',
    '9007199254740992'
  ])
    t.ok(isExactNumber(exact), exact)
  for (const inexact of [
    '9007199254740993',
    '1e400',
    '1e-400',
    '0.1000000000000000055511151231257827',
    `1e${'9'.repeat(1_000)}`
  ])
    t.notOk(isExactNumber(inexact), inexact.slice(0, 40))
  for (const text of [
    '',
    'x',
    '01234567890123456789',
    '+12345678901234567890',
    '0x1234567890abcdef1',
    ' 12345678901234567890',
    '1'.repeat(2_000)
  ])
    t.notOk(spellsInexactNumber(text), text.slice(0, 40))
})

t.test('deep and large texts', async t => {
  const deep = 50_000
  t.equal(findInexactNumbers(`${'['.repeat(deep)}12345678901234567890${']'.repeat(deep)}`)[0]?.path.length, deep)
  t.equal(findInexactNumbers(`[${'{"a":[1,2.5]},'.repeat(100_000)}12345678901234567890]`)[0]?.path[0], 100_000)
})
