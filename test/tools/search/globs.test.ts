// tier: quick
import t from 'tap'
import { type Json, startApp } from '../../start-app.ts'

const FILES = {
  'a.js': 'needle\n',
  'a.json': 'needle\n',
  'b.ts': 'needle\n',
  'b.test.ts': 'needle\n',
  '.gitignore': 'ignored/\n',
  '.github/workflows/ci.yml': 'needle\n',
  '.github/.cache': 'needle\n',
  'packages/x/a.json': 'needle\n',
  'packages/x/.gitignore': 'needle\n',
  'packages/y/1.ts': 'needle\n'
}

/** By pattern, the expected paths, and the number of hidden ones that are left out. */
const CASES: readonly [pattern: string, paths: string[], hidden?: number][] = [
  ['*.@(js|json)', ['a.js', 'a.json', 'packages/x/a.json']],
  ['./*.json', ['a.json']],
  ['!(*.test).ts', ['b.ts', 'packages/y/1.ts']],
  ['packages/+(x|y)/*', ['packages/x/a.json', 'packages/y/1.ts'], 1],
  ['packages/*/[[:digit:]].ts', ['packages/y/1.ts']],
  ['packages//y//*', ['packages/y/1.ts']],
  ['.github/**', ['.github/workflows/ci.yml'], 1],
  ['**/.gitignore', ['.gitignore', 'packages/x/.gitignore']],
  ['.gitignore', ['.gitignore', 'packages/x/.gitignore']],
  ['**/*.yml', [], 1]
]

t.test('glob takes patterns as other tools write them', async t => {
  const app = await startApp(t, FILES)
  const find = async (params: object) => (await app.call('glob', params)).result.data
  for (const [pattern, paths, hidden] of CASES) {
    const { files, left_out } = await find({ pattern })
    t.same([[...files].sort(), left_out?.hidden], [paths, hidden], pattern)
  }
  t.same((await find({ pattern: `${app.root}/packages/**/*.json` })).files, ['packages/x/a.json'], 'absolute')
  t.same((await find({ pattern: `${app.root}/*.json` })).files, ['a.json'], 'absolute, in this folder only')
  t.same((await find({ pattern: `${app.root}/packages/x/*.json`, path: 'packages' })).files, ['packages/x/a.json'])
  const refused = async (params: object, message: string) =>
    t.match(await app.call('glob', params), { status: 'error', error: { code: 'INVALID_PARAMS', message } })
  await refused({ pattern: `${app.root}/*.js`, path: 'packages' }, '/params/pattern: is not in packages, the folder to')
  await refused({ pattern: '@(a|b' }, '/params/pattern: The pattern has a @( without ): write @\\( for the characters.')
  await refused({ pattern: '[[:letter:]]' }, '/params/pattern: There is no class [:letter:]; available: alnum, ')
})

t.test('so do the globs of grep, search_code and search_files', async t => {
  const app = await startApp(t, FILES)
  const paths = (found: Json) => [...new Set(found.map(({ path }: Json) => path))].sort()
  const grep = async (params: object) =>
    paths((await app.call('grep', { pattern: 'needle', ...params })).result.data.matches)
  t.same(await grep({ include: '*.@(js|json)' }), ['a.js', 'a.json', 'packages/x/a.json'])
  t.same(await grep({ include: './!(*.test).ts' }), ['b.ts'])
  t.same(await grep({ include: 'packages//*/[[:digit:]].ts' }), ['packages/y/1.ts'])
  t.same(await grep({ include: `${app.root}/*.ts` }), ['b.test.ts', 'b.ts'])
  t.same(await grep({ include: '*.ts', exclude: '!(1).ts' }), ['packages/y/1.ts'])
  t.same(await grep({ include: '*.{ts,js}', exclude: ['./*.js', '@(packages)', 'b.test.ts'] }), ['b.ts'])
  t.same(await grep({ path: 'b.ts', exclude: '@(b).ts' }), [])
  t.match(await app.call('grep', { pattern: 'x', exclude: '@(a' }), {
    status: 'error',
    error: {
      code: 'INVALID_PARAMS',
      message: '/params/exclude: The pattern has a @( without ): write @\\( for the characters.'
    }
  })
  const code = await app.call('search_code', { query: 'needle', include: '*.@(js|json)', exclude: './*.js*' })
  t.same(paths(code.result.data.hits), ['packages/x/a.json'])
  t.same((await app.call('search_files', { pattern: '+(a).@(js|json)' })).result.data.files.sort(), [
    'a.js',
    'a.json',
    'packages/x/a.json'
  ])
})
