// Tests of tracked changes: what a command changes is attributed to its call, with all the data to undo it.
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, realpathSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { BlobStore } from '../../src/host/undo-store/blob-store.ts'
import { blobsFolder } from '../../src/host/undo-store/undo-storage.ts'
import { snapshotFolder } from '../snapshot-folder.ts'
import { type Json, type StartOptions, startApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
/** Longer than the allowed skew of file timestamps. */
const FILE_TIME_STEP_MS = 120
const USER = [{ effect: 'allow' as const, match: { tool: '*' } }]

async function served(t: Test, files: Record<string, string>, more: StartOptions['settings'] = {}) {
  const tiers = { administrator: [], user: USER, workspace: [] }
  const app = await startApp(t, files, { settings: { tiers, ...more } })
  const images = new BlobStore(blobsFolder(app.settings.state_dir), app.settings.undo)
  /** Strict commands are approved as shown. */
  async function shell(command: string, params: object = {}): Promise<Json> {
    const call = await app.call('shell_exec', { command, ...params }, { session_id: 's' })
    if (call.status !== 'awaiting_approval') return call
    const { digest } = call.approval
    return app.post(`/calls/${call.tool_call_id}/approve?wait_ms=60000`, { digest, confirm: true })
  }
  return {
    ...app,
    shell,
    kept: (hash: string) => images.read(hash)?.toString(),
    at: (name: string) => path.join(app.root, name)
  }
}

t.test('reports all changes of a command, in a possible order', async t => {
  const files = {
    'a.txt': 'one\n',
    'b.txt': 'two\n',
    'dir/c.txt': 'three\n',
    'dir/d.txt': 'four\n',
    same: 'same\n',
    x: 'x\n'
  }
  const { shell, kept, at, get } = await served(t, files)
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
  const { shell, root, at, get, post } = await served(t, files)
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
    const undone = await post(`/calls/${call.tool_call_id}/undo?wait_ms=10000`, { digest, confirm: true })
    t.match(undone, { status: 'success' }, command)
    t.same(snapshotFolder(root), before, command)
  }
})

t.test('tracks changes for any outcome', async t => {
  const { shell, call } = await served(t, { 'a.txt': '0' })
  const ends: [Json, Json][] = [
    [await shell('echo -n 1 > a.txt; exit 3'), { status: 'success', result: { data: { exit_code: 3 } } }],
    [
      await shell('echo -n 2 > a.txt; sleep 60', { timeout_ms: 200 }),
      { status: 'success', result: { data: { timed_out: true } } }
    ],
    [
      await call('shell_exec', { command: 'echo -n 3 > a.txt; sleep 60' }, { timeout_ms: 400 }),
      { status: 'error', error: { code: 'TIMEOUT' } }
    ]
  ]
  for (const [i, [ended, pattern]] of ends.entries()) {
    t.match(ended, pattern)
    t.match(ended.changes, [{ path: 'a.txt', before_hash: hash(`${i}`), after_hash: hash(`${i + 1}`) }])
  }
})

t.test('tracks changes of a cancelled command', async t => {
  const { events, post, read, get, shell } = await served(t, { 'a.txt': '0' })
  const stream = await events()
  const running = shell('echo -n 1 > a.txt; echo ready; sleep 60')
  const [delta] = (await stream.type('tool.progress')).slice(-1)
  const { tool_call_id } = delta
  await post(`/calls/${tool_call_id}/cancel?wait_ms=10000`, {})
  t.match(await running, { status: 'cancelled', changes: [{ path: 'a.txt', operation: 'modified' }] })
  t.equal(read('a.txt'), '1')
  t.match(await get(`/calls/${tool_call_id}`), { changes: [{ after_hash: hash('1') }] })
})

t.test('excludes ignored files and git; counts what cannot be covered', async t => {
  const files = { '.git/HEAD': '', '.gitignore': 'out/\n', 'out/x': '', 'large.bin': '', 'a.txt': 'a' }
  const undo = { max_age_days: 1, max_bytes: 1_000_000, max_file_bytes: 1_000, track_commands: true }
  const { shell, at } = await served(t, files, { undo })
  truncateSync(at('large.bin'), 2_000)
  const call = await shell(
    'echo x > out/x; g=.git; echo x > "$g/HEAD"; echo y >> large.bin; echo b > a.txt; echo TOKEN=1 > .env'
  )
  t.match(call.result.metadata.tracking, { files: 2, bytes: 6, not_covered: 1 })
  t.match(call.result.content, /Undo cannot bring back large\.bin: the content before was not stored/)
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
  const { shell, call } = await served(t, { 'a.txt': 'a', 'b.txt': 'b' })
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

t.test('of two concurrent commands reports each change once, and attributes those of other calls to them', async t => {
  const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }
  const { shell, call, at, events, get } = await served(t, files, { watch: { external: true, max_folders: 100 } })
  await waitUntil('the workspace to be watched', async () => (await get('/capabilities')).workspaces[0].watching)
  const stream = await events('?types=tool.progress,file.changed')
  const first = shell('echo ready; until [ -e go1 ]; do sleep 0.02; done; echo -n 1 > a.txt')
  await stream.type('tool.progress', ({ delta }) => /ready/.test(delta?.text))
  const second = shell('echo ready; until [ -e go2 ]; do sleep 0.02; done; echo -n 2 > b.txt')
  await stream.type('tool.progress', ({ delta }) => /ready/.test(delta?.text))
  const written = await call('write_file', { path: 'c.txt', content: 'C' })
  t.match(written.changes, [{ path: 'c.txt' }])
  writeFileSync(at('go1'), '')
  const one = await first
  writeFileSync(at('go2'), '')
  const two = await second
  const told = (call: Json) => call.changes.map(({ path }: Json) => path)
  t.same(told(one), ['a.txt', 'go1'])
  t.same(told(two), ['b.txt', 'go2'])
  t.match(one.result.metadata.tracking, { shared: true })
  t.match(two.result.content, /Another tracked command ran at the same time/)
  writeFileSync(at('~'), '')
  const all = await stream.until(({ path }) => path === '~')
  t.same(
    all.filter(({ by }: Json) => by === 'external').map(({ path }: Json) => path),
    ['~']
  )
})

t.test('never attributes changes that other calls are just making to a command', async t => {
  const { call, shell } = await served(t, { 'a/x/1.txt': 'one\n', 'a/x/2.txt': 'two\n', 's.txt': 'some\n' })
  let stopped = false
  const repeat = async (...steps: [tool: string, params: object][]) => {
    while (!stopped)
      for (const [tool, params] of steps) t.match(await call(tool, params), { status: 'success' }, `${tool} succeeds`)
  }
  const changing = [
    repeat(['move_file', { from: 's.txt', to: 't.txt' }], ['move_file', { from: 't.txt', to: 's.txt' }]),
    repeat(['move_file', { from: 'a/x', to: 'b/x' }], ['move_file', { from: 'b/x', to: 'a/x' }]),
    repeat(
      ['write_file', { path: 'new/deep/w.txt', content: 'new\n' }],
      ['delete_file', { path: 'new', recursive: true }]
    ),
    repeat(
      [
        'apply_patch',
        { patch: '*** Begin Patch\n*** Add File: m/1.txt\n+1\n*** Add File: m/2.txt\n+2\n*** End Patch' }
      ],
      ['delete_file', { path: 'm', recursive: true }]
    )
  ]
  const seen: object[] = []
  for (let i = 0; i < 15; i++) {
    const { changes = [], result } = await shell('touch -c absent')
    t.match(result.metadata, { tracking: { files: Number } })
    seen.push(...changes)
  }
  stopped = true
  await Promise.all(changing)
  t.same(seen, [])
})

t.test('attributes changes that another call makes in a nested workspace to that call', async t => {
  const folder = realpathSync(t.testdir({ inner: { 'a.txt': 'a' } }))
  const roots = [
    { name: 'default', path: folder },
    { name: 'inner', path: path.join(folder, 'inner') }
  ]
  const { call, shell, get } = await served(t, {}, { roots })
  const running = shell('until [ -e inner/end ]; do sleep 0.05; done; touch own')
  await waitUntil('the command to run', async () => (await get('/state')).running.length > 0)
  for (const name of ['b.txt', 'end'])
    t.match(await call('write_file', { path: name, content: 'b\n' }, { workspace: 'inner' }), { status: 'success' })
  t.match(await running, { status: 'success', changes: [{ path: 'own', operation: 'created' }] })
  t.equal((await running).changes.length, 1)
})

t.test('does not also report changes of a tracked command as external', async t => {
  const { shell, at, events, get } = await served(
    t,
    { 'a.txt': 'a', 'sub/b.txt': 'b' },
    { watch: { external: true, max_folders: 100 } }
  )
  const stream = await events('?types=file.changed')
  await waitUntil('the workspace to be watched', async () => (await get('/capabilities')).workspaces[0].watching)
  for (let i = 0; i < 5; i += 1)
    t.match(await shell(`echo ${i} > a.txt; mkdir -p n${i}; mv sub n${i}/; mv n${i}/sub .; echo ${i} > sub/b.txt`), {
      status: 'success'
    })
  writeFileSync(at('~'), '')
  const told = await stream.until(({ path }) => path === '~')
  const external = told.filter(({ by }: Json) => by === 'external')
  t.same(
    external.map(({ path }: Json) => path),
    ['~']
  )
  t.equal(told.filter(({ path }: Json) => path === 'a.txt').length, 5)
})

t.test(
  'takes neither ignored files for deleted ones, nor shown ones for new ones, when ignore rules change',
  async t => {
    for (const external of [false, true]) {
      const files = { '.gitignore': 'out/\n', 'out/x': 'x', 'a.txt': 'a', 'sub/b.txt': 'b' }
      const { shell, at, get } = await served(t, files, { watch: { external, max_folders: 100 } })
      if (external)
        await waitUntil('the workspace to be watched', async () => (await get('/capabilities')).workspaces[0].watching)
      // Older than the command, also for file systems with coarse timestamps.
      for (const name of ['out', 'out/x']) utimesSync(at(name), 1, 1)
      await setTimeout(FILE_TIME_STEP_MS)
      const pathsOf = ({ changes }: Json) => changes.map(({ path, operation }: Json) => [operation, path])
      t.same(pathsOf(await shell('printf "out/\\nsub/\\na.txt\\n" > .gitignore')), [['modified', '.gitignore']])
      t.same(pathsOf(await shell('echo 1 > a.txt; rm .gitignore; echo new > out/y')), [
        ['deleted', '.gitignore'],
        ['created', 'out/y']
      ])
    }
  }
)

t.test('finds the same changes in a watched workspace', async t => {
  const files = { 'a.txt': 'a', 'dir/b.txt': 'b', 'dir/sub/c.txt': 'c', 'gone/d.txt': 'd' }
  const watched = await served(t, files, { watch: { external: true, max_folders: 100 } })
  await waitUntil(
    'the workspace to be watched',
    async () => (await watched.get('/capabilities')).workspaces[0].watching
  )
  const walked = await served(t, files)
  const commands = [
    'echo 1 > a.txt; mkdir -p new/deep; echo 2 > new/deep/e.txt; rm -r gone',
    'mv dir moved; echo 3 > moved/sub/c.txt; ln -s a.txt link',
    'mkdir dir; mv moved/* dir/; rmdir moved; touch dir/b.txt; chmod 700 new; echo 4 > .#a.txt',
    'rm -rf new dir; mkdir new; echo 5 > new/deep; cp a.txt a2.txt'
  ]
  for (const command of commands) {
    const [one, other] = [await watched.shell(command), await walked.shell(command)]
    const settled = ({ changes }: Json) => changes.toSorted((a: Json, b: Json) => (a.path < b.path ? -1 : 1))
    t.same(settled(one), settled(other), command)
    const { digest } = await watched.get(`/calls/${one.tool_call_id}/undo`)
    t.match(await watched.post(`/calls/${one.tool_call_id}/undo?wait_ms=10000`, { digest, confirm: true }), {
      status: 'success'
    })
    await watched.shell(command)
  }
})

t.test('is switched off by `undo.track_commands`, and on again by a call', async t => {
  const undo = { max_age_days: 1, max_bytes: 1_000_000, max_file_bytes: 1_000, track_commands: false }
  const { shell } = await served(t, { 'a.txt': 'a' }, { undo })
  t.match(await shell('echo 1 > a.txt'), { changes: undefined, result: { metadata: { tracking: undefined } } })
  t.match(await shell('echo 2 > a.txt', { track_changes: true }), { changes: [{ path: 'a.txt' }] })
})

t.test('does not track commands that only read', async t => {
  const { shell } = await served(t, { 'a.txt': 'a' })
  t.match(await shell('cat a.txt'), { changes: undefined, result: { metadata: { tracking: undefined } } })
})

t.test('tracks a command until it is moved to the background', async t => {
  const { shell, post, read } = await served(t, { 'a.txt': 'a', 'b.txt': 'b' })
  const call = await shell('echo 1 > a.txt; echo ready; sleep 60', { wait_ms: 500 })
  t.match(call, { status: 'success', changes: [{ path: 'a.txt' }], result: { data: { task_id: String } } })
  t.equal(read('a.txt'), '1\n')
  await post(`/jobs/${call.result.data.task_id}/stop`, {})
})

t.test('runs a command untracked, and says so, where there are too many files that are not watched', async t => {
  const { shell, at, get } = await served(t, {})
  for (let folder = 0; folder < 101; folder += 1) {
    mkdirSync(at(`d${folder}`))
    for (let file = 0; file < 100; file += 1) writeFileSync(at(`d${folder}/${file}`), '')
  }
  const call = await shell('echo 1 > a.txt')
  const why =
    'More than 10000 files and folders of the workspace are not ignored, and they are not watched: to track its changes all the same, ' +
    'call with `track_changes: true`.'
  t.match(call, { status: 'success', changes: undefined, result: { metadata: { tracking: { untracked: why } } } })
  t.match(call.result.content, `(Undo cannot take back what it changed. ${why})`)
  t.match(await get(`/calls/${call.tool_call_id}/undo`), {
    available: false,
    reason: /There is nothing to undo\. .*not watched/
  })
  t.match(await shell('echo 2 > a.txt', { track_changes: true }), { changes: [{ path: 'a.txt' }] })
})
