// tier: full
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { PROTECTED_NAME_PART } from '../../../src/host/files/policy/path-policy.ts'
import { PROTECTED_NAMES } from '../../../src/host/files/policy/sensitive-names.ts'
import { catchErrorCode, createToolFixture, writeTree } from '../../tools/fixture.ts'

const QUERY = { depth: 9, hidden: false, ignored: false, limit: 100, signal: new AbortController().signal }

t.test('a listing respects ignore files of every folder, and counts what it leaves out', async t => {
  const { files, root } = createToolFixture(t, {
    '.git': { info: { exclude: 'private\n' }, HEAD: '' },
    '.gitignore': 'out/\n*.log\n/top\n',
    out: { a: '' },
    'a.log': '',
    top: '',
    private: '',
    src: { '.gitignore': '!kept.log\n', 'kept.log': '', 'b.log': '', top: '', '.hidden': '' }
  })
  symlinkSync('src', join(root, 'out.lnk'))
  const listed = async (path: string, query: object = {}) => {
    const { entries, left_out } = await files.listing(path, { ...QUERY, ...query })
    return { paths: entries.map(entry => entry.path), ...left_out }
  }
  const counts = { ignored: 0, hidden: 0, unreadable: 0 }
  t.same(await listed('.'), {
    paths: ['out.lnk', 'src', 'src/kept.log', 'src/top'],
    ...counts,
    ignored: 5,
    hidden: 4
  })
  t.same(await listed('src'), { paths: ['src/kept.log', 'src/top'], ...counts, ignored: 1, hidden: 2 })
  t.same(await listed('out'), { paths: ['out/a'], ...counts })
  t.same((await listed('.', { ignored: true, depth: 1 })).paths, ['a.log', 'out', 'out.lnk', 'private', 'src', 'top'])
  t.same((await listed('.', { hidden: true, depth: 1 })).paths, ['.git', '.gitignore', 'out.lnk', 'src'])
})

t.test('a listing ends at its limit, and is not blocked by special files', async t => {
  const { files, root, abort } = createToolFixture(t, { a: { 'x.txt': '' }, b: {}, 'c.txt': '' })
  const names = async (limit: number) => {
    const { entries, truncated } = await files.listing('.', { ...QUERY, limit })
    return [entries.map(({ path }) => path), truncated]
  }
  t.same(await names(4), [['a', 'b', 'c.txt', 'a/x.txt'], false])
  t.same(await names(3), [['a', 'b', 'c.txt'], true])
  t.same(await names(1), [['a'], true])
  // An ignore file that is a folder is ignored.
  mkdirSync(join(root, '.gitignore'))
  t.same(await names(4), [['a', 'b', 'c.txt', 'a/x.txt'], false])
  abort.abort(new Error('gone'))
  await t.rejects(files.listing('.', { ...QUERY, signal: abort.signal }), { message: 'gone' })
})

t.test(
  'counts an unreadable folder; rejects it if requested',
  {
    skip: process.getuid?.() === 0 && 'root may look into everything'
  },
  async t => {
    const { files, root } = createToolFixture(t, { shut: { a: '' }, 'b.txt': '' })
    chmodSync(join(root, 'shut'), 0)
    t.teardown(() => chmodSync(join(root, 'shut'), 0o700))
    const { entries, left_out } = await files.listing('.', QUERY)
    t.same([entries.map(({ path }) => path), left_out.unreadable], [['b.txt', 'shut'], 1])
    t.equal(await catchErrorCode(() => files.listing('shut', QUERY)), 'PERMISSION_DENIED')
  }
)

t.test('lists thousands of entries in slices', async t => {
  const { files, root } = createToolFixture(t)
  writeTree(root, Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, ''])))
  writeFileSync(join(root, 'last'), '')
  let turns = 0
  const counting = setInterval(() => turns++)
  const { entries } = await files.listing('.', { ...QUERY, limit: 10_000 })
  clearInterval(counting)
  t.equal(entries.length, 5_001)
  t.ok(turns > 0, 'others had their turn meanwhile')
})

for (const name of PROTECTED_NAMES) t.ok(name.includes(PROTECTED_NAME_PART), name)
