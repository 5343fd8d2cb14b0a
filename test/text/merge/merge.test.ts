// tier: quick
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { merge } from '../../../src/text/merge/merge.ts'
import { runs } from '../../support/property.ts'

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}`)
const text = (lines: string[], eol = '\n') => `${lines.join(eol)}${eol}`

t.test('merges changes in different places', async t => {
  const ours = text(ten.with(1, 'ours'))
  const theirs = text(ten.toSpliced(7, 1, 'theirs', 'more'))
  t.same(merge(text(ten), ours, theirs), { text: text(ten.with(1, 'ours').toSpliced(7, 1, 'theirs', 'more')) })
  t.same(merge(text(ten), text(ten), theirs), { text: theirs })
  t.same(merge(text(ten), ours, text(ten)), { text: ours })
  t.same(merge(text(ten), ours, ours), { text: ours }, 'both did the same')
  t.same(merge(text(ten), text(ten.slice(0, 4)), theirs), {
    conflicts: [
      { start_line: 5, end_line: 4, ours: '', theirs: 'line 5\nline 6\nline 7\ntheirs\nmore\nline 9\nline 10' }
    ]
  })
})

t.test('reports conflicts by lines of ours', async t => {
  const ours = ['new first', ...ten.with(4, 'ours 5')]
  const theirs = ten.with(4, 'theirs 5').with(8, 'theirs 9')
  t.same(merge(text(ten), text(ours), text(theirs)), {
    conflicts: [{ start_line: 6, end_line: 6, ours: 'ours 5', theirs: 'theirs 5' }]
  })
  t.same(merge(text(ten), text(ours.with(9, 'ours 9')), text(theirs.toSpliced(2, 1))), {
    conflicts: [
      { start_line: 6, end_line: 6, ours: 'ours 5', theirs: 'theirs 5' },
      { start_line: 10, end_line: 10, ours: 'ours 9', theirs: 'theirs 9' }
    ]
  })
  t.same(
    merge(text(ten), text(ten.toSpliced(4, 1)), text(theirs)),
    { conflicts: [{ start_line: 5, end_line: 4, ours: '', theirs: 'theirs 5' }] },
    'ours has nothing there'
  )
  t.same(
    merge('a\na\na\na\na\n', 'a\na\nx\na\na\n', 'a\na\ny\na\na\n'),
    { conflicts: [{ start_line: 3, end_line: 3, ours: 'x', theirs: 'y' }] },
    'no line is there only once'
  )
})

t.test('uses our line endings and final newline, unless theirs changed them', async t => {
  const crlf = (lines: string[]) => text(lines, '\r\n')
  const [mine, yours, both] = [ten.with(0, 'mine'), ten.with(9, 'yours'), ten.with(0, 'mine').with(9, 'yours')]
  t.same(merge(text(ten), crlf(mine), text(yours)), { text: crlf(both) }, 'ours turned to CRLF')
  t.same(merge(crlf(ten), crlf(mine), text(yours)), { text: text(both) }, 'theirs turned to LF')
  t.same(merge(crlf(ten), crlf(mine), crlf(yours)), { text: crlf(both) })
  t.same(merge(text(ten), text(mine).trimEnd(), text(ten.with(5, 'yours'))), {
    text: text(mine.with(5, 'yours')).trimEnd()
  })
  t.same(merge('a\r\nb\nc\nd\n', 'A\r\nb\nc\nd\n', 'a\r\nb\nc\nD\n'), { text: 'A\r\nb\nc\nD\n' }, 'line by line')
  t.same(merge(text(ten), crlf(ten.with(3, 'x')), text(ten.with(3, 'y'))), {
    conflicts: [{ start_line: 4, end_line: 4, ours: 'x', theirs: 'y' }]
  })
})

t.test('agrees with git where git merges', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'merge-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const base = Array.from({ length: 40 }, (_, i) => `${i}`)
  const edit = fc.record({
    at: fc.nat(39),
    drop: fc.nat(2),
    put: fc.array(fc.constantFrom('p', 'q', ''), { maxLength: 2 })
  })
  const changed = (edits: { at: number; drop: number; put: string[] }[]) =>
    text(edits.reduce((lines, { at, drop, put }) => lines.toSpliced(at, drop, ...put), base))
  const sides = fc.array(edit, { minLength: 1, maxLength: 3 })
  let merged = 0
  fc.assert(
    fc.property(sides, sides, (ours, theirs) => {
      const versions = [changed(ours), text(base), changed(theirs)] as const
      const [a, o, b] = versions
      for (const [i, version] of versions.entries()) writeFileSync(join(folder, 'aob'[i]!), version)
      const found = merge(o, a, b)
      let git: string
      try {
        git = execaSync('git', ['merge-file', '-p', 'a', 'o', 'b'], { cwd: folder, stripFinalNewline: false }).stdout
      } catch {
        return
      }
      merged += 1
      // Git sometimes merges changes of adjacent lines; a stricter merge may only report a conflict.
      if ('text' in found && found.text !== git) throw new Error(`${JSON.stringify([a, o, b, found.text, git])}`)
    }),
    runs(60)
  )
  t.ok(merged > 10, 'there was something to compare')
})

t.test('keeps all changes without a conflict, for either order of sides', async () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd', '')
  const body = fc.array(line, { maxLength: 12 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(body, body, body, (base, ours, theirs) => {
      const [one, other] = [merge(base, ours, theirs), merge(base, theirs, ours)]
      if ('text' in one !== 'text' in other) throw new Error('the sides do not agree')
      if ('text' in one && 'text' in other && one.text !== other.text) throw new Error('the sides differ')
      if (!('conflicts' in one)) return
      const lines = ours.split('\n')
      for (const { start_line, end_line, ours: told } of one.conflicts)
        if (lines.slice(start_line - 1, end_line).join('\n') !== told) throw new Error(`${start_line} is not ${told}`)
    }),
    runs(500)
  )
})
