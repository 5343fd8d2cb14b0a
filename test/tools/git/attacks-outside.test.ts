// tier: full
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { runs } from '../../support/property.ts'
import { hostile, READS } from './attack-fixture.ts'
import { startGitReadFixture } from './read-fixture.ts'
import { gitIn } from './write-fixture.ts'

t.test('reveals nothing outside', async t => {
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

t.test('does not follow links in the git folder that lead outside', async t => {
  const app = await hostile(t)
  const secret = path.join(app.folder, 'secret.txt')
  writeFileSync(secret, 'SECRET-CANARY\n')
  for (const name of [
    ...['shallow', 'MERGE_HEAD', 'info/grafts', 'info/exclude', 'info/attributes', 'objects/info/alternates'],
    ...['objects/pack', 'objects/00', 'refs/remotes', 'logs/refs', 'config.worktree']
  ]) {
    const file = app.at(`r/.git/${name}`)
    mkdirSync(path.dirname(file), { recursive: true })
    rmSync(file, { recursive: true, force: true })
    symlinkSync(/pack|00|re/.test(name) ? app.folder : secret, file)
    for (const answer of await app.readAll()) {
      t.match(answer.error, { code: 'PERMISSION_DENIED' }, `${name}, ${answer.tool}`)
      t.notMatch(JSON.stringify(answer), /SECRET-CANARY/)
    }
    rmSync(file)
    if (name === 'objects/pack') mkdirSync(file)
  }
  // Things that never run are irrelevant, and links that stay inside are allowed.
  rmSync(app.at('r/.git/hooks'), { recursive: true, force: true })
  symlinkSync(app.folder, app.at('r/.git/hooks'))
  app.write('excluded', 'x\n')
  symlinkSync(app.at('excluded'), app.at('r/.git/info/exclude'))
  for (const answer of await app.readAll()) t.equal(answer.status, 'success', answer.tool)
})

t.test('borrows no objects from repositories outside', async t => {
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
  // Possible for anyone who may write files.
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
    t.match(answer.error, { code: 'PERMISSION_DENIED', message: /refers to files outside the workspace/ }, name)
    t.notMatch(JSON.stringify(answer), /SECRET-CANARY|Secret/, name)
  }
  list('b/objects', path.join(root, 'r/.git/objects'))
  const inside = app.git(['rev-parse', 'HEAD'], { in: 'r' })
  t.match(await app.data('git_show', { path: 'b', rev: inside }), { kind: 'commit' }, 'from one of the workspace')
})

t.test("a project's own git does not replace the machine's", async t => {
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

t.test('does not read a submodule with its own settings', async t => {
  const app = await startGitReadFixture(t, { 'lib/a.txt': 'a\n', 'r/a.txt': 'a\n' })
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

t.test('history does not reveal what policy protects', async t => {
  const app = await startGitReadFixture(
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
    const { result } = await app.post('/approve?wait_ms=120000', decision)
    return result.data
  }
  // A rule against some of the searched files asks about all of them, as with grep; the matched ones stay excluded.
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

t.test('parses any revision or path as one, or rejects it', async t => {
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
    runs(60)
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
    runs(60)
  )
  t.strictSame(app.everything(), before)
})
