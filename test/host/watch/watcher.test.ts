// tier: full
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { ExternalChangeTracker } from '../../../src/host/watch/external-change-tracker.ts'
import { type WatchEvents, Watcher } from '../../../src/host/watch/watcher.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { waitUntil } from '../../support/wait.ts'

type Tree = { [name: string]: string | Tree }

async function bench(t: Test, tree: Tree, limits: { max_folders?: number; retryMs?: number } = {}) {
  const root = makeTestFolder(t, tree as never)
  const watcher = new Watcher(openWorkspace('default', root), limits)
  t.teardown(() => watcher.close())
  await watcher.start()
  const news: WatchEvents[] = []
  watcher.subscribe(each => news.push(each))
  /** Returns the reports since the last time as one. */
  const told = async () => {
    await watcher.settled()
    const all = news.splice(0)
    const every = (name: 'paths' | 'folders' | 'gone') => [...new Set(all.flatMap(each => each[name]))].sort()
    return {
      paths: every('paths'),
      folders: every('folders'),
      gone: every('gone'),
      everything: all.some(({ everything }) => everything)
    }
  }
  return { root, watcher, told, at: (path: string) => join(root, path) }
}

const nothing = { paths: [], folders: [], gone: [], everything: false }

t.test('sees an earlier change once settled, by any process', async t => {
  const { watcher, told, at, root } = await bench(t, { a: { 'x.txt': '1' }, b: {} })
  t.ok(watcher.isLive)
  t.same(await told(), nothing, 'the start is no news')
  for (let i = 0; i < 50; i += 1) {
    const before = watcher.generation
    if (i % 2) writeFileSync(at('a/x.txt'), String(i))
    else execaSync('sh', ['-c', 'echo new >> a/x.txt'], { cwd: root })
    await watcher.settled()
    t.ok(watcher.generation > before, 'the generation grew')
  }
  t.same(await told(), { ...nothing, paths: ['a/x.txt'] })
  const still = watcher.generation
  await watcher.settled()
  t.equal(watcher.generation, still, 'and stays while nothing changes')
  writeFileSync(at('b/y.txt'), '')
  t.same(await told(), { ...nothing, paths: ['b/y.txt'], folders: ['b'] })
  rmSync(at('b/y.txt'))
  t.same(await told(), { ...nothing, paths: ['b/y.txt'], folders: ['b'] })
})

t.test('watches folders in just-created folders, and reports removed ones', async t => {
  const { told, at } = await bench(t, { a: { 'x.txt': '1' } })
  mkdirSync(at('n/e/w'), { recursive: true })
  writeFileSync(at('n/e/w/x.txt'), '')
  const first = await told()
  t.same(first.folders, ['.', 'n', 'n/e', 'n/e/w'])
  writeFileSync(at('n/e/w/y.txt'), '')
  t.same(await told(), { ...nothing, paths: ['n/e/w/y.txt'], folders: ['n/e/w'] })
  renameSync(at('n/e'), at('moved'))
  const moved = await told()
  t.same(moved.gone, ['n/e', 'n/e/w'])
  for (const folder of ['moved', 'moved/w']) t.ok(moved.folders.includes(folder), folder)
  writeFileSync(at('moved/w/z.txt'), '')
  t.match((await told()).paths, ['moved/w/z.txt'])
  rmSync(at('moved'), { recursive: true })
  mkdirSync(at('moved'))
  await told()
  writeFileSync(at('moved/again.txt'), '')
  t.match((await told()).paths, ['moved/again.txt'], 'a folder of the same name is another one')
})

t.test('misses none of a thousand nested folders created at once', async t => {
  const { told, at, root } = await bench(t, {})
  execaSync('sh', ['-c', 'for i in $(seq 1 200); do mkdir -p d$i/e/f; echo x > d$i/e/f/x.txt; done'], { cwd: root })
  const { folders } = await told()
  t.equal(folders.length, 601)
  for (let i = 1; i <= 200; i += 1) writeFileSync(at(`d${i}/e/f/y.txt`), '')
  t.equal((await told()).paths.length, 200)
})

t.test('does not watch ignored folders, and reports changed rules', async t => {
  const tree = { '.git': { HEAD: '' }, '.gitignore': 'build/\n/a/deep\n*.tmp\n!keep.tmp\n', build: {}, a: { deep: {} } }
  const { told, at, watcher } = await bench(t, { ...tree, 'x.tmp': {}, 'keep.tmp': {}, b: { build: {}, deep: {} } })
  for (const folder of ['build', 'a/deep', 'x.tmp', 'b/build', '.git']) writeFileSync(at(`${folder}/x`), '')
  t.same(await told(), nothing)
  for (const folder of ['keep.tmp', 'b/deep', 'a']) writeFileSync(at(`${folder}/x`), '')
  t.same((await told()).paths, ['a/x', 'b/deep/x', 'keep.tmp/x'])
  const before = watcher.generation
  writeFileSync(at('.gitignore'), '')
  t.match(await told(), { everything: true })
  t.ok(watcher.generation > before)
  writeFileSync(at('build/y'), '')
  t.same((await told()).paths, ['build/y'])
  mkdirSync(at('b/.git'))
  writeFileSync(at('b/.ignore'), 'deep\n')
  t.match(await told(), { everything: true })
  writeFileSync(at('b/deep/y'), '')
  t.same(await told(), nothing)
})

t.test("respects a repository's ignore rules from the start", async t => {
  const { told, at } = await bench(t, {
    '.git': { HEAD: '' },
    secret: {},
    sub: { '.git': { info: { exclude: '' } }, x: {} }
  })
  writeFileSync(at('.git/index'), '')
  t.same(await told(), nothing, 'nothing else of a repository is looked at')
  mkdirSync(at('.git/info'))
  t.match(await told(), { everything: true })
  writeFileSync(at('.git/info/exclude'), 'secret/\n')
  t.match(await told(), { everything: true })
  writeFileSync(at('secret/x'), '')
  t.same(await told(), nothing)
  writeFileSync(at('sub/.git/info/exclude'), 'x\n')
  t.match(await told(), { everything: true })
  writeFileSync(at('sub/x/y'), '')
  t.same(await told(), nothing)
})

t.test('sees editors that save by renaming, and files that become folders and back', async t => {
  const { told, at } = await bench(t, { a: { 'x.txt': '1' } })
  writeFileSync(at('a/.x.swp'), '2')
  renameSync(at('a/.x.swp'), at('a/x.txt'))
  t.same(await told(), { ...nothing, paths: ['a/.x.swp', 'a/x.txt'], folders: ['a'] })
  renameSync(at('a/x.txt'), at('a/x.txt~'))
  writeFileSync(at('a/x.txt'), '3')
  t.same(await told(), { ...nothing, paths: ['a/x.txt', 'a/x.txt~'], folders: ['a'] })
  rmSync(at('a/x.txt'))
  mkdirSync(at('a/x.txt'))
  t.same((await told()).folders, ['a', 'a/x.txt'])
  writeFileSync(at('a/x.txt/inside'), '')
  t.same((await told()).paths, ['a/x.txt/inside'])
  rmSync(at('a/x.txt'), { recursive: true })
  writeFileSync(at('a/x.txt'), '4')
  const { gone, folders } = await told()
  t.same({ gone, folders }, { gone: ['a/x.txt'], folders: ['a'] })
})

t.test('does not watch a workspace with too many folders, and reports why', async t => {
  const tree = { '.git': {}, '.gitignore': 'out\n', a: { b: {} }, out: { 1: {}, 2: {}, 3: {}, 4: {} } }
  const { watcher } = await bench(t, tree as Tree, { max_folders: 3 })
  t.same([...watcher.folders()].sort(), ['.', 'a', 'a/b'])
  t.equal(watcher.stopReason, undefined)
  const few = await bench(t, tree as Tree, { max_folders: 2 })
  t.equal(few.watcher.isLive, false)
  t.equal(few.watcher.stopReason, 'The workspace has more than 2 folders that are not ignored.')
})

t.test('watches again once there are fewer folders', async t => {
  const { watcher, told, at } = await bench(t, { a: {} }, { max_folders: 3, retryMs: 1 })
  for (let round = 1; round <= 2; round += 1) {
    for (const name of ['b', 'c', 'd']) mkdirSync(at(name))
    await waitUntil('the watcher to give up', () => watcher.stopReason)
    for (const name of ['b', 'c', 'd']) rmSync(at(name), { recursive: true })
    await waitUntil('the watcher to be live again', () => watcher.isLive && watcher.stopReason === undefined)
    t.ok((await told()).everything)
    t.same([...watcher.folders()].sort(), ['.', 'a'])
    writeFileSync(at('a/x.txt'), String(round))
    t.match(await told(), { paths: ['a/x.txt'], everything: false })
    rmSync(at('a/x.txt'))
    await told()
  }
})

t.test('external changes are reported again, but not those in between', async t => {
  const root = makeTestFolder(t, { 'a.txt': 'a' })
  const at = (name: string) => join(root, name)
  const workspace = openWorkspace('default', root)
  const watcher = new Watcher(workspace, { max_folders: 2, retryMs: 1 })
  t.teardown(() => watcher.close())
  const heard: string[] = []
  const tracker = new ExternalChangeTracker(workspace, { stateDir: join(root, '.state'), sensitive: [] }, watcher, {
    onChanges: async (_, changes) => void heard.push(...changes.map(({ operation, path }) => `${operation} ${path}`)),
    isInFlight: () => false,
    onStopped: (_, why) => heard.push(why),
    onResumed: () => heard.push('resumed')
  })
  t.teardown(() => tracker.close())
  await tracker.start()
  t.ok(tracker.isReporting)
  for (const name of ['b', 'c']) mkdirSync(at(name))
  await waitUntil('reporting to stop', () => tracker.stopReason)
  writeFileSync(at('between.txt'), '')
  for (const name of ['b', 'c']) rmSync(at(name), { recursive: true })
  await waitUntil('reporting to resume', () => tracker.isReporting)
  const before = heard.splice(0)
  t.equal(before.at(-1), 'resumed')
  t.match(
    before.find(one => one.startsWith('The workspace has')),
    'The workspace has more than 2 folders that are not ignored.'
  )
  writeFileSync(at('later.txt'), '')
  await waitUntil('the next change', () => heard.length > 0)
  t.same(heard, ['created later.txt'])
})

t.test('treats a kernel queue overflow as a loss', async t => {
  const { told, root } = await bench(t, { a: {} })
  // The event loop is blocked while another process makes more events than the queue holds.
  execaSync('sh', ['-c', 'cd a; seq 1 9000 | xargs touch; rm -rf ../a; mkdir ../b; touch ../b/x'], { cwd: root })
  const { everything } = await told()
  t.ok(everything)
})

t.test('reports after closing that its data is no longer current', async t => {
  const { watcher, told, at } = await bench(t, { a: {} })
  watcher.close()
  t.notOk(watcher.isLive)
  writeFileSync(at('a/x'), '')
  t.same(await told(), { ...nothing, everything: true })
})
