// tier: full
// run: cheap
// A workspace that was opened by a symbolic link: its absolute paths by the link and by the real path mean the same.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { createProject } from '../cli/toolgate.ts'
import { type StartOptions, startApp, toApproval } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { connectWithCurl } from './fixture.ts'

const EMACS = { 'x-toolgate-client': 'emacs' }

/** Starts a server on a folder that two links lead to, one in a folder which is reached by the other, as with `/tmp` of macOS. */
async function startLinked(t: Test, more: StartOptions['settings'] = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-linked-')))
  t.teardown(() => removeFolder(folder))
  const real = path.join(folder, 'private/real')
  mkdirSync(path.join(real, 'src'), { recursive: true })
  mkdirSync(path.join(folder, 'private/tmp'))
  symlinkSync('private/tmp', path.join(folder, 'tmp'))
  symlinkSync('../real', path.join(folder, 'private/tmp/link'))
  writeFileSync(path.join(real, 'a.txt'), 'A\n')
  const given = path.join(folder, 'tmp/link')
  const app = await startApp(t, {}, { folder, settings: { roots: [{ name: 'default', path: real, given }], ...more } })
  return { ...app, real, spellings: [real, given, path.join(folder, 'private/tmp/link')], folder }
}

t.test('takes absolute paths by each spelling, and reports relative ones', async t => {
  const { call, get, request, events, spellings, real } = await startLinked(t)
  const stream = await events()
  for (const [index, root] of spellings.entries()) {
    const reading = await call('read_file', { path: `${root}/a.txt` })
    t.equal(reading.result?.data.content, 'A\n', root)
    const name = `src/new${index}.txt`
    const writing = await call('write_file', { path: `${root}/${name}`, content: 'n\n' })
    t.match(writing.changes, [{ path: name, operation: 'created' }], root)
    await stream.type('file.changed', event => event.path === name)
    t.match((await call('grep', { pattern: 'A', path: root })).result?.data.matches, [{ path: 'a.txt' }], root)
    const globbed = await call('glob', { pattern: `${root}/src/new${index}.*` })
    t.same(globbed.result?.data.files, [name], root)
    t.match((await call('grep', { pattern: 'n', include: `${root}/${name}` })).result?.data.matches, [{ path: name }])
    const patch = `*** Begin Patch\n*** Add File: ${root}/p${index}.txt\n+p\n*** End Patch`
    t.match((await call('apply_patch', { patch })).changes, [{ path: `p${index}.txt` }], root)
    t.match((await call('read_file', { path: pathToFileURL(`${root}/b c.txt`).href })).error.details, {
      meant: 'b c.txt'
    })
    const buffers = [{ path: `${root}/a.txt`, content: `${index}\n` }]
    t.equal((await request('PUT', '/buffers', { client_id: 'one', buffers }, EMACS)).status, 200, root)
    t.match((await get('/buffers')).buffers, [{ path: 'a.txt' }], root)
    await request('DELETE', '/buffers?client_id=one', undefined, EMACS)
  }
  t.match((await call('read_file', { path: `${real}-other/a.txt` })).error, { code: 'INVALID_PATH' })
})

t.test('judges and runs commands by each spelling', async t => {
  const { call, post, get, spellings } = await startLinked(t)
  for (const root of spellings) {
    const facts = await post('/policy/explain', { tool: 'shell_exec', params: { command: `cat ${root}/a.txt` } })
    t.notMatch(JSON.stringify(facts), /is outside the workspace/, root)
    const waiting = await call('shell_exec', { command: `cat ${root}/a.txt; pwd -P`, cwd: `${root}/src` })
    t.not(waiting.approval?.level, 'strict', root)
    await post('/approve', toApproval(waiting))
    const ended = await get(`/calls/${waiting.tool_call_id}?wait_ms=60000`)
    t.equal(ended.result.data.output, `A\n${spellings[0]}/src\n`, root)
  }
})

t.test('shows each spelling to commands in the sandbox', needs('bwrap'), async t => {
  const { call, spellings } = await startLinked(t, { sandbox: defaultSettings().sandbox })
  for (const root of spellings) {
    const { status, result } = await call('shell_exec', { command: `cat ${root}/a.txt`, cwd: root })
    t.same([status, result?.data.output], ['success', 'A\n'], root)
  }
})

t.test('applies rules to what such a path leads to', async t => {
  const user = [{ effect: 'deny' as const, match: { path: 'a.txt' } }]
  const { call, spellings } = await startLinked(t, { tiers: { administrator: [], user, workspace: [] } })
  for (const root of spellings)
    t.match(await call('read_file', { path: `${root}/a.txt` }), { status: 'rejected' }, root)
})

t.test('stays at the folder when a link is exchanged', async t => {
  const { call, spellings, folder } = await startLinked(t)
  const other = path.join(folder, 'other')
  mkdirSync(other)
  writeFileSync(path.join(other, 'a.txt'), 'other\n')
  const link = path.join(folder, 'private/tmp/link')
  symlinkSync(other, `${link}.new`)
  renameSync(`${link}.new`, link)
  for (const root of [...spellings, '.']) {
    const { error, ...body } = await call('read_file', { path: `${root}/a.txt` })
    t.match(error ?? body, { code: 'WORKSPACE_GONE' }, root)
  }
  t.equal(readFileSync(path.join(other, 'a.txt'), 'utf8'), 'other\n')
})

t.test('serves a linked folder that is named by a flag, or is the current one', async t => {
  const at = createProject(t, { 'a.txt': 'A\n' })
  const link = path.join(at.folder, 'link')
  symlinkSync(at.project, link)
  const starts: [env: Record<string, string>, ...flags: string[]][] = [
    [{}, '--root', link],
    [{ PWD: link }, '--root', '.'],
    [{ PWD: link }]
  ]
  for (const [env, ...flags] of starts) {
    const started = await at.serveIn(env, ...flags)
    for (const root of [link, at.project]) {
      const { body } = await connectWithCurl(started).call('read_file', { path: `${root}/a.txt` })
      t.match(body, { status: 'success', result: { data: { content: 'A\n' } } }, `${root} ${flags.join(' ')}`)
    }
    started.process.stdin.end()
    await started.ended
  }
})
