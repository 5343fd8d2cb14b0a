// Tests that bash parses a line like the analyzer. Random lines classified as automatic are run by a real bash with only
// recorders on its PATH, in a sandbox that holds nothing else: it must start exactly the reported commands. FUZZ_LINES sets how
// many lines are run, FUZZ_SEED which.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what stands in braces is for bash
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'
import { needs } from '../support/needs.ts'
import { runs } from '../support/property.ts'
import { createRecorders } from './recorders.ts'

const LINES = Number(process.env.FUZZ_LINES ?? 400)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
/** Number of lines per sandbox. */
const AT_ONCE = 200

const PROGRAMS = [
  'echo',
  'echo',
  'echo',
  'cat',
  'ls',
  'wc',
  'head',
  'grep',
  'sort',
  'basename',
  'printf',
  'true',
  'pwd',
  'test',
  '[',
  'git'
]
/** None of these may ever be started. */
const CANARIES = ['evil', 'rm', 'sh', 'id', 'x', 'a', 'b', 'touch', 'curl', 'a.txt', 'status', '-n']

const ATOMS = [
  'a', 'a.txt', 'b c', 'HEAD~1', 'stash@{0}', 'x@{u}', '-n', '-1', '--', '%s', '+%Y', 'a=b', 'a,b', 'a:b', 'a#b', '#', '@', '^', '!', '!x',
  'é', '漢', '{}', '{a}', '{a,b}', '{1..3}', '*', '?', '[a]', '[', ']', '~', '~root', 'a~', '=~', '$', '$x', '${x}', '${x:-evil}', '$(evil)',
  '`evil`', '$((1))', '$[1]', '<(evil)', '>(evil)', '"a b"', '"a$"', '"$x"', '"`evil`"', '"$(evil)"', '"a\\.b"', '"a\\$b"', '"a\\"b"', '"a\\\\"',
  '"!x"', '"{a,b}"', '"*"', "'a b'", "'$x'", "'`evil`'", "'a\"b'", "''", '""', '"\'"', "'\\'", '\\ ', '\\$', '\\"', "\\'", '\\\\', '\\;', '\\|',
  '\\&', '\\(', '\\#', '\\*', '\\~', '\\a', "$'a'", "$'\\x61'", '$"a"', '\'a\nb\'', '"a\nb"', '\t', 'status', 'log', '--oneline', '2', '1>', '%', '-', '+', '.', '/', ':'
] // biome-ignore format: a table
const JOINS = [
  ' | ',
  '|',
  ' && ',
  '&&',
  ' || ',
  '; ',
  ';',
  '\n',
  ' & ',
  ' |& ',
  ';;',
  ' # evil\n',
  '\n\n',
  ' \n ',
  ' ! ',
  '&'
]
const TAILS = [
  '',
  '',
  '',
  ' 2>&1',
  ' >/dev/null',
  ' 2>/dev/null',
  ' </dev/null',
  ' < a.txt',
  ' >&2',
  ' &>/dev/null',
  ' > evil',
  ' <<< evil',
  ' # evil',
  ' 2> /dev/null a'
]

const word = fc.array(fc.constantFrom(...ATOMS), { minLength: 1, maxLength: 3 }).map(atoms => atoms.join(''))
const command = fc
  .tuple(
    fc.constantFrom(...PROGRAMS),
    fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ATOMS) }, word), { maxLength: 4 }),
    fc.constantFrom(...TAILS)
  )
  .map(([program, words, tail]) => [program, ...words, ...(program === '[' ? [']'] : [])].join(' ') + tail)
const wrapped = fc.oneof(
  { weight: 6, arbitrary: command },
  command.map(inner => `(${inner})`),
  command.map(inner => `! ${inner}`)
)
const line = fc
  .array(fc.tuple(wrapped, fc.constantFrom(...JOINS)), { minLength: 1, maxLength: 4 })
  .map(parts => parts.map(([inner, join], at) => (at === parts.length - 1 ? inner : inner + join)).join(''))

t.test('bash starts exactly the reported commands of each automatic line', needs('bwrap'), async t => {
  await loadParsers()
  const wanted = automaticLines()
  const run = createRecorders(t, { programs: [...PROGRAMS, ...CANARIES], files: ['a.txt'] })
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const started = run(wanted.slice(from, from + AT_ONCE).map(({ text }) => text))
    for (const [at, { text, told }] of wanted.slice(from, from + AT_ONCE).entries()) {
      const ran = [...(started.get(at) ?? [])].sort()
      // Commands after `||` are not run if all before succeeded, nor those after `&&` behind `!`.
      if (/\|\||!/.test(text))
        t.ok(
          ran.every(argv => told.includes(argv)),
          `no more than was told: ${JSON.stringify(text)}`
        )
      else t.same(ran, [...told].sort(), JSON.stringify(text))
    }
  }
})

/** Random lines classified as automatic, each with its reported commands. */
function automaticLines() {
  const found: { text: string; told: string[] }[] = []
  for (let round = 0; found.length < LINES; round++)
    for (const text of fc.sample(line, { seed: SEED + round, ...runs(1_000) })) {
      const judged = analyzeCommandLine(text, { paths: [], pids: [] })
      if (judged.class !== 'auto' || found.length === LINES) continue
      found.push({ text, told: judged.parts.map(({ argv }) => JSON.stringify(argv)) })
    }
  return found
}
