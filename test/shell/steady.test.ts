// Tests of words that are automatic though not literal: the expansion of a status, or of a pattern behind a flag, among files
// with the worst possible names, is compared with the analyzer's assumption.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what stands in braces is for bash
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'
import { needs } from '../support/needs.ts'
import { runs } from '../support/property.ts'
import { createRecorders } from './recorders.ts'

const FILES = [
  'a.ts', 'b c.ts', '-n', '--', '-g', '-gx', '-g=x.ts', '-g --pre=evil', '--pre=evil', '--pre', '--include', '--include=', '--include=a.ts', '--include=b c.ts',
  '--include=--pre=evil', '--include=;evil', '--include=$(evil).ts', '--exclude=x', '--exclude-dir=.git', '--glob=x', '--glob=!a.ts', '--iglob=q', '--hostname-bin=evil', 'evil', '1', '0'
] // biome-ignore format: a table
const FLAGS = [
  '--include=',
  '--exclude=',
  '--exclude-dir=',
  '--glob=',
  '--iglob=',
  '-g',
  '-g=',
  '-n',
  '--pre=',
  '--file=',
  '--in',
  ''
]
const VALUES = [
  '*',
  '*.ts',
  '?.ts',
  '*.{ts,js}',
  '{a,b}',
  '{a,b}*',
  '*x*',
  '.*',
  '**',
  '[a]*',
  '{1..3}',
  '{a,{b,c}}',
  '$?',
  '"$?"',
  '*$?',
  '*/..',
  '"*"',
  '~',
  '$x'
]
const WORDS = ['foo', '-n', '-rn', '-e', '--', 'a.ts', '$?', '"x:$?"', 'x$?y', '\\$?', "'$?'", '$$?', '$??']

const word = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...WORDS) },
  fc.tuple(fc.constantFrom(...FLAGS), fc.constantFrom(...VALUES)).map(parts => parts.join(''))
)
const line = fc
  .tuple(
    fc.constantFrom('grep', 'rg', 'echo', '['),
    fc.array(word, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '; echo $?', ' | grep x')
  )
  .map(([program, words, tail]) => [program, ...words, ...(program === '[' ? [']'] : [])].join(' ') + tail)

/** Prefixes of flags that may expand to more than written. */
const MORE = /^(?:--(?:include|exclude|exclude-dir|glob|iglob)=|-g)/

t.test('a status is a number, and a pattern behind a flag is more of that flag', needs('bwrap'), async t => {
  await loadParsers()
  const lines = new Map<string, (readonly string[])[]>()
  for (let seed = 1; lines.size < 300; seed++)
    for (const text of fc.sample(line, { seed, ...runs(500) })) {
      const { class: found, literal, parts } = analyzeCommandLine(text, { paths: [], pids: [] })
      if (found === 'auto' && !literal && lines.size < 300)
        lines.set(
          text,
          parts.map(part => part.text.split(' '))
        )
    }
  const run = createRecorders(t, { programs: ['grep', 'rg', 'echo', '[', 'evil', 'x'], files: FILES })
  const started = run([...lines.keys()])
  for (const [at, [text, told]] of [...lines].entries()) {
    const ran: string[][] = (started.get(at) ?? []).map(argv => JSON.parse(argv))
    t.equal(ran.length, told.length, `as many commands as were told: ${text}`)
    for (const argv of ran) {
      const fits = told.some(words => argv[0] === words[0] && isSpread(words.slice(1), argv.slice(1)))
      t.ok(fits, `${text} ran ${JSON.stringify(argv)}`)
    }
  }
})

/** Returns whether the words are these, except for numbers and more values of a flag. */
function isSpread([first, ...rest]: readonly string[], argv: readonly string[]): boolean {
  if (first === undefined) return argv.length === 0
  const [word, ...more] = argv
  if (word === undefined) return false
  const flag = MORE.exec(first)?.[0]
  if (flag !== undefined && word.startsWith(flag) && (isSpread(rest, more) || isSpread([first, ...rest], more)))
    return true
  const plain = first.replaceAll(/["']/g, '')
  if (word === plain) return isSpread(rest, more)
  const [before = '', after] = first.includes("'") ? [] : plain.split('$?')
  if (after === undefined || !word.startsWith(before) || !word.endsWith(after)) return false
  return /^\d{1,3}$/.test(word.slice(before.length, word.length - after.length)) && isSpread(rest, more)
}
