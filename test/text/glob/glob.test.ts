// tier: quick
import { matchesGlob } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { compileExplicitDots, compileGlob, compileIgnoreGlob } from '../../../src/text/glob/glob.ts'
import { globMatches } from '../../../src/text/glob/match.ts'
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
    ['é*', ['école'], ['ecole']],
    ['*.@(js|ts)', ['a.js', 'x/a.ts'], ['a.jsts', 'a.']],
    ['+(a|b)', ['a', 'ab', 'ba'], ['', 'c', 'abc']],
    ['*(a|b)c', ['c', 'aac', 'abc'], ['dc']],
    ['?(a|b)c', ['c', 'ac'], ['abc']],
    ['!(*.test).ts', ['a.ts', 'x/b.ts', '.ts'], ['a.test.ts', 'a.js']],
    ['src/!(x)', ['src/a', 'src/xx', 'src/😀'], ['src/x', 'src/a/b', 'x']],
    ['!(!(a))', ['a'], ['b', 'aa']],
    ['!([a-c]|x?)', ['d', 'x', 'ab', 'xyz'], ['a', 'c', 'xy']],
    ['@(a/b|c)/d', ['a/b/d', 'c/d'], ['a/d', 'b/d']],
    ['[[:alpha:]]', ['a', 'Z'], ['1', '_', 'é', ':']],
    ['[[:digit:]_x-z]', ['1', '_', 'y'], ['a', '-', ':']],
    ['[^[:space:]]', ['a'], [' ', '/']],
    ['./*.json', ['a.json'], ['x/a.json']],
    ['./x', ['x'], ['a/x']],
    ['packages//x', ['packages/x'], ['packages//x']],
    ['\\(a|b)', ['(a|b)'], ['a']],
    ['app/(group)/\\@(x)', ['app/(group)/@(x)'], ['app/group/x']]
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
    '@(a',
    'a+(b',
    '*.(js|ts)',
    'src/(a|b|c)/*',
    '[[:letters:]]',
    '!(*a?????????????????)',
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

t.test('extended globs and classes agree with Bash', async () => {
  const option = fc.constantFrom('a', 'b', 'ab', '*', '?', 'a*', '[ab]', '[[:alpha:]]', '[![:digit:]]', '1')
  const part = fc.oneof(
    option,
    fc.tuple(fc.constantFrom(...'?*+@!'), fc.array(option, { minLength: 1, maxLength: 3 })).map(([sign, options]) => {
      return `${sign}(${options.join('|')})`
    })
  )
  const globs = fc.sample(
    fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => parts.join('')),
    { numRuns: 400, seed: 1 }
  )
  const names = ['a', 'b', 'ab', 'ba', 'aab', 'abc', 'c', '1', 'a1', 'a.b', 'bb', '_']
  // Directly before a group, Bash's star does not match what its manual says.
  const isReliable = (glob: string) => !/\*[?*+@!]\(/.test(glob)
  const cases = globs.filter(isReliable).flatMap(glob => names.map(name => ({ glob, name })))
  const script = 'while IFS= read -r glob && IFS= read -r name; do [[ $name == $glob ]] && echo 1 || echo 0; done'
  const input = cases.map(({ glob, name }) => `${glob}\n${name}\n`).join('')
  const { stdout } = execaSync('bash', ['--norc', '-O', 'extglob', '-c', script], {
    input,
    env: { LC_ALL: 'C', PATH: process.env.PATH },
    extendEnv: false
  })
  const expected = stdout.trim().split('\n')
  t.same(
    cases.filter(({ glob, name }, i) => compileGlob(glob).matches(name) !== (expected[i] === '1')),
    []
  )
})

t.test('hidden names match where a name of the pattern begins with a dot', async t => {
  const cases: [glob: string, matches: string[], not: string[]][] = [
    ['.github/**', ['.github/a', '.github/a/b'], ['.github/.a', '.github/a/.b/c']],
    ['**/.gitignore', ['.gitignore', 'a/b/.gitignore'], ['.a/.gitignore']],
    ['.gitignore', ['.gitignore', 'a/.gitignore'], ['.a/.gitignore']],
    ['*.ts', ['a.ts'], ['.a.ts', '.ts', '.a/b.ts']],
    ['{.a,b}/*', ['.a/x', 'b/x'], ['.a/.x']],
    ['@(.a|b)', ['.a', 'b', 'x/.a'], ['.b']],
    ['**', ['a/b'], ['.a', 'a/.b']],
    ['[.a]b', ['ab'], ['.b']],
    ['?a', ['aa'], ['.a']],
    ['!(b)', ['a'], ['.a']],
    ['.*', ['.a'], ['a']]
  ]
  for (const [glob, matches, not] of cases) {
    const isMatch = compileExplicitDots(glob)
    t.same([matches.filter(path => !isMatch(path)), not.filter(path => isMatch(path))], [[], []], glob)
  }
})

t.test('rules have no other syntax than before', async t => {
  const cases: [boolean, string, string][] = [
    [true, '@(a|b)', '@(a|b)'],
    [false, '@(a|b)', 'a'],
    [true, '+(a)', '+(a)'],
    [false, '+(a)', 'a'],
    [true, '!(a)', '!(a)'],
    [false, '!(a)', 'b'],
    [true, '*(a)', 'x(a)'],
    [true, '?(a)', 'x(a)'],
    [false, '[[:alpha:]]', 'z'],
    [true, '[[:alpha:]]', ':]'],
    [false, 'a//b', 'a/b'],
    [true, '*', '.a'],
    [true, '**', '.a/.b'],
    [true, '**', '\uffff'],
    [true, '*.env', '.env'],
    [true, './a', 'a'],
    [false, './a', 'b/a']
  ]
  for (const [expected, glob, text] of cases) t.equal(globMatches(glob, text), expected, `${glob} ~ ${text}`)
})

t.test('ignore files have classes, but no extended globs', async t => {
  t.ok(compileIgnoreGlob('[[:digit:]]*').matches('x/1a'))
  t.notOk(compileIgnoreGlob('[[:digit:]]*').matches('a1'))
  t.ok(compileIgnoreGlob('+(a)').matches('+(a)'))
  t.notOk(compileIgnoreGlob('@(a|b)').matches('a'))
})
