// Tests of language servers without a sandbox: none is started before the call's intent is durable, none from the project, and
// none ahead of a query.
// tier: quick
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import { EditorBuffers } from '../../../src/host/editors/editor-buffers.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { LanguageServerPool } from '../../../src/host/lsp/pool.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import type { Sandbox } from '../../../src/host/sandbox/sandbox.ts'
import { FileList } from '../../../src/host/search/file-list.ts'
import { Ripgrep } from '../../../src/host/search/ripgrep.ts'
import { Watcher } from '../../../src/host/watch/watcher.ts'
import { waitUntil } from '../../support/wait.ts'
import { FAKE_SERVER, FAKE_SERVERS } from './fake-fixture.ts'

const NONE: Sandbox = {
  default: 'none',
  states: async () => [{ level: 'none', holds: true }],
  confine: async ({ file, args, cwd, env }) => ({
    file,
    args,
    cwd,
    env,
    inherit: [],
    isSandbox: false,
    released: async () => ({ quarantined: [] })
  })
}

function place(
  t: Test,
  servers: Config['language_servers']['servers'] = FAKE_SERVERS,
  PATH = path.dirname(process.execPath)
) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'unkept-')))
  const root = path.join(folder, 'ws')
  mkdirSync(path.join(root, 'node_modules/.bin'), { recursive: true })
  writeFileSync(path.join(root, 'a.yaml'), 'a: 1\n')
  const workspace = openWorkspace('default', root)
  const spawner = new Spawner(process.env)
  const guard = { stateDir: path.join(folder, 'state'), sensitive: [] }
  const watcher = new Watcher(workspace)
  const list = new FileList(workspace, new Ripgrep(spawner, workspace, { exclude: [] }), watcher)
  const { language_servers, buffers } = defaultSettings()
  const pool = new LanguageServerPool({
    spawner,
    sandbox: NONE,
    env_allow: [],
    environment: { PATH },
    roots: [root],
    guard,
    buffers: new EditorBuffers(guard, buffers),
    settings: { ...language_servers, servers },
    workspaces: new Map([['default', { ...workspace, watcher, list }]])
  })
  t.teardown(async () => {
    await pool.close()
    list.close()
    watcher.close()
    await spawner.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { signal } = new AbortController()
  return { root, pool, of: (commitIntent: () => Promise<void>) => pool.forCall(workspace, { signal, commitIntent }) }
}

const AT = { path: 'a.yaml', line: 1, column: 1 }

t.test('commits the intent first', async t => {
  const { pool, of } = place(t)
  const refused = of(() => Promise.reject(new Error('the journal is full')))
  t.equal(await refused.isolationLevel(), undefined)
  t.equal(refused.isRunning('a.yaml'), false)
  await t.rejects(refused.hover(AT), { message: 'the journal is full' })
  t.same(pool.states(), [{ server: 'yaml-language-server', root: '.', state: 'stopped', restarts: 0 }])

  let intents = 0
  const allowed = of(async () => {
    intents += 1
  })
  t.match((await allowed.hover(AT)).hover?.text, /"text":"a: 1\\n"/)
  t.equal(intents, 1)
  t.ok(allowed.isRunning('a.yaml'))
  // It responds about a file before it has reported that the project is loaded.
  await waitUntil('the server to be loaded', () => pool.states()[0]?.state !== 'loading')
  t.match(pool.states(), [{ state: 'ready', pid: Number }])
})

t.test('starts none from the project, and none ahead of a query', async t => {
  const { root, pool, of } = place(t, {}, '/nowhere')
  symlinkSync(FAKE_SERVER, path.join(root, 'node_modules/.bin/yaml-language-server'))
  await t.rejects(of(async () => {}).hover(AT), {
    code: 'LSP_UNAVAILABLE',
    details: { install: 'npm install --global yaml-language-server' }
  })
  const faked = place(t)
  faked.pool.warm('default', ['a.yaml'])
  await faked.of(async () => {}).isolationLevel()
  t.same([pool.states(), faked.pool.states()], [[], []])
})
