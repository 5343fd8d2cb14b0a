// tier: full
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { CALL_TOKEN, type Json } from '../../start-app.ts'
import { runs } from '../../support/property.ts'
import { GREETING, SEARCH, start } from './search-fixture.ts'

t.test('the whole answer', async t => {
  const files = {
    'src/greeting.ts': GREETING,
    'test/greeting.test.ts': "import { greetVisitor } from '../src/greeting.ts'\n\ngreetVisitor('you')\n",
    'readme.md': '# Doors\n\nA visitor comes in by the door.\n'
  }
  const app = await start(t, files)
  await app.ready()
  const answer = await app.call('search_code', { query: 'How is a visitor greeted?' })
  const [hit, ...others] = answer.result.data.hits
  t.match(hit, {
    path: 'src/greeting.ts',
    lines: [1, 4],
    matched: ['visitor', 'greeted'],
    snippet:
      '    1  // Says hello to whoever comes.\n    2  export function greetVisitor(name: string) {\n' +
      '    3    return name.trim()\n    4  }'
  })
  t.same(
    others.map(({ path }: Json) => path),
    ['test/greeting.test.ts', 'readme.md']
  )
  t.match(answer.result.data.index, { state: 'ready', indexed: 3, waiting: 0, left_out: 0, following: true })
  t.match(answer.result.content, /^src\/greeting\.ts:1-4 \(visitor, greeted\)\n {4}1 {2}\/\/ Says hello/)
  t.equal((await app.paths('test that greets visitors'))[0], 'test/greeting.test.ts', 'tests are found when asked for')
  t.match(await app.get('/capabilities'), { workspaces: [{ index: { state: 'ready', indexed: 3, bytes: Number } }] })
})

t.test('finds a name in every spelling', async t => {
  const app = await start(t, {
    'a.py': 'def parse_http_header(line):\n    return line\n',
    'b.ts': 'export const nothing = 1\n'
  })
  await app.ready()
  for (const query of ['parseHTTPHeader', 'parse_http_header', 'parse-http-header', 'HTTP header', 'headers parsed'])
    t.same(await app.paths(query), ['a.py'], query)
})

t.test('any text is a query', async t => {
  const app = await start(t, { 'a.ts': GREETING, 'é.md': '# Überschrift\n\n日本語の検索\n' })
  await app.ready()
  t.same(await app.paths('検索'), ['é.md'])
  t.same(await app.paths('uberschrift'), ['é.md'])
  t.same(await app.paths('"trim" AND NOT trim* OR NEAR(x y) {path}: ^'), ['a.ts'])
  t.same(await app.paths('where is the'), [], 'words that say nothing')
  t.same(await app.paths('?!'), [])
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async query => {
      const { hits } = await app.search({ query })
      return Array.isArray(hits)
    }),
    runs(60)
  )
})

t.test('long and strange files', async t => {
  const app = await start(
    t,
    {
      'long.ts': `${'// filler\n'.repeat(500)}export function axolotl() {\n${'  work()\n'.repeat(30)}}\n`,
      'wide.ts': `const axolotl = ${'x'.repeat(1_000)}\n`,
      'dense.js': `axolotl(${'1,'.repeat(3_000)})`,
      'axolotl.min.js': 'axolotl()',
      'package-lock.json': '{"axolotl": 1}',
      'crlf.ts': 'const axolotl = 1\r\nconst b = 2\r\n',
      'axolotl.txt': ''
    },
    { settings: { search: { ...SEARCH, max_file_bytes: 20_000 } } }
  )
  app.write('latin1.c', Buffer.from('/* axolotl \xe9t\xe9 */\n', 'latin1'))
  app.write('utf16.c', Buffer.from('\ufeffint axolotl;\n', 'utf16le'))
  app.write('binary.c', Buffer.from('axolotl\0\0\0'))
  app.write('large.ts', '// axolotl\n'.repeat(2_000))
  await app.ready()
  const { hits } = await app.search({ query: 'axolotl', limit: 100 })
  t.same(hits.map(({ path }: Json) => path).sort(), [
    'axolotl.txt',
    'crlf.ts',
    'latin1.c',
    'long.ts',
    'utf16.c',
    'wide.ts'
  ])
  const of = (name: string) => hits.find(({ path }: Json) => path === name)
  t.equal(of('crlf.ts').snippet, '    1  const axolotl = 1\n    2  const b = 2')
  t.match(of('long.ts'), { lines: [501, 512], snippet: /^ {2}501 {2}export function axolotl/ })
  t.ok(of('wide.ts').snippet.length < 400)
})

t.test('does not show unreadable files', async t => {
  const files = {
    'open.ts': '// axolotl\n',
    'private/plan.ts': '// axolotl\n',
    'later-secret.ts': '// axolotl\n',
    '.env': 'TOKEN=axolotl\n',
    'server.pem': 'axolotl\n'
  }
  const deny = { effect: 'deny', match: { path: 'private/**' } } as const
  const first = await start(t, files, { settings: { tiers: { administrator: [deny], user: [], workspace: [] } } })
  await first.ready()
  const callOnly = { authorization: `Bearer ${CALL_TOKEN}` }
  for (const headers of [{}, callOnly]) {
    const { hits } = await first.search({ query: 'axolotl' }, headers)
    t.same(hits.map(({ path }: Json) => path).sort(), ['later-secret.ts', 'open.ts'])
  }
  await first.close()
  const sensitive = { names: ['later-*'], call_only: 'deny' as const }
  const second = await start(t, {}, { folder: first.folder, settings: { sensitive } })
  await second.ready()
  t.same((await second.paths('axolotl')).sort(), ['open.ts', 'private/plan.ts'])
  const file = path.join(second.folder, 'state', 'index', second.indexFiles()[0]!)
  t.notOk(readFileSync(file).includes('later-secret'), 'nothing of it is left on the disk')
})

t.test('counts words without an index', async t => {
  const files = {
    'src/greeting.ts': GREETING,
    'test/greeting.test.ts': '// greets a visitor, and a visitor, and a visitor\n',
    'other.ts': '// a visitor\n',
    '.env': 'VISITOR=1\n'
  }
  const app = await start(t, files, { settings: { search: { ...SEARCH, index: 'off' } } })
  const answer = await app.search({ query: 'how is a visitor greeted' })
  t.same(
    answer.hits.map(({ path }: Json) => path),
    ['src/greeting.ts', 'test/greeting.test.ts', 'other.ts']
  )
  t.match(answer, {
    hits: [{ lines: [1, 4], matched: ['visitor', 'greeted'] }],
    index: { state: 'off', indexed: 0 },
    notes: ['There is no index (`search.index` is off). Files are ranked only by word counts.']
  })
  t.same(await app.paths('visitor', { include: '*.test.ts' }), ['test/greeting.test.ts'])
  t.same(await app.paths('the'), [])
  t.match(await app.get('/capabilities'), { workspaces: [{ index: { state: 'off' } }] })
})

t.test('without a watcher results are current all the same', async t => {
  const watch = { external: false, max_folders: 1 }
  const files = { 'a/gone.ts': '// axolotl\n', 'b/changes.ts': '// axolotl\n', 'c/moves.ts': '// axolotl\n' }
  const app = await start(t, files, { settings: { watch } })
  await app.ready()
  t.equal((await app.paths('axolotl')).length, 3)
  rmSync(path.join(app.root, 'a/gone.ts'))
  app.write('b/changes.ts', '// newt\n')
  app.write('c/moves.ts', `${'// filler\n'.repeat(100)}// axolotl\n`)
  const { hits, index, notes } = await app.search({ query: 'axolotl' })
  t.match(hits, [{ path: 'c/moves.ts', snippet: /^ +\d+ {2}\/\/ filler\n[\s\S]* 101 {2}\/\/ axolotl$/ }])
  t.equal(hits.length, 1)
  t.match(index, { state: 'ready', following: false })
  t.match(notes, [/^This workspace is not watched for changes\. The index is from 2/])
})

t.test('bounds the size of results', async t => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.ts`, GREETING]))
  const app = await start(t, files, { settings: { search: { ...SEARCH, max_files: 10 } } })
  await app.ready()
  const { index, notes } = await app.search({ query: 'visitor' })
  t.match(index, { indexed: 10, left_out: 20 })
  t.same(notes, ['20 files are not indexed because the index is full.'])
})

t.test('names unsaved buffers', async t => {
  const app = await start(t, { 'a.ts': GREETING })
  await app.ready()
  const held = { path: 'a.ts', content: '// newt\n', version: 1 }
  const put = await app.request('PUT', '/buffers', { client_id: 'ed', buffers: [held] })
  t.ok(put.status < 300, JSON.stringify(put.body))
  const { notes, hits } = await app.search({ query: 'visitor' })
  t.equal(hits[0].path, 'a.ts')
  t.match(notes, [/^Some files have unsaved changes in editors\. Only their saved text was searched: a\.ts/])
})

t.test('builds the index ahead if configured', async t => {
  const app = await start(t, { 'a.ts': GREETING }, { settings: { search: { ...SEARCH, index: 'on' } } })
  const events = await app.stream.type('index.changed', ({ state }) => state === 'ready')
  t.match(events.at(-1), { workspace: 'default', state: 'ready', indexed: 1 })
})
