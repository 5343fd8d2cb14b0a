// Tests that undo brings back what a call moved away or removed and replaced by a symbolic link, wherever that leads, and that nothing
// outside of the workspace is read, written or removed by it.
// tier: full
import { mkdirSync, mkdtempSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { needs } from '../support/needs.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { readTree, startAuto } from './approvals/auto-app.ts'
import { startUndoFixture } from './undo-fixture.ts'

const FILES = {
  'a/f.txt': 'f\n',
  'a/deep/g.txt': 'g\n',
  'z.txt': 'z\n'
}

/** Returns a folder beside the workspace that has the same names. */
function createOutside(t: Test): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'outside-')))
  t.teardown(() => removeFolder(folder))
  for (const [name, content] of Object.entries({ 'f.txt': 'mine\n', 'deep/g.txt': 'mine\n', 'b/f.txt': 'mine\n' })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), content)
  }
  return folder
}

t.test('what a command replaced by a link comes back', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, FILES)
  const outside = createOutside(t)
  const before = readTree(app.root)
  const outsideBefore = readTree(outside)
  const away = "os.rename('a', 'b')\n"
  const programs: Record<string, string> = {
    'a folder outside': `${away}os.symlink('${outside}', 'a')`,
    'a folder outside, by a relative path': `${away}os.symlink('../${path.basename(outside)}', 'a')`,
    'a file outside': `${away}os.symlink('${outside}/f.txt', 'a')`,
    'nothing, outside': `${away}os.symlink('${outside}/none', 'a')`,
    'nothing, inside': `${away}os.symlink('none', 'a')`,
    'the folder above the workspace': `${away}os.symlink('..', 'a')`,
    'the workspace': `${away}os.symlink('.', 'a')`,
    'the root of the system': `${away}os.symlink('/', 'a')`,
    'a file of the workspace': `${away}os.symlink('z.txt', 'a')`,
    'where the folder is now': `${away}os.symlink('b', 'a')`,
    'a folder outside, by a chain': `${away}os.symlink('${outside}', 'c')\nos.symlink('c', 'a')`,
    'a folder outside, with changes before': `open('a/f.txt', 'w').write('h')\n${away}os.symlink('${outside}', 'a')`,
    'a folder outside, with changes after': `${away}os.symlink('${outside}', 'a')\nopen('b/f.txt', 'w').write('h')\nos.remove('b/deep/g.txt')`,
    'a folder outside, nested': `os.rename('a/deep', 'd')\nos.symlink('${outside}/deep', 'a/deep')`,
    'both, nested': `os.rename('a/deep', 'd')\nos.symlink('${outside}/deep', 'a/deep')\n${away}os.symlink('${outside}', 'a')`,
    'a folder outside, removed': `shutil.rmtree('a/deep')\nos.symlink('${outside}/deep', 'a/deep')`,
    'a folder outside, instead of a file': `os.remove('a/f.txt')\nos.symlink('${outside}', 'a/f.txt')`,
    'a folder outside, moved into a new one': `os.mkdir('n')\nos.rename('a', 'n/a')\nos.symlink('${outside}', 'a')`
  }
  for (const [how, code] of Object.entries(programs)) {
    const done = await app.run(`import os, shutil\n${code}`)
    t.match(done, { status: 'success', approved_by: { mode: 'auto' }, result: { data: { exit_code: 0 } } }, how)
    t.not(JSON.stringify(readTree(app.root)), JSON.stringify(before), `${how}: it changed something`)
    const preview = await app.request('GET', `/calls/${done.tool_call_id}/undo`)
    t.match(preview.body, { available: true }, how)
    t.match(await app.undo(done.tool_call_id), { status: 'success' }, how)
    t.same(readTree(app.root), before, how)
    t.same(readTree(outside), outsideBefore, `${how}: nothing changes outside`)
  }
})

t.test('what an approved command replaced by a link comes back, also what programs execute', async t => {
  const { did, undo, root } = await startUndoFixture(t, { ...FILES, 'a/CLAUDE.md': 'fine\n', 'a/.env': 'KEY=x\n' })
  const outside = createOutside(t)
  const before = readTree(root)
  for (const target of [outside, 'b']) {
    const done = await did('shell_exec', { command: `mv a b && ln -s ${target} a`, track_changes: true })
    t.match(await undo(done), { status: 'success' }, target)
    t.same(readTree(root), before, target)
  }
})

t.test('what other tools put a link in the place of comes back', async t => {
  const { did, undo, link, root, at } = await startUndoFixture(t, FILES)
  const outside = createOutside(t)
  link('l', outside)
  const [before, outsideBefore] = [readTree(root), readTree(outside)]
  for (const [tool, params] of [
    ['move_file', { from: 'a', to: 'b' }],
    ['delete_file', { path: 'a', recursive: true }]
  ] as const) {
    const first = await did(tool, params)
    await did('move_file', { from: 'l', to: 'a' })
    t.match(await undo(first), { error: { code: 'UNDO_CONFLICT' } }, `${tool}: the link stands in the way`)
    t.match(await undo(first, { scope: 'since' }), { status: 'success' }, tool)
    t.same(readTree(root), before, tool)
  }
  const edited = await did('edit_file', { path: 'a/f.txt', old: 'f', new: 'h' })
  const created = await did('write_file', { path: 'a/new/h.txt', content: 'h\n' })
  renameSync(at('a'), at('b'))
  link('a', outside)
  const linked = readTree(root)
  for (const call of [edited, created])
    t.match(await undo(call), { error: { code: 'UNDO_CONFLICT' } }, 'what it changed is somewhere else')
  t.same(readTree(root), linked)
  t.same(readTree(outside), outsideBefore)
})
