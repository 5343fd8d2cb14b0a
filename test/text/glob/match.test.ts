// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { globMatches, literalGlob } from '../../../src/text/glob/match.ts'
import { runs } from '../../support/property.ts'

t.test('a glob matches the whole text', async t => {
  const cases: [boolean, string, string][] = [
    [true, 'a', 'a'],
    [false, 'a', 'b/a'],
    [false, 'a', 'a/b'],
    [true, '*', 'a'],
    [false, '*', 'a/b'],
    [true, '**', 'a/b/c'],
    [true, '**', '.'],
    [true, 'a/**', 'a/b'],
    [true, 'a/**', 'a/b/c'],
    [true, 'a/**', 'a/.b'],
    [false, 'a/**', 'ab'],
    [false, 'a/**', 'ab/c'],
    [false, 'a/**', 'b/a/c'],
    [true, '**/*.ts', 'x.ts'],
    [true, '**/*.ts', 'a/b/x.ts'],
    [false, '**/*.ts', 'x.tsx'],
    [true, '{a,b}_file', 'b_file'],
    [false, '{a,b}_file', 'c_file'],
    [true, '[ab]?', 'bz'],
    [false, '[!ab]?', 'bz'],
    [true, '\\*', '*'],
    [false, '\\*', 'a'],
    [true, 'é*', 'éa'],
    [true, '?', '🎉'],
    [false, 'A', 'a']
  ]
  for (const [expected, glob, text] of cases) t.equal(globMatches(glob, text), expected, `${glob} ~ ${text}`)
})

t.test('reports an invalid glob', async t => {
  for (const glob of ['[', '{a', 'a\\']) t.throws(() => globMatches(glob, 'a'), SyntaxError, glob)
})

/** Tool names, and paths in the form that the walk yields. */
const text = fc
  .array(fc.string({ unit: fc.constantFrom(...'ab.*?[]{}!,\\-^ é🎉'), minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3
  })
  .filter(names => names.every(name => name !== '.' && name !== '..'))
  .map(names => names.join('/'))

t.test('a literal glob matches its text and nothing else', async () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const glob = literalGlob(one)
      return globMatches(glob, one) && globMatches(glob, other) === (one === other)
    }),
    runs(5_000)
  )
})

t.test('more globs than are cached still match correctly', async t => {
  for (let n = 0; n < 2_500; n += 1) if (!globMatches(`g${n}*`, `g${n}x`)) t.fail(`g${n}`)
  t.equal(globMatches('g1*', 'g1x'), true)
})
