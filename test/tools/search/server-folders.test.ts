// Tests that searches show nothing of a server's folders, under whatever path they are in the workspace, and that listings are shared.
// tier: full
import { mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

async function start(t: Test) {
  const app = await startApp(t, { 'src/a.txt': 'toolgate\n', 'b.txt': 'toolgate\n' })
  const look = async () => {
    const [glob, grep] = await Promise.all([
      app.call('glob', { pattern: '**', limit: 10_000, include_hidden: true }),
      app.call('grep', { pattern: 'CREATE TABLE|toolgate', limit: 1_000 })
    ])
    const matches = (grep.result.data.matches ?? []).map(({ path }: { path: string }) => path)
    return [glob.result.data.files.toSorted(), [...new Set(matches)].toSorted()]
  }
  return { ...app, look }
}

const ALL = ['b.txt', 'src/a.txt']

t.test('the state folder is not shown where it is mounted into the workspace', needs('mount'), async t => {
  const app = await start(t)
  t.strictSame(await app.look(), [ALL, ALL])
  const folder = path.join(app.root, 'some folder')
  mkdirSync(folder)
  execaSync('mount', ['--bind', path.join(app.folder, 'state'), folder])
  t.teardown(() => execaSync('umount', ['-l', folder]))
  t.strictSame(await app.look(), [ALL, ALL])
})

t.test('the state folder is not shown where it was moved into the workspace', async t => {
  const app = await start(t)
  const state = path.join(app.folder, 'state')
  t.strictSame(await app.look(), [ALL, ALL])
  renameSync(state, path.join(app.root, 'moved'))
  t.teardown(() => renameSync(path.join(app.root, 'moved'), state))
  for (const [tool, params] of [
    ['glob', { pattern: '**', include_hidden: true }],
    ['grep', { pattern: 'CREATE TABLE' }],
    ['list_directory', { path: 'moved' }]
  ] as const)
    t.notMatch(JSON.stringify((await app.call(tool, params)).result ?? {}), 'moved/', tool)
})

t.test('globs at the same time, before the list of files is known, run few listings', async t => {
  const app = await start(t)
  const globs = Array.from({ length: 30 }, (_, i) => app.call('glob', { pattern: `**/*${i % 2 ? 'a' : 'b'}*` }))
  app.write('src/another.txt', 'x\n')
  const found = (await Promise.all(globs)).map(({ result }) => result.data.files)
  t.ok(found.every((files, i) => files.includes(i % 2 ? 'src/a.txt' : 'b.txt')))
  const late = await app.call('glob', { pattern: '**/another.txt' })
  t.strictSame(late.result.data.files, ['src/another.txt'], 'a later one sees what was written before it')
})
