import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { unifiedDiff } from '../../src/text/diff.ts'

t.test('one changed line is shown with its surroundings', async t => {
  const text = (line: string) => `1\n2\n3\n4\n${line}\n6\n7\n8\n9\n`
  t.same(unifiedDiff('a b.txt', text('5'), text('five')), {
    diff: '--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    added: 1,
    removed: 1
  })
})

t.test('no change is no diff, and a file that comes or goes is a diff with nothing', async t => {
  t.same(unifiedDiff('a', 'x', 'x'), { diff: '', added: 0, removed: 0 })
  t.same(unifiedDiff('a', undefined, 'x\ny\n').diff, '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n')
  t.same(
    unifiedDiff('a', 'x', undefined).diff,
    '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n'
  )
  t.match(unifiedDiff('a"\t', 'x', 'y').diff, /^--- "a\/a\\"\\011"\n/)
})

const line = fc.constantFrom(
  '',
  'a',
  'b',
  'c',
  'long line',
  ' indented',
  '--- a',
  '+++ b',
  '@@ -1 +1 @@',
  '-x',
  '+y',
  '\\ No newline',
  'cr\r',
  '\ttab'
)
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, final]) => lines.join('\n') + (final ? '\n' : ''))
const name = fc.constantFrom('a.txt', 'with space.txt', 'd/e/f', 'ü.txt', 'quo"te', 'tab\there')

t.test('git applies what is made, forwards and backwards', async t => {
  const folder = t.testdir({})
  const git = (args: string[], input: string) =>
    spawnSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], { cwd: folder, input, encoding: 'utf8' })
  fc.assert(
    fc.property(name, text, text, (path, before, after) => {
      const { diff, added, removed } = unifiedDiff(path, before, after)
      if (before === after) return diff === ''
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, before)
      const there = git([], diff)
      if (there.status !== 0 || readFileSync(file, 'utf8') !== after) throw new Error(there.stderr + diff)
      const back = git(['-R'], diff)
      if (back.status !== 0 || readFileSync(file, 'utf8') !== before) throw new Error(back.stderr + diff)
      const count = (text: string) => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0)
      return added - removed === count(after) - count(before)
    }),
    { numRuns: 150 }
  )
})

t.test('texts with nothing in common end in one hunk, in bounded time', async t => {
  const before = Array.from({ length: 30_000 }, (_, i) => `old ${(i * 7919) % 10_007}`).join('\n')
  const after = Array.from({ length: 30_000 }, (_, i) => `new ${(i * 7907) % 10_007}`).join('\n')
  const { diff, added, removed } = unifiedDiff('large.txt', `same\n${before}`, `same\n${after}`)
  t.same([added, removed], [30_001, 30_001], 'the line before goes out and in again')
  const folder = t.testdir({ 'large.txt': `same\n${before}` })
  execFileSync('git', ['apply', '-'], { cwd: folder, input: diff })
  t.equal(readFileSync(join(folder, 'large.txt'), 'utf8'), `same\n${after}`)
})
