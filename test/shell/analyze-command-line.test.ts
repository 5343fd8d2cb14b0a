// Tests of command line analysis. Nothing here is ever run.
// tier: full
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import type { CommandClass, ProtectedResources } from '../../src/shell/command-line-analysis.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'
import { runs } from '../support/property.ts'

const here: ProtectedResources = { paths: ['/state/toolgate'], pids: [4242], ports: [7777] }
const ORDER: readonly string[] = ['auto', 'ask', 'strict', 'block']
const judge = (line: string) => analyzeCommandLine(line, here)
const lines = (level: CommandClass | 'contained' | 'not-contained' | 'never-auto') =>
  readFileSync(`test/corpus/shell/${level}.txt`, 'utf8')
    .split('\n')
    .filter(line => line !== '')

await loadParsers()

for (const level of ['auto', 'ask'] as const)
  t.test(`lines that are ${level}`, async t => {
    for (const line of lines(level)) t.equal(judge(line).class, level, line)
  })

for (const level of ['strict', 'block'] as const)
  t.test(`lines that are at least ${level}`, async t => {
    for (const line of lines(level)) t.ok(ORDER.indexOf(judge(line).class) >= ORDER.indexOf(level), line)
  })

t.test('lines that the sandbox confines to reading', async t => {
  const contained = lines('contained')
  for (const line of contained) {
    const { class: found, contained } = judge(line)
    t.same([found === 'ask' || found === 'strict', contained !== undefined], [true, true], line)
  }
  for (const level of ['ask', 'strict', 'block', 'never-auto', 'not-contained'] as const)
    for (const line of lines(level)) if (!contained.includes(line)) t.equal(judge(line).contained, undefined, line)
})

t.test('reports each part of a line separately', async t => {
  t.same(judge('cd src && cat a.txt | head -3; npm run build -- x'), {
    class: 'ask',
    reason: 'Runs project scripts or installed packages.',
    parts: [
      {
        text: 'cd src',
        argv: ['cd', 'src'],
        leadingWords: ['cd', 'src'],
        class: 'auto',
        reason: 'Only changes the working directory.',
        operands: [{ path: 'src', access: 'list' }],
        prefix: undefined
      },
      {
        text: 'cat a.txt',
        argv: ['cat', 'a.txt'],
        leadingWords: ['cat', 'a.txt'],
        class: 'auto',
        reason: 'Only reads.',
        operands: [{ path: 'a.txt', access: 'read' }],
        cwd: 'src',
        prefix: undefined
      },
      {
        text: 'head -3',
        argv: ['head', '-3'],
        leadingWords: ['head', '-3'],
        class: 'auto',
        reason: 'Only reads.',
        operands: [],
        cwd: 'src',
        prefix: undefined
      },
      {
        text: 'npm run build -- x',
        argv: ['npm', 'run', 'build', '--', 'x'],
        leadingWords: ['npm', 'run', 'build', '--', 'x'],
        class: 'ask',
        reason: 'Runs project scripts or installed packages.',
        operands: [],
        cwd: null,
        prefix: ['npm', 'run', 'build']
      }
    ],
    literal: true,
    hasAllParts: true
  })
})

t.test('reports the words before the first that is not literal, and if commands may hide', async t => {
  const describe = (line: string) => {
    const { parts, hasAllParts } = judge(line)
    return [hasAllParts, ...parts.map(({ leadingWords }) => leadingWords?.join(' '))]
  }
  t.same(describe('X=1; A=2 git push $X'), [true, '', 'git push'])
  t.same(describe('for f in *.ts; do echo $f | cat; done'), [true, 'echo', 'cat'])
  t.same(describe('$X push; l* a'), [true, undefined, undefined])
  t.same(describe('echo $(git push)'), [true, 'echo', 'git push'])
  t.same(describe('f() { git push; }; f *.ts')[0], false)
  t.same(describe('echo $((a[$X]))')[0], false)
  t.same(describe('echo "')[0], false)
})

t.test('redirections around a group are a separate part, in the folder before the group', async t => {
  const told = (line: string) => {
    const judged = judge(line)
    const around = judged.parts
      .filter(({ argv }) => argv === undefined)
      .map(({ text, operands, cwd }) => ({ text, operands, cwd }))
    return { class: judged.class, literal: judged.literal, around }
  }
  const written = { operands: [{ path: 'x', access: 'write' }], cwd: undefined }
  for (const group of ['(ls)', '{ ls; }', '(cd src; ls; cat a)', '! (ls)', 'ls | (cat)', 'if true; then ls; fi'])
    t.same(told(`${group} > x`), { class: 'ask', literal: false, around: [{ text: '> x', ...written }] }, group)
  t.same(told('cd lib && (cat) < .env 2>&1'), {
    class: 'ask',
    literal: false,
    around: [{ text: '< .env 2>&1', operands: [{ path: '.env', access: 'read' }], cwd: 'lib' }]
  })
  t.same(told('case x in esac > x').around, [{ text: '> x', ...written }])
  t.same(told('(ls; cat a) 2>/dev/null >&2'), { class: 'auto', literal: true, around: [] })
})

t.test('recognizes shutdown commands, and not their names as arguments', async t => {
  for (const line of [
    'systemctl halt',
    'systemctl --no-wall reboot',
    'systemctl start poweroff.target',
    'systemctl isolate rescue',
    'reboot -f',
    'systemctl -i hibernate',
    'shutdown now'
  ])
    t.equal(judge(line).class, 'block', line)
  for (const line of [
    'systemctl status halt',
    'systemctl cat reboot.service',
    'systemctl is-enabled halt',
    'systemctl restart sleep',
    'shutdown -c',
    'halt --help'
  ])
    t.not(judge(line).class, 'block', line)
})

t.test("treats names in git's index like any file", async t => {
  const cases: [string, string][] = [
    ['git show :.env', '.env'],
    ['git show :0:.env', '.env'],
    ['git show HEAD:.env', '.env'],
    ["git log -p -- ':(top).env'", '.env'],
    ['git diff -- :/.env', '.env'],
    ['git cat-file -p :./.env', './.env'],
    ['git show HEAD', 'HEAD']
  ]
  for (const [line, path] of cases) t.match(judge(line), { class: 'auto', parts: [{ operands: [{ path }] }] }, line)
})

t.test('reports commands run by a command beside it', async t => {
  const { parts, literal } = judge(`timeout 5 bash -c 'ls; rm -rf "a b"'`)
  t.same(
    parts.map(({ argv, class: level, inner }) => ({ argv, level, inner })),
    [
      { argv: ['timeout', '5', 'bash', '-c', 'ls; rm -rf "a b"'], level: 'strict', inner: undefined },
      { argv: ['bash', '-c', 'ls; rm -rf "a b"'], level: 'strict', inner: true },
      { argv: ['ls'], level: 'auto', inner: true },
      { argv: ['rm', '-rf', 'a b'], level: 'strict', inner: true }
    ]
  )
  t.ok(literal)
})

t.test('one literal command can run without a shell, a builtin cannot', async t => {
  t.same(judge(`grep -n "a b" 'c d' e\\ f`).argv, ['grep', '-n', 'a b', 'c d', 'e f'])
  for (const line of ['echo a', 'ls | wc', 'ls > /dev/null', 'ls $x', '(ls) 2>&1', '! ls', '(ls)', 'ls;'])
    t.equal(judge(line).argv, undefined, line)
})

t.test('reports operands with their access', async t => {
  const operands = (line: string) => judge(line).parts.flatMap(part => part.operands)
  t.same(operands('grep -rn -f pats foo'), [
    { path: 'foo', access: 'read', tree: true },
    { path: 'pats', access: 'read' }
  ])
  t.same(operands('cp -r a b /etc/c'), [
    { path: 'a', access: 'read', tree: true },
    { path: 'b', access: 'read', tree: true },
    { path: '/etc/c', access: 'write' }
  ])
  t.same(operands('git show HEAD~1:.env'), [{ path: '.env', access: 'read' }])
  t.same(operands('npm test > out.txt < in.txt'), [
    { path: 'out.txt', access: 'write' },
    { path: 'in.txt', access: 'read' }
  ])
  t.same(operands('cat src/*.txt'), [{ path: 'src/', access: 'read' }])
  t.same(operands('base64 .env'), [{ path: '.env', access: 'read' }])
  t.same(operands('unknown --file=../x'), [{ path: '../x', access: 'read' }])
})

t.test('checks the raw text before parsing', async t => {
  const hidden: Record<string, string> = {
    'a carriage return': 'ls\r; pwd',
    'a line joined to the next': 'l\\\ns',
    'an escape': 'ls \u001b[2K',
    'a text direction': 'ls \u202e txt',
    'what does not show': 'l\u200bs',
    'another blank': 'ls\u00a0-la',
    'a long run of blanks': `ls${' '.repeat(70)}; pwd`,
    'many empty lines': `ls${'\n'.repeat(30)}pwd`
  }
  for (const [what, line] of Object.entries(hidden)) {
    t.equal(judge(line).class, 'strict', what)
    t.ok(judge(line).parts.length > 0, `parts are told in spite of ${what}`)
    t.notOk(judge(line).literal, what)
  }
  t.match(judge('ls \0'), { class: 'strict', parts: [] })
  t.match(judge('x'.repeat(70_000)), { class: 'block', parts: [] })
})

t.test('a line beyond the limits is strict, and nothing of it is missed', async t => {
  t.equal(judge(Array(50).fill('ls').join('; ')).class, 'auto')
  t.equal(judge(Array(51).fill('ls').join('; ')).class, 'strict')
  t.equal(judge(`${'a|'.repeat(30_000)}b`).class, 'strict')
  t.equal(judge(`${'ls; '.repeat(60)}rm -rf /`).class, 'block')
  t.equal(judge(`${'ls; '.repeat(60)}rm -rf /`).parts.length, 50)
  for (const wrapper of ['env ', 'xargs ', 'timeout 1 ', 'find -exec ', "bash -c '"])
    t.equal(judge(`${wrapper.repeat(4_000)}ls`).class, 'strict', wrapper)
  for (const opening of ['$(', '`', '(', '((', '${', '<(', '[[ ', 'if ', 'case a in ', '<<a ', "'", '"', '{ '])
    t.not(judge(opening.repeat(Math.floor(60_000 / opening.length))).class, 'auto', opening)
  t.equal(judge(`${'('.repeat(9)}ls${')'.repeat(9)}`).class, 'strict')
})

t.test('suggests no rule for commands that could run anything', async t => {
  for (const line of [
    'bash x.sh',
    'python3 x.py',
    'npx x',
    'find . -exec ls {} +',
    'ls | xargs wc',
    'env ls',
    'rm a',
    'npm test $x',
    'touch a.txt',
    'mkdir -p a',
    'tsc --noEmit',
    'eslint src',
    'python3 -m black --check src'
  ])
    t.same(
      judge(line).parts.flatMap(({ prefix }) => prefix ?? []),
      [],
      line
    )
  const prefix = (line: string) => judge(line).parts[0]?.prefix
  t.same(prefix('cargo test --lib'), ['cargo', 'test'])
  t.same(prefix('git commit -m x'), ['git', 'commit'])
  t.same(prefix('make build'), ['make', 'build'])
  t.same(prefix('git fetch origin'), ['git', 'fetch'])
})

// The classes and their order follow the corpus; operands are judged by the path policy, replaced by a stub here.
t.test('the corpus', async t => {
  const { cases } = JSON.parse(readFileSync('test/corpus/commands.json', 'utf8')) as { cases: Case[] }
  const RANK: Record<string, number> = { auto: 0, ask: 1, approve: 1, strict: 2, strong: 2, block: 3, invalid: 3 }
  const outside = (path: string) => /^[/~]|(?:^|\/)(?:\.\.|\.env|\.ssh)(?:\/|$)/.test(path)
  const known: Record<string, string> = { STATE: '/state/toolgate', SERVER_PID: '4242', SERVER_PORT: '7777', WS: 'src' }
  const automatic: Record<string, number> = {}
  for (const { id, group, command, command_gen, expect, exact, accept = [] } of cases) {
    const text = (command ?? command_gen!.map(([part, times]) => part.repeat(times)).join('')).replaceAll(
      /\{\{(\w+)\}\}/g,
      (_, name: string) => known[name]!
    )
    const { class: level, parts } = judge(text)
    const reached = parts.some(({ operands }) => operands.some(({ path }) => outside(path)))
    const rank = reached ? Math.max(2, RANK[level]!) : RANK[level]!
    const wanted = RANK[expect]!
    t.ok(
      exact ? rank === wanted : rank >= wanted || accept.some(name => RANK[name] === rank),
      `${id} ${text.slice(0, 60)}`
    )
    if (rank === 0 && !accept.includes('auto')) automatic[group] = (automatic[group] ?? 0) + 1
  }
  t.same(automatic, { auto: cases.filter(({ group }) => group === 'auto').length })
})

interface Case {
  id: string
  group: string
  command?: string
  command_gen?: [string, number][]
  expect: string
  exact?: boolean
  accept?: string[]
}

const word = fc.oneof(
  fc.constantFrom(
    'ls',
    'cat',
    'rm',
    'git',
    'log',
    '-rf',
    'a.txt',
    '$x',
    '$(id)',
    '`id`',
    '"a b"',
    "'c'",
    '*.ts',
    '~',
    '{a,b}',
    '\\',
    '<<E',
    '2>&1',
    '> x',
    '#',
    '=',
    'a=b'
  ),
  fc.string({ maxLength: 6, unit: 'binary' })
)
const line = fc
  .array(fc.oneof(word, fc.constantFrom('|', '&&', '||', ';', '&', '\n', '(', ')', '{', '}', '!')), { maxLength: 14 })
  .map(words => words.join(' '))

t.test('never throws, is deterministic, and never stricter on two commands than on one', async () => {
  fc.assert(
    fc.property(line, text => {
      const judged = judge(text)
      const again = judge(text)
      if (JSON.stringify(judged) !== JSON.stringify(again)) return false
      const worst = Math.max(0, ...judged.parts.map(part => ORDER.indexOf(part.class)))
      return ORDER.indexOf(judged.class) >= worst && (judged.class !== 'auto' || judged.literal)
    }),
    runs(600)
  )
})

/** Each opens more than it closes, or a function or the like within another. */
const OPENERS = ['$(', '"$(', '<(', '`', '`\\`', '${a:-', '"${a:-"', '$((', '$[', '[[ $(', '(', '( ', '{ ', 'if ', '! ', 'f() ', 'coproc ', 'function f ', 'time ', 'env '] // biome-ignore format: a table
/** Texts that are still parsed, though not literally. */
const HIDING = ['\u200b', `ls${' '.repeat(80)}`, 'ls \\\n', '']

t.test('no depth of nesting makes it throw or loop', async t => {
  for (const opener of OPENERS)
    for (const hiding of HIDING)
      for (const length of [5_000, 15_000, 60_000]) {
        const deep = hiding + opener.repeat(length / opener.length)
        const hex = Array.from(deep.slice(0, 16_000), char => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
        for (const line of [deep, `bash -c $'${hex.join('')}'`])
          t.ok(ORDER.indexOf(judge(line).class) > 0, `${opener} after ${JSON.stringify(hiding)}`)
      }
})

t.test('quotes around the words of a literal command do not change its result', async () => {
  const literal = fc.array(fc.stringMatching(/^[a-z./-]{1,8}$/), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.constantFrom('ls', 'cat', 'rm', 'git', 'find', 'sort', 'npm'), literal, (program, words) => {
      const plain = judge([program, ...words].join(' '))
      const quoted = judge([program, ...words].map(each => `'${each}'`).join(' '))
      return ORDER.indexOf(quoted.class) >= ORDER.indexOf(plain.class)
    }),
    runs(300)
  )
})
