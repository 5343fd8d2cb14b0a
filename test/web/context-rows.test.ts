// Tests of the unchanged lines around the hunks of a diff.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { unifiedDiff } from '../../src/text/diff/unified-diff.ts'
import {
  expandContext,
  findGaps,
  insertContext,
  matchesDiff,
  type ShownContext,
  splitLines
} from '../../web/diff/context-rows.ts'
import { parseDiffRows } from '../../web/diff/diff-rows.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`)
const toText = (lines: readonly string[]) => lines.map(line => `${line}\n`).join('')

/** Changes the lines with these numbers. */
function makeDiff(lines: readonly string[], ...changed: number[]) {
  const after = lines.map((line, i) => (changed.includes(i + 1) ? `${line} changed` : line))
  return parseDiffRows(unifiedDiff('a.txt', toText(lines), toText(after)).diff)![0]!.rows
}

t.test('finds the hidden lines before, between and after hunks', async t => {
  const rows = makeDiff(numbered(100), 20, 60)
  t.same(findGaps(rows, undefined), [
    { old: 1, new: 1, count: 16 },
    { old: 24, new: 24, count: 33 },
    { old: 64, new: 64, count: undefined }
  ])
  t.equal(findGaps(rows, 100)[2]!.count, 37)
  t.same(
    findGaps(makeDiff(numbered(10), 2, 9), undefined).map(({ count }) => count),
    [0, 0],
    'the hunk ends with the file'
  )
  t.same(findGaps(parseDiffRows(unifiedDiff('a', undefined, 'new\n').diff)![0]!.rows, undefined).at(-1)?.count ?? 0, 0)
  const wrong = '--- a/a\n+++ b/a\n@@ -5,1 +5,1 @@\n-a\n+b\n@@ -2,1 +2,1 @@\n-a\n+b\n'
  t.same(findGaps(parseDiffRows(wrong)![0]!.rows, undefined), [], 'hunks in the wrong order')
})

t.test('shows 20 lines at a time, or all', async t => {
  const lines = numbered(100)
  const rows = makeDiff(lines, 60)
  const gaps = findGaps(rows, lines.length)
  const toRow = (old: number, fresh: number) => ({ kind: 'same' as const, old, new: fresh, text: lines[old - 1]! })
  const show = (shown: ShownContext) => insertContext(rows, gaps, shown, toRow)
  const up = show(expandContext(new Map(), gaps, 0, 'up'))
  t.match(up.rows[0], { text: '@@ -37,27 +37,27 @@', gap: { index: 0, hidden: 36, before: 37 } })
  t.same(
    up.rows.slice(1, 22).map(({ old }) => old),
    Array.from({ length: 21 }, (_, i) => 37 + i)
  )
  const down = show(expandContext(new Map(), gaps, 1, 'down'))
  t.equal(down.rows.length, rows.length)
  t.match(
    [down.after.length, down.after[19], down.after[20]],
    [21, { old: 83, text: 'line 83' }, { gap: { hidden: 17 } }]
  )
  let all = expandContext(new Map(), gaps, 0, 'all')
  all = expandContext(expandContext(all, gaps, 1, 'down'), gaps, 1, 'down')
  t.equal(expandContext(all, gaps, 1, 'down'), all, 'there are no more')
  t.same(
    [...show(all).rows, ...show(all).after].filter(({ kind }) => kind !== 'added').map(({ text }) => text),
    lines
  )
})

t.test('any expansion shows lines of the file in their order', async () => {
  const lines = numbered(300)
  const step = fc.tuple(fc.nat(4), fc.constantFrom('up' as const, 'down' as const, 'all' as const))
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
      fc.array(step),
      (changed, steps) => {
        const rows = makeDiff(lines, ...changed)
        const gaps = findGaps(rows, lines.length)
        let shown: ShownContext = new Map()
        for (const [gap, direction] of steps)
          if (direction !== 'up' || gap < gaps.length - 1) shown = expandContext(shown, gaps, gap, direction)
        const inserted = insertContext(rows, gaps, shown, (old, fresh) => ({
          kind: 'same',
          old,
          new: fresh,
          text: lines[old - 1]!
        }))
        const old = [...inserted.rows, ...inserted.after].flatMap(row => row.old ?? [])
        return (
          matchesDiff(inserted.rows, lines) &&
          matchesDiff(inserted.after, lines) &&
          old.every((number, i) => i === 0 || number > old[i - 1]!)
        )
      }
    )
  )
})

t.test('detects a file that is not the one of the diff', async t => {
  const rows = makeDiff(numbered(30), 10)
  t.ok(matchesDiff(rows, numbered(30)))
  t.ok(
    matchesDiff(
      rows,
      numbered(30).map(line => `${line}\r`)
    ),
    'line ends may differ'
  )
  t.notOk(matchesDiff(rows, numbered(9)))
  t.notOk(matchesDiff(rows, ['more', ...numbered(30)]))
  t.same(splitLines('a\nb\n'), ['a', 'b'])
  t.same(splitLines('a\n\nb'), ['a', '', 'b'])
  t.same(splitLines(''), [])
})
