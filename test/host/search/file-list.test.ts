// tier: full
import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { FileReader } from '../../../src/host/files/file-reader.ts'
import { createFileScope } from '../../../src/host/files/file-scope.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { searchExcludeGlobs } from '../../../src/host/files/policy/path-policy.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { FileList } from '../../../src/host/search/file-list.ts'
import { findLinks } from '../../../src/host/search/find-links.ts'
import { Ripgrep } from '../../../src/host/search/ripgrep.ts'
import { Watcher } from '../../../src/host/watch/watcher.ts'
import { runs } from '../../support/property.ts'
import { once } from '../../support/wait.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

function bench(t: Test, repository = true) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'list-')))
  if (repository) execaSync('git', ['init', '-q', root])
  const workspace = openWorkspace('default', root)
  const guard = { stateDir: '/nowhere', sensitive: [] }
  const ripgrep = new Ripgrep(spawner, workspace, {
    exclude: searchExcludeGlobs(workspace, guard)
  })
  const watcher = new Watcher(workspace)
  const list = new FileList(workspace, ripgrep, watcher)
  t.teardown(() => {
    list.close()
    watcher.close()
    rmSync(root, { recursive: true, force: true })
  })
  const effects = { signal: new AbortController().signal, commitIntent: async () => {}, recordChange: () => {} }
  const reader = new FileReader(createFileScope(workspace, guard, effects))
  return { root, ripgrep, watcher, list, reader, at: (path: string) => join(root, path) }
}

/** Returns the regular files and the links in a listing of the whole tree. */
async function entriesListed(reader: FileReader) {
  const query = { depth: 100, hidden: true, ignored: false, limit: 10_000, signal }
  const { entries } = await reader.listing('.', query)
  const ofType = (wanted: string) => entries.flatMap(({ path, type }) => (type === wanted ? [path] : [])).sort()
  return { files: ofType('file'), links: ofType('symlink') }
}

const { signal } = new AbortController()

t.test('constantly changing names do not block it', async t => {
  const { list, at } = bench(t)
  for (const file of ['stays', 'one', 'two']) writeFileSync(at(file), '')
  await list.warm()
  const swapper = spawn(process.execPath, [join(import.meta.dirname, '../swap-paths.mjs'), at('one'), at('two')])
  const ended = once(swapper, 'close')
  t.teardown(() => swapper.kill('SIGKILL'))
  await once(swapper.stdout, 'data')
  for (let i = 0; i < 20; i++) {
    writeFileSync(at(`new ${i}`), '')
    const found = await list.files()
    t.ok(found.includes('stays') && found.includes(`new ${i}`))
  }
  swapper.kill('SIGKILL')
  await ended
})

t.test("equals ripgrep's list from the first query on, through every change", async t => {
  const { list, at } = bench(t)
  mkdirSync(at('a/b'), { recursive: true })
  for (const file of ['a/x.ts', 'a/b/y.ts', '.hidden', 'top.ts', '.env']) writeFileSync(at(file), '')
  const all = ['.hidden', 'a/b/y.ts', 'a/x.ts', 'top.ts']
  t.same([...(await list.files())].sort(), all)
  await list.warm()
  const kept = await list.files()
  t.same([...kept].sort(), all)
  t.equal(await list.files(), kept, 'the same array while nothing changes')
  writeFileSync(at('a/x.ts'), 'other content')
  t.equal(await list.files(), kept, 'content does not matter')
  mkdirSync(at('new/er'), { recursive: true })
  writeFileSync(at('new/er/z.ts'), '')
  rmSync(at('top.ts'))
  t.same([...(await list.files())].sort(), ['.hidden', 'a/b/y.ts', 'a/x.ts', 'new/er/z.ts'])
  writeFileSync(at('.gitignore'), 'a/b/\n*.log\n')
  writeFileSync(at('x.log'), '')
  t.same([...(await list.files())].sort(), ['.gitignore', '.hidden', 'a/x.ts', 'new/er/z.ts'])
})

t.test('concurrent queries during changes agree', async t => {
  const { list, at } = bench(t)
  await list.warm()
  const asked: Promise<readonly string[]>[] = []
  for (let i = 0; i < 20; i += 1) {
    writeFileSync(at(`${i}.ts`), '')
    asked.push(list.files())
  }
  for (const [i, files] of (await Promise.all(asked)).entries()) t.ok(files.includes(`${i}.ts`), `${i}.ts`)
})

t.test('without a watcher lists on each query', async t => {
  const { list, watcher, at } = bench(t)
  await list.warm()
  watcher.close()
  writeFileSync(at('a.ts'), '')
  t.same(await list.files(), ['a.ts'])
})

t.test('concurrent requests for ignored files share a listing', async t => {
  const { list, ripgrep, at } = bench(t)
  writeFileSync(at('.gitignore'), '*.log\n')
  writeFileSync(at('a.log'), '')
  const runs = t.capture(ripgrep, 'files', ripgrep.files.bind(ripgrep))
  const query = { ignored: true, signal, onCount: () => {} }
  const found = await Promise.all(Array.from({ length: 20 }, () => list.filesBelow('.', query)))
  t.strictSame(new Set(found.map(({ files }) => [...files].sort().join())), new Set(['.gitignore,a.log']))
  t.equal(runs().length, 1)
})

t.test('files that are replaced cost no new listing', async t => {
  const { list, ripgrep, at } = bench(t)
  mkdirSync(at('a'))
  for (const file of ['a/one', 'a/two']) writeFileSync(at(file), '')
  await list.warm()
  const before = await list.files()
  const runs = t.capture(ripgrep, 'filesIn', ripgrep.filesIn.bind(ripgrep))
  for (const file of ['a/one', 'a/two']) {
    writeFileSync(at('a/temp'), 'other text')
    renameSync(at('a/temp'), at(file))
  }
  t.equal(await list.files(), before)
  t.equal(runs().length, 0)
  const filesNow = async () => [...(await list.files())].sort()
  rmSync(at('a/one'))
  t.strictSame(await filesNow(), ['a/two'], 'removed')
  writeFileSync(at('a/one'), '')
  t.strictSame(await filesNow(), ['a/one', 'a/two'], 'added')
  rmSync(at('a/two'))
  symlinkSync('one', at('a/two'))
  t.strictSame(await filesNow(), ['a/one'], 'replaced by a link')
  rmSync(at('a/one'))
  writeFileSync(at('a/one'), '')
  t.strictSame(await filesNow(), ['a/one'], 'removed and added')
})

t.test('a folder that comes with files is listed, also if a name in it changes at once', async t => {
  const { list, at } = bench(t)
  mkdirSync(at('.git/parked'), { recursive: true })
  writeFileSync(at('.git/parked/here'), '')
  await list.warm()
  await list.files()
  renameSync(at('.git/parked'), at('moved'))
  writeFileSync(at('moved/temp'), '')
  rmSync(at('moved/temp'))
  t.strictSame([...(await list.files())], ['moved/here'])
})

t.test('newest first', async t => {
  const { list, at } = bench(t)
  for (const [i, name] of ['b', 'a', 'c'].entries()) {
    writeFileSync(at(name), '')
    utimesSync(at(name), 1000 + i, 1000 + i)
  }
  utimesSync(at('a'), 1000, 1000)
  t.same(await list.newestFirst(['gone', 'a', 'b', 'c'], signal), ['c', 'a', 'b', 'gone'])
})

const name = fc.constantFrom('a', 'b', 'c.ts', 'd.log', '.e', 'build')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('/'))
const rules = fc
  .array(fc.constantFrom('build/', '*.log', '!d.log', '/a', 'a/b', '**/c.ts', 'b/**', '.e', '[ab]', '!/b/', '# x'), {
    maxLength: 3
  })
  .map(lines => lines.join('\n'))
interface Change {
  op: 'write' | 'folder' | 'remove' | 'move' | 'link' | 'ignore' | 'ask'
  path: string
  to: string
  rules: string
}
const change: fc.Arbitrary<Change> = fc.record({
  op: fc.constantFrom('write', 'write', 'folder', 'remove', 'move', 'link', 'ignore', 'ask'),
  path,
  to: path,
  rules
})

function assertSame(actual: readonly string[], expected: readonly string[]) {
  if (actual.join('\n') !== expected.join('\n'))
    throw new Error(`expected ${expected.join(' ')}\n     got ${actual.join(' ')}`)
}

for (const repository of [true, false])
  t.test(
    `equals ripgrep's list, and the links of a listing, after any changes, ${repository ? 'in' : 'without'} a repository`,
    async t => {
      const { root, list, ripgrep, reader, at } = bench(t, repository)
      await list.warm()
      const changing: Record<Change['op'], (change: Change) => unknown> = {
        write({ path }) {
          mkdirSync(dirname(at(path)), { recursive: true })
          writeFileSync(at(path), '')
        },
        folder: ({ path }) => mkdirSync(at(path), { recursive: true }),
        remove: ({ path }) => rmSync(at(path), { recursive: true }),
        move: ({ path, to }) => renameSync(at(path), at(to)),
        link: ({ path }) => symlinkSync('.', at(path)),
        ignore: ({ path, rules }) => writeFileSync(join(at(path.includes('/') ? path : '.'), '.gitignore'), rules),
        ask: () => list.files()
      }
      const apply = async (each: Change) => {
        try {
          await changing[each.op](each)
        } catch (error) {
          // Ignores changes that are impossible here.
          if (!(error as NodeJS.ErrnoException).syscall) throw error
        }
      }
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25 }), async changes => {
          for (const each of changes) await apply(each)
          const expected = [...(await ripgrep.files({ path: '.', hidden: true, ignored: false })).files].sort()
          const actual = [...(await list.files())].sort()
          const listed = await entriesListed(reader)
          for (const files of [actual, listed.files]) assertSame(files, expected)
          const query = { ignored: false, signal }
          const links = [await list.links('.', query), await findLinks(root, '.', query)]
          for (const each of links) assertSame(each.sort(), listed.links)
        }),
        runs(60)
      )
    }
  )
