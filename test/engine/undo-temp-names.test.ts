// Tests that a file of a command is listed and undone like any other, also if it is named like a temporary file of the server.
// tier: full
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../support/needs.ts'
import { readTree, startAuto } from './approvals/auto-app.ts'
import { startUndoFixture } from './undo-fixture.ts'

const NAMES = [
  '.toolgate-tmp-x',
  '.toolgate-tmp-0123456789abcdef01',
  '.toolgate-tmp-0123456789abcdef01-7',
  'deep/.toolgate-tmp-quarantine-1-1',
  '.toolgate-tmp-folder/a.txt'
]
const MAKE = NAMES.map(name => `mkdir -p "$(dirname ${name})" && echo made > ${name}`).join(' && ')
const PATHS = [...NAMES, '.toolgate-tmp-folder', 'deep'].sort()

t.test('what a tracked command makes is listed and undone', async t => {
  const { did, undo, tree, call } = await startUndoFixture(t, { 'a.txt': 'a\n' })
  const before = tree()
  const done = await did('shell_exec', { command: MAKE, track_changes: true })
  t.same(
    done.changes.map(({ path, operation }: { path: string; operation: string }) => `${operation} ${path}`).sort(),
    [...PATHS.map(name => `created ${name}`)]
  )
  const listed = await call('list_directory', { path: '.', include_hidden: true })
  t.same(
    listed.result.data.entries.map(({ path }: { path: string }) => path).sort(),
    ['a.txt', 'deep', '.toolgate-tmp-folder', ...NAMES.slice(0, 3)].sort()
  )
  t.match(await call('read_file', { path: NAMES[0] }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
  t.match(await undo(done), { status: 'success' })
  t.same(tree(), before)
  await did('shell_exec', { command: MAKE, track_changes: true })
  const made = tree()
  const removed = await did('shell_exec', { command: 'rm -r .toolgate-tmp-* deep', track_changes: true })
  t.match(await undo(removed), { status: 'success' })
  t.same(tree(), made)
})

t.test('what a command in the mode auto makes is listed and undone', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a\n' })
  const before = readTree(app.root)
  const done = await app.call('shell_exec', {
    command: `python3 -c 'import subprocess; subprocess.run("""${MAKE}""", shell=True, check=True)'`
  })
  t.match(done, { status: 'success', approved_by: { mode: 'auto' }, result: { data: { exit_code: 0 } } })
  t.same(done.changes.map(({ path }: { path: string }) => path).sort(), PATHS)
  t.match(await app.undo(done.tool_call_id), { status: 'success' })
  t.same(readTree(app.root), before)
})

t.test('what the server itself is writing belongs to no command', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t)
  const running = app.run(`
import os, time
open('ready', 'w').write('x')
while not os.path.exists('stop'): time.sleep(0.001)`)
  while (!existsSync(path.join(app.root, 'ready'))) await new Promise(resolve => setImmediate(resolve))
  const content = 'x'.repeat(100_000)
  const written = await Promise.all(
    Array.from({ length: 40 }, (_, i) => app.call('write_file', { path: `w/${i}.txt`, content }))
  )
  t.same(new Set(written.map(({ status }) => status)), new Set(['success']))
  const stop = app.call('write_file', { path: 'stop', content: '' })
  const more = Array.from({ length: 40 }, (_, i) => app.call('write_file', { path: `w/${i}-more.txt`, content }))
  const done = await running
  t.match(done, { status: 'success' })
  t.same(
    done.changes.map(({ path }: { path: string }) => path),
    ['ready']
  )
  await Promise.all([stop, ...more])
  t.same(
    readdirSync(path.join(app.root, 'w')).filter(name => name.startsWith('.')),
    []
  )
  t.equal(readFileSync(path.join(app.root, 'w/7.txt'), 'utf8'), content)
})
