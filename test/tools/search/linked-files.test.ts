// tier: full
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

const FILES = {
  'AGENTS.md': 'needle\n',
  'src/a.ts': 'needle\n',
  'src/.gitignore': '*.skip\n',
  'secret/plan.txt': 'needle\n',
  '.gitignore': '/ignored-link\nout/\n',
  '.ignore': 'other-link\n',
  '.env': 'needle\n',
  'out/built.ts': 'needle\n'
}

/** By link, where it leads. */
const LINKS = {
  'CLAUDE.md': 'AGENTS.md',
  'only/links/here.ts': '../../src/a.ts',
  'chain.ts': 'only/links/here.ts',
  'through.ts': 'folder/a.ts',
  'built.ts': 'out/built.ts',
  'docs/plan.txt': '../secret/plan.txt',
  'docs/near.txt': 'plan.txt',
  '.hidden.ts': 'src/a.ts'
}
const FOUND = Object.keys(LINKS).sort()

const LEFT_OUT = {
  'ignored-link': 'AGENTS.md',
  'other-link': 'AGENTS.md',
  'src/nested.skip': 'a.ts',
  'out/again.ts': 'built.ts',
  outside: '/etc/passwd',
  dangling: 'missing.ts',
  folder: 'src',
  loop: 'loop',
  internals: '.git/HEAD',
  state: '../state/journal.db',
  'notes.txt': '.env',
  id_rsa: 'AGENTS.md',
  '.toolgate-tmp-1': 'AGENTS.md'
}

/** In an unwatched workspace nothing is remembered. */
const UNWATCHED = { settings: { watch: { external: false, max_folders: 1 } } }

async function start(t: Test, options: StartOptions = {}) {
  const app = await startApp(t, { ...FILES, '.git/HEAD': 'ref: refs/heads/main\n' }, options)
  const link = (name: string, target: string) => {
    mkdirSync(path.dirname(path.join(app.root, name)), { recursive: true })
    symlinkSync(target, path.join(app.root, name))
  }
  for (const [name, target] of Object.entries({ ...LINKS, ...LEFT_OUT })) link(name, target)
  const data = async (tool: string, params: object) => {
    const { status, result, error } = await app.call(tool, params)
    if (status !== 'success') throw new Error(JSON.stringify(error ?? status))
    return result.data
  }
  const find = async (params: object): Promise<string[]> =>
    (await data('glob', { include_hidden: true, ...params })).files.sort()
  return { ...app, link, data, find, at: (name: string) => path.join(app.root, name) }
}

const REGULAR = ['.gitignore', '.ignore', 'AGENTS.md', 'secret/plan.txt', 'src/.gitignore', 'src/a.ts']

for (const [kind, options] of Object.entries({ watched: {}, unwatched: UNWATCHED }))
  t.test(`finds links to files in a workspace that is ${kind}`, async t => {
    const { data, find } = await start(t, options)
    const all = [...REGULAR, ...FOUND].sort()
    for (const round of ['at first', 'later']) {
      const found = await data('glob', { pattern: '**', include_hidden: true })
      t.same([found.files.sort(), found.total], [all, all.length], round)
      t.same(found.left_out, { sensitive: 4 }, '.env and the links by either name')
      t.same(await find({ pattern: 'only/**' }), ['only/links/here.ts'], 'a folder with links only')
      t.same(await find({ pattern: '*', path: 'only' }), ['only/links/here.ts'])
      t.same(await find({ pattern: '*', path: 'src' }), ['src/.gitignore', 'src/a.ts'])
      t.same(await find({ pattern: '*', path: 'out' }), ['out/again.ts', 'out/built.ts'], 'an ignored folder')
    }
    t.same(await find({ pattern: '{*link,**/*.skip,out/*}', no_ignore: true }), [
      'ignored-link',
      'other-link',
      'out/again.ts',
      'out/built.ts',
      'src/nested.skip'
    ])
    t.match(await data('glob', { pattern: 'notes.*' }), { files: [], left_out: { sensitive: 1 } })
    t.match(await data('glob', { pattern: '*.ts' }), { left_out: { hidden: 1 } })
  })

t.test('search_files finds them too', async t => {
  const { data } = await start(t)
  for (const pattern of ['claude', 'CLAUDE.*', 'cldmd'])
    t.same((await data('search_files', { pattern })).files, ['CLAUDE.md'], pattern)
  t.same((await data('search_files', { pattern: 'here', path: 'only' })).files, ['only/links/here.ts'])
  t.same(await data('search_files', { pattern: 'notes.txt' }), {
    files: [],
    total: 0,
    truncated: false,
    left_out: { sensitive: 1 }
  })
})

t.test('grep finds a line once', async t => {
  const { data } = await start(t)
  const { matches } = await data('grep', { pattern: 'needle', include: '*.{ts,md}' })
  t.same(matches.map((match: Json) => match.path).sort(), ['AGENTS.md', 'src/a.ts'])
})

t.test('orders a link by the time of its file', async t => {
  const { data, at } = await start(t)
  for (const [i, name] of ['secret/plan.txt', 'AGENTS.md', 'src/a.ts'].entries()) utimesSync(at(name), i + 1, i + 1)
  const { files } = await data('glob', { pattern: '{*.md,src/*.ts,docs/*,secret/*}' })
  t.same(files, ['src/a.ts', 'AGENTS.md', 'CLAUDE.md', 'docs/near.txt', 'docs/plan.txt', 'secret/plan.txt'])
})

for (const [kind, options] of Object.entries({ watched: {}, unwatched: UNWATCHED }))
  t.test(`follows changes in a workspace that is ${kind}`, async t => {
    const { find, link, at } = await start(t, options)
    const found = () => find({ pattern: '{new,made/**,CLAUDE.md}' })
    t.same(await found(), ['CLAUDE.md'])
    link('new', 'AGENTS.md')
    link('made/by/link.ts', '../../src/a.ts')
    t.same(await found(), ['CLAUDE.md', 'made/by/link.ts', 'new'], 'created')
    link('replacement', 'src')
    renameSync(at('replacement'), at('new'))
    t.same(await found(), ['CLAUDE.md', 'made/by/link.ts'], 'leads to a folder now')
    rmSync(at('new'))
    link('new', '.env')
    t.same(await found(), ['CLAUDE.md', 'made/by/link.ts'], 'leads to what may hold credentials')
    rmSync(at('new'))
    link('new', 'src/a.ts')
    rmSync(at('AGENTS.md'))
    t.same(await found(), ['made/by/link.ts', 'new'], 'leads to a file again; that of another is gone')
    rmSync(at('CLAUDE.md'))
    writeFileSync(at('CLAUDE.md'), '')
    rmSync(at('new'))
    t.same(await found(), ['CLAUDE.md', 'made/by/link.ts'], 'a file in place of a link; another is removed')
    writeFileSync(at('made/.gitignore'), '*.ts\n')
    t.same(await found(), ['CLAUDE.md', 'made/.gitignore'], 'ignored now')
    rmSync(at('made/.gitignore'))
    renameSync(at('made'), at('moved'))
    t.same(await find({ pattern: '{made,moved}/**' }), ['moved/by/link.ts'], 'moved with its folder')
  })

t.test('a link reveals no more than its file would', async t => {
  const deny = { effect: 'deny', match: { path: 'secret/**' } } as const
  const tiers = { administrator: [deny], user: [], workspace: [] }
  const { call, data, find } = await start(t, { settings: { tiers } })
  t.match(await call('glob', { pattern: '*.txt' }), { status: 'awaiting_approval' }, 'the folder holds denied files')
  t.same(await data('glob', { pattern: '*', path: 'docs' }), { files: [], total: 0, truncated: false })
  t.same(await data('search_files', { pattern: 'plan', path: 'docs' }), { files: [], total: 0, truncated: false })
  t.same(await find({ pattern: '*', path: 'only' }), ['only/links/here.ts'], 'leads to a file that may be read')
})

t.test("links to the server's own files are left out", async t => {
  const folder = makeTestFolder(t)
  const state_dir = path.join(folder, 'ws', '.state')
  const { find, link } = await start(t, { folder, settings: { state_dir } })
  const names = readdirSync(state_dir, { withFileTypes: true }).flatMap(entry => (entry.isFile() ? [entry.name] : []))
  t.ok(names.length > 0, 'there are some')
  for (const [i, name] of names.entries()) link(`own/${i}`, `../.state/${name}`)
  link('.state/link', '../AGENTS.md')
  t.same(await find({ pattern: 'own/*' }), [])
  t.same(await find({ pattern: 'link' }), [])
})
