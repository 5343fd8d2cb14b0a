// Tests of git patches in results for files that are not UTF-8: git applies and reverts them.
// tier: full
import { execaSync } from 'execa'
import t from 'tap'
import type { RunContext } from '../../../../src/tool/contexts.ts'
import applyPatch from '../../../../src/tools/files/apply_patch.ts'
import editFile from '../../../../src/tools/files/edit_file.ts'
import multiEdit from '../../../../src/tools/files/multi_edit.ts'
import { createToolFixture, runTool, snapshotTree } from '../../fixture.ts'

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
const FILES = {
  'le.txt': Buffer.from('\ufeffone\r\nzw\u00f6lf\r\n', 'utf16le'),
  'be.txt': utf16be('one\nzw\u00f6lf'),
  'latin.txt': Buffer.from('one\nzw\u00f6lf\n', 'latin1'),
  'utf8.txt': 'one\nzw\u00f6lf\n'
}

/** Each tool's report of a change of the file. */
const CHANGES: Record<string, (path: string, ctx: RunContext) => Promise<{ git_patch?: string; diff: string }>> = {
  edit_file: (path, ctx) => runTool(editFile, { path, old: 'one', new: '\u00e4ins' }, ctx),
  multi_edit: (path, ctx) => runTool(multiEdit, { path, edits: [{ old: 'one', new: 'eins' }] }, ctx),
  apply_patch: async (path, ctx) => {
    const patch = `*** Begin Patch\n*** Update File: ${path}\n*** Move to: moved.txt\n@@\n-one\n+eins\n*** End Patch`
    return (await runTool(applyPatch, { patch }, ctx)).files[0]!
  }
}

for (const [name, change] of Object.entries(CHANGES))
  t.test(name, async t => {
    for (const path of Object.keys(FILES)) {
      const { root, ctx } = createToolFixture(t, FILES)
      const before = snapshotTree(root)
      const { git_patch, diff } = await change(path, ctx)
      const after = snapshotTree(root)
      t.notSame(after, before, path)
      t.equal(git_patch === undefined, path === 'utf8.txt', 'only where the diff does not do')
      const apply = (...args: string[]) =>
        execaSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], { cwd: root, input: git_patch ?? diff })
      apply('-R')
      t.same(snapshotTree(root), before, `${path}, taken back`)
      apply()
      t.same(snapshotTree(root), after, `${path}, done again`)
    }
  })
