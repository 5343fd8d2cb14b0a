// tier: full
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { viaProcFd, viaRealPath } from '../../../src/host/files/dir-access.ts'
import { takeHiddenName } from '../../../src/host/files/hidden-names.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { searchExcludeGlobs, secretNamesOf } from '../../../src/host/files/policy/path-policy.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { Ripgrep } from '../../../src/host/search/ripgrep.ts'
import type { StatSnapshot } from '../../../src/host/watch/stat-snapshot.ts'
import { WorkspaceTree } from '../../../src/host/watch/workspace-tree.ts'
import { runs } from '../../support/property.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

function bench(t: Test, doors = viaProcFd) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tree-')))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const workspace = openWorkspace('default', root, doors)
  const guard = { stateDir: join(root, '.tool/state'), sensitive: [] }
  const tree = new WorkspaceTree(workspace, guard)
  const ripgrep = new Ripgrep(spawner, workspace, {
    exclude: searchExcludeGlobs(workspace, guard),
    secrets: secretNamesOf(guard)
  })
  const write = (name: string, content = '') => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  const walked = async () => {
    const seen = new Map<string, StatSnapshot>()
    const closed = await tree.walk((path, each) => seen.set(path, each))
    return { seen, closed, paths: [...seen.keys()].sort() }
  }
  return { root, tree, ripgrep, write, walked, at: (name: string) => join(root, name) }
}

for (const doors of process.platform === 'linux' ? [viaProcFd, viaRealPath] : [viaRealPath])
  t.test(`lists all entries except those of git and the server (${doors.noFollowFlags})`, async t => {
    const { write, walked, at } = bench(t, doors)
    for (const name of ['a.txt', 'dir/b.txt', '.hidden', '.env', '.git/HEAD', 'bare.git/HEAD', 'bare.git/objects/x'])
      write(name)
    for (const name of [takeHiddenName(), '.tool/config', '.tool/state/journal.db']) write(name)
    symlinkSync('/etc', at('link'))
    execaSync('mkfifo', [at('pipe')])
    const { paths, seen } = await walked()
    t.same(paths, ['.env', '.hidden', '.tool', '.tool/config', 'a.txt', 'bare.git', 'dir', 'dir/b.txt', 'link'])
    t.match(seen.get('link'), { kind: 'symlink', target: '/etc' })
    t.match(seen.get('dir'), { kind: 'directory', mode: 0o755 })
  })

t.test('reports unreadable folders', async t => {
  const { write, walked, at } = bench(t)
  write('open/a')
  write('closed/b')
  chmodSync(at('closed'), 0)
  t.teardown(() => chmodSync(at('closed'), 0o755))
  const { paths, closed } = await walked()
  const root = process.getuid?.() === 0
  t.same(paths, ['closed', ...(root ? ['closed/b'] : []), 'open', 'open/a'])
  t.same(closed, root ? [] : ['closed'])
})

t.test('reads the seen file, or nothing', async t => {
  const { write, walked, tree, at } = bench(t)
  write('a.txt', 'one')
  write('b.txt', 'two')
  write('c/d.txt', 'three')
  const { seen } = await walked()
  t.equal((await tree.readIfUnchanged('a.txt', seen.get('a.txt')!))?.toString(), 'one')
  write('a.txt', 'changed')
  renameSync(at('c'), at('elsewhere'))
  symlinkSync('elsewhere', at('c'))
  rmSync(at('b.txt'))
  for (const path of ['a.txt', 'b.txt', 'c/d.txt'])
    t.equal(await tree.readIfUnchanged(path, seen.get(path)!), undefined, path)
  const looked = new Map<string, StatSnapshot | undefined>()
  await tree.visitPaths(['c/d.txt', 'elsewhere/d.txt', 'never/was'], (path, each) => looked.set(path, each))
  t.equal(looked.get('c/d.txt'), undefined, 'no link on the way is followed')
  t.match(looked.get('elsewhere/d.txt'), { kind: 'file', size: 5 })
  t.ok(looked.has('never/was'))
})

const name = fc.constantFrom('a', 'b', 'c.ts', 'd.log', 'build', 'B')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('/'))
const line = fc.constantFrom(
  'build/',
  '*.log',
  '!d.log',
  '/a',
  'a/b',
  '**/c.ts',
  'b/**',
  'b/*',
  '!b/c.ts',
  '[ab]',
  '!/b/',
  '# x',
  '*',
  '!*.ts',
  'c.ts  ',
  '\\!x'
)
const rules = fc.array(line, { maxLength: 4 }).map(lines => lines.join('\n'))
const ignoreFile = fc.record({
  kind: fc.constantFrom('.gitignore', '.gitignore', '.ignore', '.rgignore', '.git/info/exclude'),
  folder: fc.constantFrom('.', 'a', 'b', 'a/b', 'build'),
  rules
})

for (const repository of [true, false])
  t.test(`lists the same files as ripgrep, ${repository ? 'in' : 'without'} a repository`, async t => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { maxLength: 10 }),
        fc.array(ignoreFile, { maxLength: 4 }),
        async (paths, ignores) => {
          const { write, walked, at, ripgrep } = bench(t)
          if (repository) mkdirSync(at('.git'))
          const tolerant = (work: () => void) => {
            try {
              work()
            } catch {
              // A file is in the way.
            }
          }
          for (const each of paths) tolerant(() => write(each))
          for (const { kind, folder, rules } of ignores)
            if (repository || kind !== '.git/info/exclude') tolerant(() => write(join(folder, kind), rules))
          const { seen } = await walked()
          const files = [...seen].filter(([, { kind }]) => kind === 'file').map(([path]) => path)
          const listing = await ripgrep.files({ path: '.', hidden: true, ignored: false })
          t.same(files.sort(), [...listing.files].sort())
        }
      ),
      runs(60)
    )
  })
