// Tests that the real programs do with a script no more than the readers of sed, awk, jq and find say: scripts from a hostile grammar
// that count as harmless run in a sandbox, must change no file and run no command, and must not print the environment.
// tier: quick
import fc, { type Arbitrary } from 'fast-check'
import t, { type Test } from 'tap'
import { findClassifier } from '../../src/shell/program-classifiers.ts'
import { needs } from '../support/needs.ts'
import { roundsOf } from '../support/property.ts'
import { findEffects, MARKER } from './run-real.ts'

const SEED = Number(process.env.TEST_SEED ?? 1)
/** Maximum number of samples for one harmless script. */
const MAX_SAMPLES = 60

const pick = <T>(...values: T[]) => fc.constantFrom(...values)
const several = (part: Arbitrary<string>, maxLength: number, joint: Arbitrary<string> = fc.constant('')) =>
  fc
    .tuple(fc.array(part, { minLength: 1, maxLength }), fc.array(joint, { minLength: maxLength, maxLength }))
    .map(([parts, joints]) => parts.map((text, at) => (at === 0 ? text : joints[at]! + text)).join(''))

/** Returns distinct argvs of which the classifier says that they do no harm. */
function harmless(argv: Arbitrary<string[]>, level: 'auto' | 'ask', count: number): string[][] {
  const found = new Map<string, string[]>()
  for (let round = 0; round < MAX_SAMPLES && found.size < count; round++)
    for (const sample of fc.sample(argv, { seed: SEED + round, numRuns: count })) {
      const [program, ...args] = sample
      if (found.size < count && findClassifier(program!)(args).class === level) found.set(sample.join('\0'), sample)
    }
  return [...found.values()]
}

/** Runs what counts as harmless, and what certainly is not, which must be noticed. */
function check(t: Test, { cases, harmful, input }: { cases: string[][]; harmful: string[][]; input?: string }) {
  t.ok(cases.length >= 20, `the grammar gives ${cases.length} harmless scripts`)
  const effects = findEffects(t, [...cases, ...harmful], input)
  for (const [at, argv] of cases.entries()) t.equal(effects.get(at), undefined, JSON.stringify(argv))
  for (const [at, argv] of harmful.entries()) t.ok(effects.get(cases.length + at), `notices ${JSON.stringify(argv)}`)
}

const sedText = several(
  pick(
    'a', 'x', '.', '*', '^', '$', '[', ']', '[/]', '[^/]', '[]/]', '[a-z]', '[[:alpha:]]', '[[:alpha:]', '[:', ':]', '\\/', '\\]', '\\[',
    '\\\\', '\\n', '\\c', '\\', '/', '|', ';', 'e', 'e#', '#', 'w hit', ' ', '{', '}', '&', ';e', ';w hit', 'p', '\n'
  ), // biome-ignore format: a table
  5
)
const sedFlags = pick('', 'g', 'p', '2', 'gI', 'w hit', 'e', 'M', ' ', '#', ';e', '}', '/p', '#/p', 'X')
const sedAddress = fc.oneof(
  { weight: 3, arbitrary: pick('', '1', '$', '1,2', '0~2', '$!', '2,+1', '1!') },
  sedText.map(text => `/${text}/`),
  fc.tuple(sedText, sedText).map(([from, to]) => `/${from}/I,/${to}/`)
)
const sedCommand = fc
  .tuple(
    sedAddress,
    fc.oneof(
      fc
        .tuple(pick('s', 's', 's', 'y'), pick('/', '/', '|', '#', ','), sedText, sedText, sedFlags)
        .map(([name, end, from, to, flags]) => name + end + from + end + to + end + flags),
      pick(
        'p',
        'd',
        'N',
        'x',
        'l 5',
        'q',
        '{p;d}',
        '{',
        '}',
        '=',
        'e',
        'w hit',
        `e touch ${MARKER}`,
        'r a',
        'n;p',
        'F',
        'c\\'
      )
    )
  )
  .map(parts => parts.join(''))
const sedScript = several(sedCommand, 3, pick(';', ';', '\n', ' ', '; ', ''))
const sedArgv = fc
  .tuple(
    fc.array(pick('-n', '-E', '-s', '-z', '--posix', '--debug', '--sandbox', '-l5', '-u'), { maxLength: 2 }),
    fc.array(sedScript, { minLength: 1, maxLength: 2 }),
    pick('a', '-', '')
  )
  .map(([flags, scripts, file]) => [
    'sed',
    ...flags,
    ...(scripts.length > 1 ? scripts.flatMap(script => ['-e', script]) : scripts),
    ...(file === '' ? [] : [file])
  ])

t.test('sed only prints by scripts that count as harmless', needs('bwrap'), async t => {
  check(t, {
    cases: harmless(sedArgv, 'auto', roundsOf(900)),
    harmful: [
      ['sed', `w ${MARKER}`, 'a'],
      ['sed', '-n', '1e'],
      ['sed', 's/ [/]*/ /e#/p'],
      ['sed', '-i', 's/x/y/', 'a']
    ]
  })
})

const awkText = several(pick('a', '\\"', '>', '}', ';', '\\\\', 'x', '|', '/', '\\/', '[', ']', '[/]', '[x]', ' '), 3)
const awkAtom = fc.oneof(
  pick(
    '$1',
    '$0',
    'NR',
    'NF',
    '1',
    '2',
    'n',
    's',
    '/',
    '/',
    '>',
    '<',
    ',',
    ';',
    '}',
    '{',
    '(',
    ')',
    '~',
    '!',
    '=',
    '+',
    '++',
    '?',
    ':',
    '\n'
  ),
  pick(
    'print',
    'print ',
    'printf ',
    'if (n) ',
    'else ',
    'length',
    'length(s)',
    'substr(s, 1)',
    'next',
    '&&',
    '||',
    ' in ',
    'a[1]'
  ),
  pick(
    'system("touch hit")',
    'ENVIRON["SECRET"]',
    '> "hit"',
    '| "sh"',
    'getline',
    '@f()',
    '"touch hit" | getline',
    '\\\n',
    '#'
  ),
  awkText.map(text => `"${text}"`),
  awkText.map(text => `/${text}/`)
)
const awkStatement = fc.oneof(
  several(awkAtom, 4, pick(' ', ' ', '')),
  several(awkAtom, 3, pick(' ', ', ')).map(text => `print ${text}`),
  several(awkAtom, 3, pick(' ')).map(text => `n = ${text}`),
  awkAtom.map(text => `if (${text}) print ${text}`)
)
const awkProgram = several(
  fc
    .tuple(fc.oneof(pick('', '', 'BEGIN', 'END', 'NR > 1'), awkAtom), several(awkStatement, 2, pick('; ', '\n')))
    .map(([pattern, action]) => `${pattern} { ${action} }`),
  2,
  pick(' ', '\n', ';')
)
for (const awk of ['mawk', 'gawk'] as const)
  t.test(`${awk} only prints by programs that count as harmless`, needs('bwrap', awk), async t => {
    const argv = awkProgram.map(program => [awk, program, 'a'])
    check(t, {
      cases: harmless(argv, 'ask', roundsOf(600)),
      harmful: [
        [awk, 'BEGIN { system("touch hit") }'],
        [awk, '{ print "}" > "hit" }'],
        [awk, 'BEGIN { print ENVIRON["SECRET"] }']
      ]
    })
  })

const { filter } = fc.letrec<{ filter: string; key: string }>(tie => ({
  key: fc.oneof(
    pick('env', 'a', '"env"', '$x', '@json', '"\\(env)"', '(env)', 'input_filename', '$ENV', '$__loc__'),
    tie('filter')
  ),
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    pick(
      '.', '.a', '.env', '."env"', '.["env"]', '..', '1', '"env"', 'env', '$ENV', '$ ENV', '$\tENV', '$__prog_args', '$__loc__', '$x', 'keys?', '"$ENV"',
      'input_filename', 'tojson', '@json', 'empty', 'input', 'debug', 'getpath(["env"])', '.env.SECRET?', '..env', '. env', '#', '\\', 'error?'
    ), // biome-ignore format: a table
    fc
      .tuple(
        tie('filter'),
        pick(' | ', '|', ', ', ',', ' // ', ' + ', '==', '?//', ' and ', ' as $x | ', ' as {env: $x} | ', ' #\n'),
        tie('filter')
      )
      .map(parts => parts.join('')),
    tie('filter').map(inner => `(${inner})`),
    tie('filter').map(inner => `[${inner}]`),
    tie('filter').map(inner => `"a\\(${inner})b"`),
    tie('filter').map(inner => `"a\\\\(${inner})b"`),
    tie('filter').map(inner => `map(${inner})?`),
    tie('filter').map(inner => `try ${inner} catch .`),
    tie('filter').map(inner => `def f: ${inner}; f`),
    tie('filter').map(inner => `if . then ${inner} else . end`),
    fc
      .tuple(tie('key'), pick(': ', ':', ', ', '|'), tie('filter'))
      .map(([key, joint, value]) => `{${key}${joint}${value}}`),
    fc.tuple(tie('filter'), tie('key')).map(([value, key]) => `{a: ${value}, ${key}}`)
  )
}))
t.test('jq does not show the environment by filters that count as harmless', needs('bwrap', 'jq'), async t => {
  const argv = fc
    .tuple(pick('-n', '-r', '-cr'), filter, pick('a', 'a', ''))
    .map(([flag, text, x]) => ['jq', flag, ...(x === '' ? [] : ['--arg', 'x', x]), text])
  check(t, {
    cases: harmless(argv, 'auto', roundsOf(120)),
    harmful: [
      ['jq', '-n', '$ENV'],
      ['jq', '-n', '"\\(env)"'],
      ['jq', '-n', '{a: (if 1 then env else 2 end)}']
    ],
    input: '{"env": {"a": 1}, "b": [1, "x"]}\n'
  })
})

const findWord = pick(
  '-name', '-path', '-iname', '-size', '-type', '-maxdepth', '-newer', '-samefile', '-printf', '-print', '-print0', '-ls', '-o', '-a', '!', '(', ')', ',', '-prune',
  '-quit', '-depth', '-not', '-true', '-regex', '-regextype', '-perm', '-newermt', '-empty', '-mtime', '-links', '-readable', '-fls', '-fprint', '-fprintf', MARKER,
  '-exec', '-execdir', '-ok', ';', '+', '{}', 'touch', 'sh', '-c', '-delete', 'a', 'd', '*', '1', '+0', 'f', '%p\\n', '-L', '-D', '--', 'posix-egrep', '2020-01-01',
  '-files0-from'
) // biome-ignore format: a table
const findArgv = fc
  .tuple(fc.array(pick('-H', '-L', '.', 'a', 'd', ','), { maxLength: 2 }), fc.array(findWord, { maxLength: 6 }))
  .map(([roots, words]) => ['find', ...roots, ...words])
t.test('find only prints by expressions that count as harmless', needs('bwrap'), async t => {
  check(t, {
    cases: harmless(findArgv, 'auto', roundsOf(600)),
    harmful: [
      ['find', '.', '-fprint', MARKER],
      ['find', 'a', '-exec', 'touch', MARKER, ';'],
      ['find', 'a', '-delete']
    ]
  })
})
