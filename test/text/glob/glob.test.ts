import { matchesGlob } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { compileGlob } from '../../../src/text/glob/glob.ts'
import { runs } from '../../support/property.ts'

t.test('matches according to the syntax', async t => {
  const cases: [glob: string, matches: string[], not: string[]][] = [
    ['*.ts', ['a.ts', 'x/y/a.ts', '.ts'], ['a.tsx', 'a.ts/b']],
    ['src/*.ts', ['src/a.ts'], ['src/x/a.ts', 'x/src/a.ts']],
    ['/src', ['src'], ['x/src', 'src/x']],
    ['./src/', ['src/a', 'src/b/c'], ['src', 'x/src/a']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'srcs/a']],
    ['src/**/a', ['src/a', 'src/x/a', 'src/x/y/a'], ['srca', 'src/xa']],
    ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'a/x']],
    ['**', ['a', 'a/b'], []],
    ['a**b', ['ab', 'axxb', 'x/axb'], ['a/b']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'a/c', 'abbc']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'a-x']],
    ['[!a-c]x', ['dx'], ['ax', '/x']],
    ['[]]', [']'], ['a']],
    ['[a\\]]', ['a', ']'], ['\\']],
    ['[😀]', ['😀'], ['😁']],
    ['{a,b/c,}.x', ['a.x', 'b/c.x', '.x'], ['b.x', 'x/a.x']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['ad', 'b']],
    ['{**/,}x,y', ['x,y', 'a/x,y'], ['x', 'y']],
    ['\\*\\{a,b\\}', ['*{a,b}'], ['xa']],
    ['é*', ['école'], ['ecole']]
  ]
  for (const [glob, matches, not] of cases) {
    const compiled = compileGlob(glob)
    t.same(
      matches.filter(path => !compiled.matches(path)),
      [],
      `${glob} matches`
    )
    t.same(
      not.filter(path => compiled.matches(path)),
      [],
      `${glob} does not match`
    )
  }
})

t.test('reports why a glob is invalid', async t => {
  for (const glob of [
    'a[',
    '[]',
    '{a',
    'a}',
    '\\',
    '/',
    './',
    '[z-a]',
    '..',
    '../a',
    'a/../*',
    '{'.repeat(40),
    'x'.repeat(5000)
  ])
    t.throws(() => compileGlob(glob), SyntaxError, glob.slice(0, 10))
})

t.test('agrees with the platform on common syntax', async () => {
  const path = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3
  })
  const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]', '{a,bc}', '*b', 'a*')
  const glob = fc.array(fc.oneof(part, fc.constant('**')), { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(path, glob, (names, parts) => {
      const [text, pattern] = [names.join('/'), parts.join('/')]
      // At the end of a pattern the platform allows two stars to match nothing.
      fc.pre(parts.at(-1) !== '**')
      return compileGlob(pattern).matches(text) === matchesGlob(text, pattern)
    }),
    runs(2000)
  )
})

t.test('hostile patterns are not slow', async t => {
  const text = 'a'.repeat(4000)
  for (const glob of [`${'*a'.repeat(200)}b`, '{a,aa}'.repeat(300), `${'*a?'.repeat(100)}b`, `${'**/'.repeat(300)}x`])
    t.notOk(compileGlob(glob).matches(text), glob.slice(0, 12))
  const many = compileGlob(`*a${'?'.repeat(12)}`)
  let seed = 1
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed % 2 ? 'a' : 'b'
  }
  for (let i = 0; i < 200; i += 1) {
    const name = Array.from({ length: 60 }, random).join('')
    if (many.matches(name) !== (name.at(-13) === 'a')) t.fail(name)
  }
})
