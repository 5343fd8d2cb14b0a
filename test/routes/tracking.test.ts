// Tests of tracked changes: what a command changes is attributed to its call, with all the data to undo it.
// tier: full
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { snapshotFolder } from '../snapshot-folder.ts'
import type { Json } from '../start-app.ts'
import { hash, startTracked } from './tracking-fixture.ts'

t.test('reports all changes of a command, in a possible order', async t => {
  const files = {
    'a.txt': 'one\n',
    'b.txt': 'two\n',
    'dir/c.txt': 'three\n',
    'dir/d.txt': 'four\n',
    same: 'same\n',
    x: 'x\n'
  }
  const { shell, kept, at, get } = await startTracked(t, files)
  symlinkSync('a.txt', at('link'))
  chmodSync(at('dir'), 0o750)
  const call = await shell(
    'echo more >> a.txt; rm b.txt; mv dir/c.txt moved.txt; rm -r dir; mkdir -p p/q; echo new > p/q/r; ln -sfn x link; chmod 755 x; touch same'
  )
  const { changes } = call
  t.match(call, {
    status: 'success',
    result: { data: { exit_code: 0 }, metadata: { tracking: { files: 6, bytes: 26 } } }
  })
  const before = (text: string) => ({ before_hash: hash(text) })
  t.same(changes, [
    { path: 'b.txt', operation: 'deleted', before_mode: '644', ...before('two\n'), added: 0, removed: 1 },
    { path: 'dir/d.txt', operation: 'deleted', before_mode: '644', ...before('four\n'), added: 0, removed: 1 },
    { path: 'link', operation: 'deleted', kind: 'symlink', target: 'a.txt' },
    { path: 'moved.txt', operation: 'moved', from: 'dir/c.txt', after_hash: hash('three\n') },
    { path: 'p', operation: 'created', kind: 'directory' },
    { path: 'p/q', operation: 'created', kind: 'directory' },
    { path: 'a.txt', operation: 'modified', ...before('one\n'), after_hash: hash('one\nmore\n') },
    {
      path: 'x',
      operation: 'modified',
      before_mode: '644',
      after_mode: '755',
      ...before('x\n'),
      after_hash: hash('x\n')
    },
    { path: 'dir', operation: 'deleted', kind: 'directory', before_mode: '750' },
    { path: 'link', operation: 'created', kind: 'symlink', target: 'x' },
    { path: 'p/q/r', operation: 'created', after_hash: hash('new\n'), added: 1, removed: 0 }
  ])
  for (const text of ['two\n', 'four\n', 'one\n', 'one\nmore\n']) t.equal(kept(hash(text)), text, 'its content is kept')
  t.same((await get(`/calls/${call.tool_call_id}`)).changes, changes)
})

t.test('undoes them, of any kind', async t => {
  const files = {
    'a.txt': 'one\n',
    'b.bin': 'x\0y',
    'dir/c.txt': 'three\n',
    'dir/sub/d.txt': 'four\n',
    x: '',
    '.env': 'A=1\n'
  }
  const { shell, root, at, get, post } = await startTracked(t, files)
  symlinkSync('dir/c.txt', at('link'))
  mkdirSync(at('empty'))
  chmodSync(at('x'), 0o755)
  const before = snapshotFolder(root)
  const commands = [
    'echo more >> a.txt; rm b.bin; mv dir/c.txt moved.txt; rm -r dir; mkdir -p p/q; echo new > p/q/r; ln -sfn x link',
    'rm a.txt; mkdir a.txt; echo in > a.txt/in; rmdir empty; echo file > empty; chmod 600 x; echo B=2 >> .env',
    'mv dir other; echo more >> other/sub/d.txt; rm link; ln -s nowhere link',
    'mv dir/sub sub; mv dir sub/dir; rm -f sub/dir/c.txt',
    'rm -rf ./* .env'
  ]
  for (const command of commands) {
    const call = await shell(command)
    t.match(call, { status: 'success', result: { data: { exit_code: 0 } } }, command)
    t.notSame(snapshotFolder(root), before)
    const { digest } = await get(`/calls/${call.tool_call_id}/undo`)
    const undone = await post(`/calls/${call.tool_call_id}/undo?wait_ms=120000`, { digest, confirm: true })
    t.match(undone, { status: 'success' }, command)
    t.same(snapshotFolder(root), before, command)
  }
})

t.test('tracks changes for any outcome', async t => {
  const { shell, call } = await startTracked(t, { 'a.txt': '0' })
  // The limits are enough for each to write first, also on a busy machine.
  const ends: [Json, Json][] = [
    [await shell('echo -n 1 > a.txt; exit 3'), { status: 'success', result: { data: { exit_code: 3 } } }],
    [
      await shell('echo -n 2 > a.txt; sleep 60', { timeout_ms: 5_000 }),
      { status: 'success', result: { data: { timed_out: true } } }
    ],
    [
      await call('shell_exec', { command: 'echo -n 3 > a.txt; sleep 60' }, { timeout_ms: 5_000 }),
      { status: 'error', error: { code: 'TIMEOUT' } }
    ]
  ]
  for (const [i, [ended, pattern]] of ends.entries()) {
    t.match(ended, pattern)
    t.match(ended.changes, [{ path: 'a.txt', before_hash: hash(`${i}`), after_hash: hash(`${i + 1}`) }])
  }
})

t.test('tracks changes of a cancelled command', async t => {
  const { events, post, read, get, shell } = await startTracked(t, { 'a.txt': '0' })
  const stream = await events()
  const running = shell('echo -n 1 > a.txt; echo ready; sleep 60')
  const [delta] = (await stream.type('tool.progress')).slice(-1)
  const { tool_call_id } = delta
  await post(`/calls/${tool_call_id}/cancel?wait_ms=120000`, {})
  t.match(await running, { status: 'cancelled', changes: [{ path: 'a.txt', operation: 'modified' }] })
  t.equal(read('a.txt'), '1')
  t.match(await get(`/calls/${tool_call_id}`), { changes: [{ after_hash: hash('1') }] })
})

t.test('excludes ignored files and git; counts what cannot be covered', async t => {
  const files = { '.git/HEAD': '', '.gitignore': 'out/\n', 'out/x': '', 'large.bin': '', 'a.txt': 'a' }
  const undo = { max_age_days: 1, max_bytes: 1_000_000, max_file_bytes: 1_000, track_commands: true }
  const { shell, at } = await startTracked(t, files, { undo })
  truncateSync(at('large.bin'), 2_000)
  const call = await shell(
    'echo x > out/x; g=.git; echo x > "$g/HEAD"; echo y >> large.bin; echo b > a.txt; echo TOKEN=1 > .env'
  )
  t.match(call.result.metadata.tracking, { files: 2, bytes: 6, not_covered: 1 })
  t.match(call.result.content, /Undo cannot restore large\.bin: the content before the change was not stored/)
  t.same(
    call.changes.map(({ path, before_hash }: Json) => [path, before_hash]),
    [
      ['a.txt', hash('a')],
      ['large.bin', undefined],
      ['.env', undefined]
    ]
  )
})

t.test('does not report changes since the last tracked command again, and none without tracking', async t => {
  const { shell, call } = await startTracked(t, { 'a.txt': 'a', 'b.txt': 'b' })
  await shell('true')
  t.match(await call('shell_exec', { command: 'echo -n 1 > a.txt; echo -n 1 > b.txt', track_changes: false }), {
    changes: undefined,
    result: { metadata: { tracking: undefined } }
  })
  const after = await shell('echo -n 2 > a.txt; rm b.txt')
  t.match(after.changes, [
    { path: 'b.txt', before_hash: hash('1') },
    { path: 'a.txt', before_hash: hash('1'), after_hash: hash('2') }
  ])
})

t.test('is switched off by `undo.track_commands`, and on again by a call', async t => {
  const undo = { max_age_days: 1, max_bytes: 1_000_000, max_file_bytes: 1_000, track_commands: false }
  const { shell } = await startTracked(t, { 'a.txt': 'a' }, { undo })
  t.match(await shell('echo 1 > a.txt'), { changes: undefined, result: { metadata: { tracking: undefined } } })
  t.match(await shell('echo 2 > a.txt', { track_changes: true }), { changes: [{ path: 'a.txt' }] })
})

t.test('does not track commands that only read', async t => {
  const { shell } = await startTracked(t, { 'a.txt': 'a' })
  t.match(await shell('cat a.txt'), { changes: undefined, result: { metadata: { tracking: undefined } } })
})

t.test('tracks a command until it is moved to the background', async t => {
  const { shell, post, read } = await startTracked(t, { 'a.txt': 'a', 'b.txt': 'b' })
  const call = await shell('echo 1 > a.txt; echo ready; sleep 60', { wait_ms: 5_000 })
  t.match(call, { status: 'success', changes: [{ path: 'a.txt' }], result: { data: { task_id: String } } })
  t.equal(read('a.txt'), '1\n')
  await post(`/jobs/${call.result.data.task_id}/stop`, {})
})

t.test('runs a command untracked, and says so, where there are too many files that are not watched', async t => {
  const { shell, at, get } = await startTracked(t, {})
  for (let folder = 0; folder < 101; folder += 1) {
    mkdirSync(at(`d${folder}`))
    for (let file = 0; file < 100; file += 1) writeFileSync(at(`d${folder}/${file}`), '')
  }
  const call = await shell('echo 1 > a.txt')
  const why =
    'The workspace has more than 10000 files and folders that are not ignored, so its changes are not tracked by default. To track them, call with `track_changes: true`.'
  t.match(call, { status: 'success', changes: undefined, result: { metadata: { tracking: { untracked: why } } } })
  t.match(call.result.content, `(Undo cannot revert the changes of this command. ${why})`)
  t.match(await get(`/calls/${call.tool_call_id}/undo`), {
    available: false,
    reason: /There is nothing to undo\. .*not tracked by default/
  })
  t.match(await shell('echo 2 > a.txt', { track_changes: true }), { changes: [{ path: 'a.txt' }] })
})
