// Hostile repositories and params: nothing that they name runs, and nothing outside is shown. The cases are those of
// corpus/args.json for the tools that read, and more where plain git does run something.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { start, type World } from './reading-world.ts'
import { gitIn } from './writing-world.ts'

const CORPUS: { cases: Json[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../corpus/args.json'), 'utf8')
)

/** Every way of reading, at a folder. */
const READS = (at: string): [string, Json][] => [
  ['git_status', { path: at }],
  ['git_diff', { path: at }],
  ['git_diff', { path: at, base: 'HEAD' }],
  ['git_log', { path: at, files: true }],
  ['git_show', { path: at, rev: 'HEAD' }],
  ['git_show', { path: at, rev: 'HEAD:a.txt' }],
  ['git_blame', { path: `${at}/a.txt` }]
]

const SIGNED = `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
author Ada <ada@example.com> 1700000000 +0000
committer Ada <ada@example.com> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 iQ==
 -----END PGP SIGNATURE-----

Signed
`

/** A repository with changes of all kinds, in which git has something to compare. */
async function hostile(t: Test) {
  const app = await start(t, { 'r/a.txt': 'one\n', 'r/b.txt': 'b\n' })
  app.init('r')
  app.write('r/b.txt', 'staged\n')
  app.git(['add', 'b.txt'], { in: 'r' })
  // Of the same size, so that git must read it.
  app.write('r/a.txt', 'two\n')
  const canary = path.join(app.folder, 'PWNED')
  const fired = () => {
    const found = existsSync(canary)
    rmSync(canary, { force: true })
    return found
  }
  const readAll = (at = 'r'): Promise<Json[]> => Promise.all(READS(at).map(([tool, params]) => app.call(tool, params)))
  return { ...app, canary, fired, readAll }
}

/** Whether git by itself runs it: else a case would say nothing. */
function plainly(app: World, words: readonly string[], at = 'r') {
  try {
    execFileSync('git', [...words], {
      cwd: app.at(at),
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
      stdio: 'ignore'
    })
  } catch {
    // What it ran may have failed it.
  }
}

t.test('the corpus', async t => {
  const ours = new Set(['git.diff', 'git.blame', 'git.status', 'git.*'])
  const cases = CORPUS.cases.filter(({ tool }) => ours.has(tool))
  t.ok(cases.length >= 12)
  for (const { id, tool, args, why } of cases)
    await t.test(`${id}: ${why}`, async t => {
      const app = await hostile(t)
      const filled = (value: string) => value.replaceAll('{{T}}', app.folder)
      const { setup = {} } = args
      for (const [key, value] of Object.entries<string>(setup.git_config ?? {})) plant(app, key, filled(value))
      if (setup.nested_bare_repo) {
        app.git(['init', '-q', '--bare', 'r/sub'])
        app.git(['config', 'core.bare', 'false'], { in: 'r/sub' })
        app.git(['config', 'core.worktree', '.'], { in: 'r/sub' })
        app.git(['config', 'core.fsmonitor', `touch ${app.canary}`], { in: 'r/sub' })
        for (const [name, params] of READS('r/sub')) t.equal((await app.call(name, params)).status, 'error', name)
      } else if (setup.git_config) {
        for (const answer of await app.readAll())
          t.equal(answer.status, 'success', `${answer.tool}: ${answer.error?.message}`)
      } else if (tool === 'git.diff') {
        const call = await app.call('git_diff', { base: args.ref, path: `r/${filled(args.paths[0])}` })
        // A path like any other, which is not there.
        t.match(call, { status: 'error', error: { code: 'FILE_NOT_FOUND' } })
      } else {
        const { path: file, ref, ...others } = args
        const params = { path: `r/${file}`, ...(ref && { rev: filled(ref) }), ...others }
        const answer = await app.request('POST', '/calls', { tool: 'git_blame', params })
        t.match(answer.body.error?.code ?? answer.body.code, 'INVALID_PARAMS')
      }
      t.notOk(app.fired())
    })
})

/** A setting, with what the words in brackets ask for besides. */
function plant(app: Awaited<ReturnType<typeof hostile>>, about: string, value: string) {
  const [, key = '', more = ''] = /^(\S+)(.*)$/s.exec(about) ?? []
  const [, attributes] = /\*\.txt (\S+)/.exec(more) ?? []
  app.git(['config', key, value], { in: 'r' })
  if (attributes) app.write('r/.gitattributes', `*.txt ${attributes.replace(/\)$/, '')}\n`)
  if (!more.includes('signed commit')) return
  const script = `#!/bin/sh\ntouch ${app.canary}\n`
  writeFileSync(value, script)
  chmodSync(value, 0o755)
  app.git(['config', 'log.showSignature', 'true'], { in: 'r' })
  const oid = app.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { in: 'r', input: SIGNED })
  app.git(['replace', '--graft', 'HEAD', oid], { in: 'r' })
}

t.test('what plain git runs, and these do not', async t => {
  const planted: { name: string; settings: [string, string][]; attributes?: string; plain?: string[] }[] = [
    { name: 'fsmonitor', settings: [['core.fsmonitor', 'touch CANARY;true']], plain: ['status'] },
    { name: 'external diff', settings: [['diff.external', 'touch CANARY;true']], plain: ['diff'] },
    { name: 'diff driver', settings: [['diff.x.command', 'touch CANARY;true']], attributes: 'diff=x', plain: ['diff'] },
    { name: 'textconv', settings: [['diff.x.textconv', 'touch CANARY;cat']], attributes: 'diff=x', plain: ['blame', 'a.txt'] },
    { name: 'clean filter', settings: [['filter.x.clean', 'touch CANARY;cat']], attributes: 'filter=x', plain: ['diff'] },
    { name: 'odd filter name', settings: [['filter.a b.c=d.clean', 'touch CANARY;cat']], attributes: 'filter=x' },
    { name: 'process filter', settings: [['filter.x.process', 'touch CANARY;cat'], ['filter.x.required', 'true']], attributes: 'filter=x', plain: ['diff'] },
    { name: 'hooks', settings: [['core.hooksPath', 'HOOKS']], plain: ['status'] },
    { name: 'pager', settings: [['core.pager', 'touch CANARY'], ['pager.log', 'touch CANARY']] },
    { name: 'merge driver', settings: [['merge.x.driver', 'touch CANARY']], attributes: 'merge=x' },
    { name: 'fetching what is missing', settings: [['extensions.partialClone', 'evil'], ['remote.evil.url', 'ext::touch CANARY'], ['remote.evil.promisor', 'true'], ['protocol.ext.allow', 'always'], ['protocol.allow', 'always']] }
  ] // biome-ignore format: a table
  for (const { name, settings, attributes, plain } of planted)
    await t.test(name, async t => {
      const app = await hostile(t)
      const hooks = path.join(app.folder, 'hooks')
      mkdirSync(hooks)
      for (const hook of ['post-index-change', 'reference-transaction', 'pre-auto-gc']) {
        writeFileSync(path.join(hooks, hook), `#!/bin/sh\ntouch ${app.canary}\n`)
        chmodSync(path.join(hooks, hook), 0o755)
      }
      if (attributes) app.write('r/.gitattributes', `*.txt ${attributes}\n`)
      if (name.startsWith('fetching')) {
        app.git(['config', 'core.repositoryFormatVersion', '1'], { in: 'r' })
        const blob = app.git(['rev-parse', 'HEAD:a.txt'], { in: 'r' })
        rmSync(app.at(`r/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`))
      }
      const setting = (value: string) => value.replaceAll('CANARY', app.canary).replaceAll('HOOKS', hooks)
      for (const [key, value] of settings) app.git(['config', key, setting(value)], { in: 'r' })
      await app.readAll()
      t.notOk(app.fired())
      if (!plain) return
      plainly(app, plain)
      t.ok(app.fired(), 'plain git runs it')
    })
})

t.test('settings that come from elsewhere count too, and what was known of them is looked up again', async t => {
  const app = await hostile(t)
  const filter = (name: string) => `[filter "${name}"]\n\tclean = touch ${app.canary}; cat\n`
  const attributes = (name: string) => app.write('r/.gitattributes', `*.txt filter=${name}\n`)
  t.equal((await app.readAll())[0].status, 'success')
  const ways: Record<string, () => void> = {
    later: () => app.write('r/.git/config', app.read('r/.git/config') + filter('later')),
    included: () => {
      app.write('r/.git/more', filter('included'))
      app.git(['config', 'include.path', 'more'], { in: 'r' })
    },
    changed: () => app.write('r/.git/more', filter('changed')),
    conditional: () => {
      app.write('r/.git/branch', filter('conditional'))
      app.git(['config', 'includeIf.onbranch:topic.path', 'branch'], { in: 'r' })
      app.git(['checkout', '-q', '-b', 'topic'], { in: 'r' })
    },
    worktree: () => {
      app.git(['config', 'extensions.worktreeConfig', 'true'], { in: 'r' })
      app.write('r/.git/config.worktree', filter('worktree'))
    }
  }
  for (const [name, plantIt] of Object.entries(ways)) {
    plantIt()
    attributes(name)
    app.write('r/a.txt', `${name}\n`)
    // Of what git did to get here.
    app.fired()
    await app.readAll()
    t.notOk(app.fired(), name)
    plainly(app, ['diff'])
    t.ok(app.fired(), `plain git runs it: ${name}`)
  }
})

t.test('nothing outside is shown', async t => {
  const app = await hostile(t)
  const secret = path.join(app.folder, 'secret.txt')
  writeFileSync(secret, 'SECRET-CANARY\n')
  for (const [key, value] of [
    ['blame.ignoreRevsFile', secret],
    ['mailmap.file', secret],
    ['core.attributesFile', secret],
    ['core.excludesFile', secret],
    ['diff.orderFile', secret],
    ['core.worktree', app.folder],
    ['include.path', secret]
  ] as const) {
    app.git(['config', key, value], { in: 'r' })
    for (const answer of await app.readAll())
      t.notMatch(JSON.stringify(answer), /SECRET-CANARY/, `${key}, ${answer.tool}`)
    rmSync(app.at('r/.git/config'))
    app.git(['init', '-q'], { in: 'r' })
  }
  symlinkSync(app.folder, app.at('r/out'))
  app.git(['add', '-A'], { in: 'r' })
  t.match(await app.data('git_diff', { path: 'r', staged: true }), {
    files: [{}, {}, { path: 'r/out', new_mode: '120000' }]
  })
  t.match(await app.error('git_blame', { path: 'r/out/secret.txt' }), { code: 'INVALID_PATH' })
})

t.test('links in the folder of git that lead outside are not followed', async t => {
  const app = await hostile(t)
  const secret = path.join(app.folder, 'secret.txt')
  writeFileSync(secret, 'SECRET-CANARY\n')
  for (const name of [
    ...['shallow', 'MERGE_HEAD', 'info/grafts', 'info/exclude', 'info/attributes', 'objects/info/alternates'],
    ...['objects/pack', 'objects/00', 'refs/remotes', 'logs/refs', 'config.worktree']
  ]) {
    const file = app.at(`r/.git/${name}`)
    rmSync(file, { recursive: true, force: true })
    symlinkSync(/pack|00|re/.test(name) ? app.folder : secret, file)
    for (const answer of await app.readAll()) {
      t.match(answer.error, { code: 'PERMISSION_DENIED' }, `${name}, ${answer.tool}`)
      t.notMatch(JSON.stringify(answer), /SECRET-CANARY/)
    }
    rmSync(file)
    if (name === 'objects/pack') mkdirSync(file)
  }
  // What runs never is no matter, and links that stay inside are none of them.
  rmSync(app.at('r/.git/hooks'), { recursive: true })
  symlinkSync(app.folder, app.at('r/.git/hooks'))
  app.write('excluded', 'x\n')
  symlinkSync(app.at('excluded'), app.at('r/.git/info/exclude'))
  for (const answer of await app.readAll()) t.equal(answer.status, 'success', answer.tool)
})

t.test('no objects are borrowed from repositories outside', async t => {
  const app = await hostile(t)
  const other = path.join(app.folder, 'other')
  mkdirSync(other)
  writeFileSync(path.join(other, 'a.txt'), 'SECRET-CANARY\n')
  const git = gitIn(other)
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Secret')
  const oid = git('rev-parse', 'HEAD')
  const objects = path.join(other, '.git/objects')
  // As anybody could write it who may write files.
  for (const name of ['b/HEAD', 'b/refs/heads/main']) app.write(name, `${oid}\n`)
  const show = () => app.call('git_show', { path: 'b', rev: oid.slice(0, 6) })
  const list = (at: string, line: string) => app.write(`${at}/info/alternates`, `# from\n${line}\n`)
  const { root } = app
  for (const [name, plantIt] of Object.entries({
    'its own': () => list('b/objects', objects),
    relative: () => list('b/objects', path.relative(path.join(root, 'b/objects'), objects)),
    quoted: () => list('b/objects', JSON.stringify(objects)),
    'by another': () => {
      list('store', objects)
      list('b/objects', path.join(root, 'store'))
    },
    'by a link in another': () => {
      rmSync(path.join(root, 'store'), { recursive: true })
      mkdirSync(path.join(root, 'store'))
      symlinkSync(path.join(objects, oid.slice(0, 2)), path.join(root, 'store', oid.slice(0, 2)))
    }
  })) {
    plantIt()
    const answer = await show()
    t.match(answer.error, { code: 'PERMISSION_DENIED', message: /leads out of the workspace/ }, name)
    t.notMatch(JSON.stringify(answer), /SECRET-CANARY|Secret/, name)
  }
  list('b/objects', path.join(root, 'r/.git/objects'))
  const inside = app.git(['rev-parse', 'HEAD'], { in: 'r' })
  t.match(await app.data('git_show', { path: 'b', rev: inside }), { kind: 'commit' }, 'from one of the workspace')
})

t.test("a project's own git does not stand in for the machine's", async t => {
  const app = await hostile(t)
  const before = process.env.PATH
  t.teardown(() => {
    process.env.PATH = before
  })
  app.write('r/bin/git', `#!/bin/sh\ntouch ${app.canary}\n`)
  chmodSync(app.at('r/bin/git'), 0o755)
  process.env.PATH = `${app.at('r/bin')}:.:${before}`
  for (const answer of await app.readAll()) t.equal(answer.status, 'success')
  t.notOk(app.fired())
})

t.test('a submodule with settings of its own is not looked into', async t => {
  const app = await start(t, { 'lib/a.txt': 'a\n', 'r/a.txt': 'a\n' })
  const canary = path.join(app.folder, 'PWNED')
  app.init('lib')
  app.init('r')
  app.git(['submodule', '--quiet', 'add', '../lib', 'sub'], { in: 'r' })
  app.commit('sub', 1, 'r')
  app.git(['config', 'core.fsmonitor', `touch ${canary};true`], { in: 'r/sub' })
  app.write('r/sub/a.txt', 'b\n')
  for (const [tool, params] of [...READS('r'), ...READS('r/sub')])
    t.equal((await app.call(tool, params)).status, 'success', tool)
  t.notOk(existsSync(canary))
})

t.test('what policy keeps back, history does not tell', async t => {
  const app = await start(
    t,
    { '.env': 'KEY=one\n', 'kept/back.txt': 'denied\n', 'a.txt': 'a\n', 'keys/id_rsa': 'private\n' },
    {
      settings: {
        tiers: {
          administrator: [{ effect: 'deny', match: { path: 'kept/**' } }],
          user: [],
          workspace: []
        }
      }
    }
  )
  app.init()
  app.git(['mv', '.env', 'harmless.txt'])
  app.commit('renamed', 1)
  const approved = async (tool: string, params: Json): Promise<Json> => {
    const { tool_call_id, approval } = await app.call(tool, params)
    const decision = { tool_call_id, digest: approval.digest, confirm: true }
    const { result } = await app.post('/approve?wait_ms=60000', decision)
    return result.data
  }
  // A rule against some of what is looked through asks about all of it, as with grep; what it is about stays left out.
  const shown = await approved('git_show', { rev: 'HEAD~1' })
  t.strictSame(
    shown.changes.files.filter(({ diff }: Json) => diff !== undefined).map(({ path }: Json) => path),
    ['a.txt']
  )
  t.strictSame(
    shown.changes.left_out.map(({ path }: Json) => path),
    ['.env', 'kept/back.txt', 'keys/id_rsa']
  )
  const renamed = await approved('git_show', { rev: 'HEAD' })
  t.match(renamed.changes, { files: [{ path: 'harmless.txt', from: '.env' }], left_out: [{ path: 'harmless.txt' }] })
  t.notMatch(JSON.stringify([shown, renamed]), /KEY=one|denied|private/)
  for (const [tool, params] of [
    ['git_show', { rev: 'HEAD~1:.env' }],
    ['git_show', { rev: 'HEAD~1:keys/id_rsa' }],
    ['git_blame', { path: 'keys/id_rsa' }]
  ] as const) {
    const asked = await app.call(tool, params)
    t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict' } }, `${tool} asks`)
    t.notMatch(JSON.stringify(asked), /KEY=one|private/)
  }
  t.match(await approved('git_show', { rev: 'HEAD~1:.env' }), { path: '.env', kind: 'file', file: { binary: false } })
  for (const [tool, params] of [
    ['git_show', { rev: 'HEAD:kept/back.txt' }],
    ['git_blame', { path: 'kept/back.txt' }]
  ] as const) {
    const refused = await app.request('POST', '/calls', { tool, params })
    t.equal(refused.body.status, 'rejected', tool)
    t.notMatch(JSON.stringify(refused.body), /denied\n/)
  }
})

t.test('whatever a revision or a path says, it is one or it is refused', async t => {
  const app = await hostile(t)
  const before = app.everything()
  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'-:.~^@{}/\\*?[ "\'$;|&HEAD\n\0=oO'), minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      '--output=PWNED',
      '-o',
      '--',
      '--all',
      '@{-1}',
      'HEAD..--output=PWNED',
      ':/',
      ':0:',
      '^HEAD',
      'HEAD:',
      '--upload-pack=x',
      '..',
      '...',
      '-O/etc/passwd'
    )
  )
  await fc.assert(
    fc.asyncProperty(word, fc.constantFrom('git_show', 'git_log', 'git_diff', 'git_blame'), async (given, tool) => {
      const name = tool === 'git_diff' ? 'base' : 'rev'
      const { body } = await app.request('POST', '/calls', {
        tool,
        params: { [name]: given, path: tool === 'git_blame' ? 'r/a.txt' : 'r' }
      })
      const code = body.code ?? body.error?.code
      return (
        body.status === 'success' ||
        body.status === 'awaiting_approval' ||
        ['INVALID_PARAMS', 'INVALID_PATH', 'FILE_NOT_FOUND', 'EXECUTION_ERROR'].includes(code)
      )
    }),
    { numRuns: 60 }
  )
  await fc.assert(
    fc.asyncProperty(word, fc.constantFrom('git_status', 'git_log', 'git_diff', 'git_blame'), async (given, tool) => {
      const { body } = await app.request('POST', '/calls', { tool, params: { path: `r/${given}` } })
      const code = body.code ?? body.error?.code
      return (
        body.status === 'success' ||
        ['INVALID_PARAMS', 'INVALID_PATH', 'FILE_NOT_FOUND', 'NOT_A_DIRECTORY'].includes(code)
      )
    }),
    { numRuns: 60 }
  )
  t.strictSame(app.everything(), before)
})
