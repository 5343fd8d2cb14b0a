// Tests of the changes of commands in workspaces that are watched, or whose ignore rules change.
// tier: full
import { utimesSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { Json } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { FILE_TIME_STEP_MS, startTracked } from './tracking-fixture.ts'

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
