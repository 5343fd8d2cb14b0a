// tier: quick
// Tests of the texts of the VS Code extension, and of the record of displayed lines.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { writeDiff } from '../../clients/vscode/src/model/call-card.ts'
import { CardWriter } from '../../clients/vscode/src/model/card-writer.ts'
import { DecisionGuard, GUARD_MS } from '../../clients/vscode/src/model/decision-guard.ts'
import { readDiffLines } from '../../clients/vscode/src/model/diff-lines.ts'
import { Displayed } from '../../clients/vscode/src/model/displayed.ts'
import { formatDeadline } from '../../clients/vscode/src/model/format-time.ts'
import { sanitizeForTerminal } from '../../clients/vscode/src/model/sanitize-terminal.ts'
import { describeStatus } from '../../clients/vscode/src/model/status-text.ts'
import { findChange } from '../../clients/vscode/src/model/text-change.ts'
import { toAbsolutePath, toWorkspaceFile } from '../../clients/vscode/src/model/workspace-paths.ts'
import { unifiedDiff } from '../../src/text/diff/unified-diff.ts'
import { runs } from '../support/property.ts'
import { makeTestFolder } from '../support/test-folder.ts'

t.test('text of others cannot look like a line of a card', async t => {
  const card = new CardWriter()
  card.line('title\n! forged')
  card.quote('a\n! b\u202e')
  t.same(
    card.card.map(({ text }) => text),
    ['title\\u{a}! forged', '│ a', '│ ! b\\u{202e}']
  )
})

t.test('long lines are continued, and no character is split', async t => {
  const card = new CardWriter()
  card.line(`${'x'.repeat(199)}🌷🌷`, { isRequired: true })
  t.same(card.card, [
    { text: `${'x'.repeat(199)}🌷`, isRequired: true },
    { text: '↪ 🌷', isRequired: true }
  ])
})

t.test('the lines of a diff are those of the files', t => {
  const text = fc.array(fc.constantFrom('a', 'b', '-c', '+d', '', '@@ -1 +1 @@', '--- a/x'), { maxLength: 12 })
  const property = fc.property(text, text, (before, after) => {
    const file = {
      path: 'x',
      before: before.map(line => `${line}\n`).join(''),
      after: after.map(line => `${line}\n`).join('')
    }
    const { diff, added, removed } = unifiedDiff('x', file.before, file.after)
    fc.pre(diff !== '')
    const lines = readDiffLines(diff, [file])
    for (const { text, kind, shownAt } of lines) {
      if (kind === 'header') continue
      if (!shownAt) return false
      if (file[shownAt.side].split('\n')[shownAt.line] !== text.slice(1)) return false
    }
    const count = (wanted: string) => lines.filter(({ kind }) => kind === wanted).length
    return count('added') === added && count('removed') === removed
  })
  fc.assert(property, runs(200))
  t.end()
})

const FILE = { path: 'a.txt', before: 'one\ntwo\nthree\n', after: `one\n${'2'.repeat(50)}\nthree\n` }
const DIFF = `--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+${'2'.repeat(50)}\n three\n`
const cardOf = (diff: string) => {
  const writer = new CardWriter()
  writeDiff(writer, diff, [FILE])
  return writer.card
}

t.test('a change counts as displayed where it is whole', async t => {
  const seen = (see: (displayed: Displayed) => void) => {
    const displayed = new Displayed(cardOf(DIFF))
    see(displayed)
    return displayed.missing().map(line => displayed.card[line]!.text[0])
  }
  const all = { first: 0, last: 2 }
  t.same(
    seen(() => {}),
    ['-', '+']
  )
  t.same(
    seen(each => each.seeFile({ file: 0, side: 'before' }, all, false)),
    ['+']
  )
  t.same(
    seen(each => each.seeFile({ file: 0, side: 'after' }, all, false)),
    ['-', '+'],
    'a long line may be cut off'
  )
  t.same(
    seen(each => each.seeFile({ file: 0, side: 'after' }, all, true)),
    ['-'],
    'a wrapped line is not'
  )
  t.same(
    seen(each => each.seeFile({ file: 0, side: 'after' }, { first: 2, last: 2 }, true)),
    ['-', '+']
  )
  t.same(
    seen(each => each.seeCard({ first: 0, last: 99 })),
    []
  )
})

t.test('lines of a new preview that are equal remain displayed', async t => {
  const displayed = new Displayed(cardOf(DIFF))
  displayed.seeCard({ first: 0, last: 99 })
  t.same(displayed.continueWith(cardOf(DIFF)).missing(), [])
  const next = displayed.continueWith(cardOf(DIFF.replace('-two', '-zwei')))
  t.same(
    next.missing().map(line => next.card[line]!.text),
    ['-zwei']
  )
})

t.test('ignores decisions for half a second', async t => {
  let now = 0
  const guard = new DecisionGuard(() => now)
  t.ok(guard.accepts())
  guard.restart()
  now = GUARD_MS - 1
  t.notOk(guard.accepts())
  now = GUARD_MS
  t.ok(guard.accepts())
})

t.test('a terminal gets colors, and nothing else that it would execute', async t => {
  const esc = '\u001b'
  const cases = [
    [`${esc}[1;31mred${esc}[0m\n`, `${esc}[1;31mred${esc}[0m\r\n`],
    [`a${esc}[2J${esc}[Hb`, 'ab'],
    [`a${esc}]0;title\u0007b`, 'ab'],
    [`a${esc}]52;c;Zm9v${esc}\\b`, 'ab'],
    [`a${esc}]633;E;rm -rf ~\u0007b`, 'ab'],
    [`a${esc}]0;unfinished`, 'a'],
    ['a\u009b2Jb\u0000', 'a2Jb'],
    ['50 %\r100 %\r\n', '50 %\r100 %\r\n']
  ] as const
  for (const [given, expected] of cases) t.equal(sanitizeForTerminal(given), expected)
})

t.test('finds the part of a text that changed', t => {
  const text = fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '🌷', '🌹')).map(parts => parts.join(''))
  const property = fc.property(text, text, (before, after) => {
    const { start, end, inserted } = findChange(before, after)
    return before.slice(0, start) + inserted + before.slice(end) === after && inserted.isWellFormed()
  })
  fc.assert(property, runs(500))
  t.same(findChange('one two three', 'one 2 three'), { start: 4, end: 7, inserted: '2' })
  t.end()
})

t.test('files belong to the innermost served folder', async t => {
  const root = makeTestFolder(t, {})
  mkdirSync(path.join(root, 'in/src'), { recursive: true })
  writeFileSync(path.join(root, 'in/src/a.ts'), '')
  symlinkSync(path.join(root, 'in'), path.join(root, 'link'))
  const workspaces = [
    { name: 'inner', root: path.join(root, 'in') },
    { name: 'outer', root }
  ]
  const find = (file: string) => toWorkspaceFile(path.join(root, file), workspaces)
  t.same(find('in/src/a.ts'), { workspace: 'inner', path: 'src/a.ts' })
  t.same(find('link/src/a.ts'), { workspace: 'inner', path: 'src/a.ts' })
  t.same(find('in/src/new.ts'), { workspace: 'inner', path: 'src/new.ts' })
  t.same(find('b.ts'), { workspace: 'outer', path: 'b.ts' })
  t.equal(toWorkspaceFile('/elsewhere/a.ts', workspaces), undefined)
  t.equal(toAbsolutePath({ workspace: 'inner', path: 'src/a.ts' }, workspaces), path.join(root, 'in/src/a.ts'))
  t.throws(() => toAbsolutePath({ workspace: 'none', path: 'a' }, workspaces), /not open in this editor/)
})

t.test('describes the connection in the status bar', async t => {
  t.match(describeStatus({ state: 'live' }, 0), { text: '$(shield) Toolgate', isWarning: false })
  t.match(describeStatus({ state: 'live' }, 2), {
    text: '$(shield) Toolgate 2',
    tooltip: 'Toolgate: 2 calls are waiting'
  })
  t.match(describeStatus({ state: 'lost' }, 0), { tooltip: 'Connection lost. Reconnecting…', isWarning: true })
  t.match(describeStatus({ state: 'refused', reason: 'no right' }, 0), { tooltip: 'no right' })
  t.match(describeStatus({ state: 'off' }, 0), { tooltip: 'No server was found. Click to start one.' })
})

t.test('shows the day of a far deadline', async t => {
  const now = new Date(2026, 10, 29, 12, 0)
  t.equal(formatDeadline(new Date(2026, 10, 29, 14, 5).toISOString(), now), 'until 14:05')
  t.equal(formatDeadline(new Date(2026, 10, 30, 14, 5).toISOString(), now), 'until Mon, 14:05')
  t.equal(formatDeadline(null, now), undefined)
})
