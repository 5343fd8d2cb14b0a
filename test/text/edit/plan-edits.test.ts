// tier: quick
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import type { Edit } from '../../../src/text/edit/apply-edit.ts'
import { planEdits } from '../../../src/text/edit/plan-edits.ts'
import { runs } from '../../support/property.ts'

const edit = (old: string, now: string, places: Edit['places'] = 'one'): Edit => ({ old, new: now, places })
const plan = (bytes: Uint8Array | string, ...edits: Edit[]) =>
  planEdits({ path: 'a.txt', bytes: Buffer.from(bytes), edits })
t.test('applies edits in sequence, all or none', async t => {
  t.same(plan('one two\n', edit('one', '1'), edit('1 two', '1 2')), {
    outcome: 'edited',
    bytes: Buffer.from('1 2\n'),
    encoding: 'utf-8',
    diff: { diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one two\n+1 2\n', added: 1, removed: 1 },
    edits: [
      { replacements: 1, match: 'exact', similarity: 1 },
      { replacements: 1, match: 'exact', similarity: 1 }
    ]
  })
  t.match(plan('one two\n', edit('one', '1'), edit('one', '2')), { outcome: 'not_found', edit: 1 })
  t.match(plan('a a\n', edit('a a', 'b b'), edit('b', 'c')), { outcome: 'ambiguous', edit: 1, places: 2 })
  t.same(plan('one\n', edit('one', '1'), edit('1', 'one')), { outcome: 'unchanged', edit: 1 })
  t.same(plan('one \ntwo\n', edit('one\ntwo', 'one \ntwo'), edit('two', '2')), { outcome: 'unchanged', edit: 0 })
  t.same(plan(Buffer.from([0, 1]), edit('a', 'b')), { outcome: 'not_text' })
  const latin1 = Buffer.from('caf\xe9 and more of it\n', 'latin1')
  t.same(plan(latin1, edit('and', 'y'), edit('more', '\u65e5')), {
    outcome: 'unwritable',
    edit: 1,
    encoding: 'latin1',
    character: '"日" (U+65E5)'
  })
  t.same(
    plan(latin1, edit('and', 'y'), edit('\\x6dore', '\\u65e5')),
    { outcome: 'unwritable', edit: 1, encoding: 'latin1', character: '"日" (U+65E5)' },
    'written with escapes too'
  )
})

t.test('the diff converts the file to the new one, and back', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'edit-plan-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'a.txt')
  const apply = (diff: string, ...args: string[]) =>
    execaSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], { cwd: folder, input: diff, stdio: 'pipe' })
  const line = fc.constantFrom('a', 'b ', '\tc', '', '$&', '\u201cq\u201d', 'e\\n')
  const ending = fc.constantFrom('\n', '\r\n')
  const lines = fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 12 })
  const texts = fc
    .tuple(lines, fc.constantFrom('', 'MARK', 'MARK\n'), lines, fc.constantFrom('', '\ufeff'))
    .map(([before, mark, after, bom]) =>
      `${bom}${before.flat().join('')}${mark || 'MARK'}${after.flat().join('')}${mark}`
        .replace('MARK', 'ONE')
        .replace('MARK', 'TWO')
    )
  fc.assert(
    fc.property(texts, lines, (text, now) => {
      const result = plan(text, edit('ONE', now.flat().join('')))
      if (result.outcome !== 'edited') throw new Error(result.outcome)
      writeFileSync(file, text)
      apply(result.diff.diff)
      const forth = readFileSync(file).equals(Buffer.from(result.bytes))
      apply(result.diff.diff, '-R')
      return forth && readFileSync(file, 'utf8') === text
    }),
    runs(80)
  )
})
