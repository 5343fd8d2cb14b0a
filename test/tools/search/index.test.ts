// Tests of the index of search_code: it follows file changes, and survives restarts.
// tier: full
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { GREETING, start } from './search-fixture.ts'

t.test('follows changes', async t => {
  const app = await start(t, { 'a.ts': GREETING, '.gitignore': 'out\n', 'out/made.ts': '// axolotl\n' })
  await app.ready()
  const at = (name: string) => path.join(app.root, name)
  t.same(await app.paths('axolotl'), [])
  app.write('b.ts', '// axolotl\n')
  t.same(await app.paths('axolotl'), ['b.ts'], 'created')
  app.write('b.ts', '// newt\n')
  t.same(await app.paths('axolotl'), [], 'modified')
  t.same(await app.paths('newt'), ['b.ts'])
  renameSync(at('b.ts'), at('c.ts'))
  t.same(await app.paths('newt'), ['c.ts'], 'renamed')
  app.write('deep/er/d.ts', '// newt\n')
  t.same((await app.paths('newt')).sort(), ['c.ts', 'deep/er/d.ts'], 'in new folders')
  renameSync(at('deep'), at('deeper'))
  t.same((await app.paths('newt')).sort(), ['c.ts', 'deeper/er/d.ts'], 'in a folder that was renamed')
  rmSync(at('deeper'), { recursive: true })
  rmSync(at('c.ts'))
  t.same(await app.paths('newt'), [], 'deleted')
  app.write('.gitignore', '')
  t.same(await app.paths('axolotl'), ['out/made.ts'], 'no longer ignored')
  app.write('.gitignore', 'out\n')
  t.same(await app.paths('axolotl'), [], 'ignored again')
  symlinkSync(at('a.ts'), at('link.ts'))
  t.same(await app.paths('visitor'), ['a.ts'], 'links are not followed')
  await app.call('write_file', { path: 'own.ts', content: '// salamander\n' })
  t.same(await app.paths('salamander'), ['own.ts'], 'changed by a call')
})

t.test('follows a branch switch', async t => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`src/part${i % 20}/file${i}.ts`, `export const left${i} = 'sinister'\n`])
  )
  const app = await start(t, files)
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: app.root })
  git('init', '-q', '-b', 'left')
  git('add', '.')
  git('commit', '-qm', 'left')
  git('checkout', '-qb', 'right')
  for (const [name, text] of Object.entries(files))
    app.write(name, text.replace('sinister', 'dexter').replace('left', 'right'))
  git('mv', 'src/part0', 'src/moved')
  git('add', '.')
  git('commit', '-qm', 'right')
  await app.ready()
  t.equal((await app.paths('dexter', { limit: 100 })).length, 100)
  t.same(await app.paths('sinister'), [])
  git('checkout', '-q', 'left')
  const { hits, index } = await app.searchAll({ query: 'sinister left7' })
  t.equal(hits[0].path, 'src/part7/file7.ts')
  t.match(index, { indexed: 400, waiting: 0 })
  t.same(await app.paths('dexter'), [])
  t.same(await app.paths('moved'), [])
  git('checkout', '-q', 'right')
  t.same(await app.paths('sinister'), [])
  t.equal((await app.paths('right0'))[0], 'src/moved/file0.ts')
})

t.test('a restart catches up with changes made while stopped', async t => {
  const first = await start(t, { 'stays.ts': '// axolotl\n', 'changes.ts': '// axolotl\n', 'goes.ts': '// axolotl\n' })
  await first.ready()
  t.equal((await first.paths('axolotl')).length, 3)
  await first.close()
  first.write('changes.ts', '// newt\n')
  first.write('comes.ts', '// axolotl\n')
  rmSync(path.join(first.root, 'goes.ts'))
  const second = await start(t, {}, { folder: first.folder })
  await second.ready()
  t.same((await second.paths('axolotl')).sort(), ['comes.ts', 'stays.ts'])
  t.same(await second.paths('newt'), ['changes.ts'])
})

t.test('rebuilds a corrupt index', async t => {
  const first = await start(t, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}.ts`, GREETING + i])))
  await first.ready()
  await first.close()
  const [name] = first.indexFiles()
  const file = path.join(first.folder, 'state', 'index', name!)
  const whole = readFileSync(file)
  const ruins = {
    'no database': Buffer.from('this is no database'.repeat(1_000)),
    empty: Buffer.alloc(0),
    'cut off': whole.subarray(0, whole.length / 2),
    'overwritten in the middle': Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 7)])
  }
  for (const [how, bytes] of Object.entries(ruins)) {
    writeFileSync(file, bytes)
    const app = await start(t, {}, { folder: first.folder })
    await app.ready()
    t.equal((await app.paths('visitor', { limit: 100 })).length, 50, how)
    await app.close()
  }
})

t.test('removes indexes of folders that are no longer served', async t => {
  const first = await start(t, { 'a.ts': GREETING })
  await first.ready()
  await first.close()
  const first_files = first.indexFiles()
  t.equal(first_files.length, 1)
  const other = path.join(first.folder, 'other')
  mkdirSync(other)
  const second = await start(t, {}, { folder: first.folder, settings: { roots: [{ name: 'other', path: other }] } })
  await second.ready()
  t.same(await second.paths('visitor'), [])
  t.notSame(second.indexFiles(), first_files)
  t.equal(second.indexFiles().filter(name => name.endsWith('.db')).length, 1)
})
