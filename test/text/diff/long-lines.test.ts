// Tests of diffs that are shown and not applied: long lines show what changes, and what is left after a cut is a diff.
// tier: quick
import t from 'tap'
import { cutDiff } from '../../../src/text/diff/cut-diff.ts'
import { shortenLongLines } from '../../../src/text/diff/long-lines.ts'
import { unifiedDiff } from '../../../src/text/diff/unified-diff.ts'

const diffOf = (before: string, after: string) => unifiedDiff('a.txt', before, after).diff
const bodyOf = (diff: string) => diff.split('\n').slice(3, -1)

t.test('a diff without long lines stays as it is', async t => {
  const diff = diffOf('one\ntwo\n', 'one\n2\n')
  t.equal(shortenLongLines(diff), diff)
  t.equal(shortenLongLines(''), '')
})

t.test('long lines that stay show their ends', async t => {
  const long = `${'a'.repeat(2_000)}${'b'.repeat(2_000)}`
  const shown = bodyOf(shortenLongLines(diffOf(`${long}\none\n`, `${long}\ntwo\n`)))
  t.strictSame(shown, [` ${'a'.repeat(100)}[… 3800 characters …]${'b'.repeat(100)}`, '-one', '+two'])
})

t.test('each of several changed long lines shows its own change', async t => {
  const line = (word: string) => `${'x'.repeat(1_500)}${word}${'y'.repeat(1_500)}`
  const shown = bodyOf(shortenLongLines(diffOf(`${line('one')}\n${line('two')}\n`, `${line('1')}\n${line('2')}\n`)))
  t.match(shown, [/x{100}oney{100}/, /x{100}twoy{100}/, /x{100}1y{100}/, /x{100}2y{100}/])
  t.ok(shown.every(each => each.length < 300))
})

t.test('characters are not torn, and lines that look like headers are content', async t => {
  const emoji = '\u{1f600}'.repeat(1_000)
  const shown = shortenLongLines(diffOf(`${emoji}one${emoji}\n`, `${emoji}two${emoji}\n`))
  t.ok(shown.isWellFormed())
  const header = '-- a/other.txt'
  const both = shortenLongLines(diffOf(`${header}\n${'z'.repeat(3_000)}\n`, `${'z'.repeat(3_000)}\n`))
  t.match(both, `\n-${header}\n ${'z'.repeat(100)}[…`)
})

t.test('a line that is wholly new stays whole, until it is cut', async t => {
  const diff = diffOf('', `${'n'.repeat(5_000)}\n`)
  t.equal(shortenLongLines(diff), diff)
  t.strictSame(cutDiff(diff, 3_000), {
    diff: `--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1 @@\n+${'n'.repeat(1_999)}[… 3001 characters …]\n`,
    missing: 1
  })
})

t.test('what is left after a cut has the counts of its lines', async t => {
  const before = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('')
  const diff = diffOf(before, before.replaceAll('line', 'row'))
  t.strictSame(cutDiff(diff, 100_000), { diff, missing: 0 })
  const cut = cutDiff(diff, 150)
  t.equal(cut.diff, '--- a/a.txt\n+++ b/a.txt\n@@ -1,6 +0,0 @@\n-line 0\n-line 1\n-line 2\n-line 3\n-line 4\n-line 5\n')
  t.equal(cut.missing, 194)
  t.strictSame(cutDiff(diff, 0), { diff: '', missing: 202 })
})
