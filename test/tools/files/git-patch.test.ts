// Of files that are not in UTF-8 git takes what a call tells for it, forwards and backwards.
import { execFileSync } from 'node:child_process'
import t from 'tap'
import applyPatch from '../../../src/tools/files/apply_patch.ts'
import editFile from '../../../src/tools/files/edit_file.ts'
import multiEdit from '../../../src/tools/files/multi_edit.ts'
import { makeWorld, run, snapshot } from '../context.ts'

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
const FILES = {
  'le.txt': Buffer.from('\ufeffone\r\nzw\u00f6lf\r\n', 'utf16le'),
  'be.txt': utf16be('one\nzw\u00f6lf'),
  'latin.txt': Buffer.from('one\nzw\u00f6lf\n', 'latin1'),
  'utf8.txt': 'one\nzw\u00f6lf\n'
}

for (const [name, params] of Object.entries({
  edit_file: (path: string) => ({ path, old: 'one', new: '\u00e4ins' }),
  multi_edit: (path: string) => ({ path, edits: [{ old: 'one', new: 'eins' }] }),
  apply_patch: (path: string) => ({
    patch: `*** Begin Patch\n*** Update File: ${path}\n*** Move to: moved.txt\n@@\n-one\n+eins\n*** End Patch`
  })
}))
  t.test(name, async t => {
    const tool = { edit_file: editFile, multi_edit: multiEdit, apply_patch: applyPatch }[name]!
    for (const path of Object.keys(FILES)) {
      const { root, ctx } = makeWorld(t, FILES)
      const before = snapshot(root)
      // biome-ignore lint/suspicious/noExplicitAny: three tools in turn
      const output = await run(tool as any, params(path) as any, ctx)
      const after = snapshot(root)
      t.notSame(after, before, path)
      const told = (output as { files?: { git_patch?: string; diff: string }[] }).files?.[0] ?? output
      const { git_patch, diff } = told as { git_patch?: string; diff: string }
      t.equal(git_patch === undefined, path === 'utf8.txt', 'only where the diff does not do')
      const apply = (...args: string[]) =>
        execFileSync('git', ['apply', '--whitespace=nowarn', ...args, '-'], { cwd: root, input: git_patch ?? diff })
      apply('-R')
      t.same(snapshot(root), before, `${path}, taken back`)
      apply()
      t.same(snapshot(root), after, `${path}, done again`)
    }
  })
