// Tests of tracked changes beside other changes: those of other calls, and external ones.
// tier: quick
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Json } from '../start-app.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { waitUntil } from '../support/wait.ts'
import { startTracked } from './tracking-fixture.ts'

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
  t.match(two.result.content, /Another command whose changes are recorded ran at the same time/)
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
  const folder = makeTestFolder(t, { inner: { 'a.txt': 'a' } })
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
