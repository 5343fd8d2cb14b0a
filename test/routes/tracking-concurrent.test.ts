// Tests of tracked changes beside other changes: those of other calls, and external ones.
// tier: full
import { realpathSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { Json } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { FILE_TIME_STEP_MS, startTracked } from './tracking-fixture.ts'

t.test('of two concurrent commands reports each change once, and attributes those of other calls to them', async t => {
  const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }
  const { shell, call, at, events, get } = await startTracked(t, files, { watch: { external: true, max_folders: 100 } })
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
  const pathsOf = (call: Json) => call.changes.map(({ path }: Json) => path)
  t.same(pathsOf(one), ['a.txt', 'go1'])
  t.same(pathsOf(two), ['b.txt', 'go2'])
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
  const { call, shell } = await startTracked(t, { 'a/x/1.txt': 'one\n', 'a/x/2.txt': 'two\n', 's.txt': 'some\n' })
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
  const { call, shell, get } = await startTracked(t, {}, { roots })
  const running = shell('until [ -e inner/end ]; do sleep 0.05; done; touch own')
  await waitUntil('the command to run', async () => (await get('/state')).running.length > 0)
  for (const name of ['b.txt', 'end'])
    t.match(await call('write_file', { path: name, content: 'b\n' }, { workspace: 'inner' }), { status: 'success' })
  t.match(await running, { status: 'success', changes: [{ path: 'own', operation: 'created' }] })
  t.equal((await running).changes.length, 1)
})

t.test('does not also report changes of a tracked command as external', async t => {
  const { shell, at, events, get } = await startTracked(
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
  const reported = await stream.until(({ path }) => path === '~')
  const external = reported.filter(({ by }: Json) => by === 'external')
  t.same(
    external.map(({ path }: Json) => path),
    ['~']
  )
  t.equal(reported.filter(({ path }: Json) => path === 'a.txt').length, 5)
})

t.test(
  'takes neither ignored files for deleted ones, nor shown ones for new ones, when ignore rules change',
  async t => {
    for (const external of [false, true]) {
      const files = { '.gitignore': 'out/\n', 'out/x': 'x', 'a.txt': 'a', 'sub/b.txt': 'b' }
      const { shell, at, get } = await startTracked(t, files, { watch: { external, max_folders: 100 } })
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
  const watched = await startTracked(t, files, { watch: { external: true, max_folders: 100 } })
  await waitUntil(
    'the workspace to be watched',
    async () => (await watched.get('/capabilities')).workspaces[0].watching
  )
  const walked = await startTracked(t, files)
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
    t.match(await watched.post(`/calls/${one.tool_call_id}/undo?wait_ms=120000`, { digest, confirm: true }), {
      status: 'success'
    })
    await watched.shell(command)
  }
})
