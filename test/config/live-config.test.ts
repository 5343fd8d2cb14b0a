// tier: quick
// run: waiting (for changes of files to be noticed)
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { LiveConfig } from '../../src/config/live-config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { fileHash } from '../../src/host/trust/content-hash.ts'
import { addTrusted, removeTrusted, trustFilePath } from '../../src/host/trust/trust-file.ts'
import { LiveTrustStore } from '../../src/host/trust/trust-store.ts'
import { makeTestFolder } from '../support/test-folder.ts'

const hook = (word: string) => ({ when: 'before', command: [word] })
const text = (value: object) => JSON.stringify(value)

interface Line {
  level: string
  message: string
  [detail: string]: unknown
}

/** A live configuration of one workspace, with its log. */
async function started(t: Test, files: { user?: object; workspace?: object } = {}) {
  const folder = makeTestFolder(t, { home: {}, work: {} })
  const env = { HOME: path.join(folder, 'home'), TOOLGATE_ADMIN_CONFIG: path.join(folder, 'etc.jsonc') }
  const user = path.join(env.HOME, '.config/toolgate/config.jsonc')
  const workspace = path.join(folder, 'work/.toolgate/config.jsonc')
  const put = (file: string, content: string) => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  if (files.user) put(user, text(files.user))
  if (files.workspace) put(workspace, text(files.workspace))
  const trust_file = trustFilePath(env)
  const trust = new LiveTrustStore(trust_file, fault => t.fail(fault))
  const inputs = { flags: {}, env, cwd: path.join(folder, 'work'), version: '1', trust }
  const live = new LiveConfig(inputs, await loadConfig(inputs))
  const lines: Line[] = []
  let heard = () => {}
  const log = (level: string) => (details: object, message: string) => {
    lines.push({ level, message, ...details })
    heard()
  }
  live.watch({ info: log('info'), warn: log('warn'), error: log('error') })
  const alive = setInterval(() => {}, 60_000)
  t.teardown(async () => {
    clearInterval(alive)
    await live.close()
  })

  /** Returns the log lines after an action, up to one with this message. */
  async function after(done: () => unknown, message: string): Promise<Line[]> {
    lines.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    heard = () => {
      if (lines.some(line => line.message.startsWith(message))) resolve()
    }
    await done()
    await promise
    return lines.map(line => JSON.parse(JSON.stringify(line).replaceAll(folder, '')))
  }
  const hooks = () => live.current().map(({ hooks, trusted }) => [hooks[0]?.command?.[0], trusted])
  return { live, after, put, user, workspace, trust_file, hooks, sha256: () => fileHash(workspace)! }
}

const OTHERS = 'the configuration starts other programs than before'
const NEXT = 'some changed settings take effect only after a restart'
const FAULTS = 'the new configuration is invalid'

t.test('reloads changed files, keeps the old settings on errors, and defers the rest to a restart', async t => {
  const { live, after, put, user, hooks } = await started(t)
  t.same(live.current(), [])
  let told = 0
  const stop = live.onChange(() => told++)
  t.match(await after(() => put(user, text({ hooks: [hook('one')] })), OTHERS), [
    { level: 'info', files: [{ file: '/home/.config/toolgate/config.jsonc', trusted: true }] }
  ])
  t.same([hooks(), told], [[['one', true]], 1])

  t.match(await after(() => put(user, '{\n "hooks": [{ "when": "often" }]\n}'), FAULTS), [
    {
      level: 'error',
      faults: [{ where: '/home/.config/toolgate/config.jsonc:2:14', field: 'hooks/0/when', message: /must be one of/ }]
    }
  ])
  t.same([hooks(), told], [[['one', true]], 1], 'what it was holds on')

  t.match(await after(() => put(user, text({ hooks: [hook('two')], read_only: true })), OTHERS), [
    { level: 'warn', settings: ['read_only'] },
    { level: 'info' }
  ])
  t.same([hooks(), told], [[['two', true]], 2])
  stop()
  await after(() => rmSync(user), OTHERS)
  t.same([hooks(), told], [[], 2], 'and nothing once the file is gone')
})

t.test('trust and its revocation take effect at once', async t => {
  const workspace = { hooks: [hook('theirs')], rules: [{ effect: 'allow', match: { tool: 'grep' } }] }
  const { after, put, workspace: file, user, trust_file, hooks, sha256 } = await started(t, { workspace })
  t.same(hooks(), [['theirs', false]])
  t.match(await after(() => addTrusted(trust_file, new Map([[file, sha256()]])), OTHERS), [
    { level: 'warn', message: NEXT, settings: ['tiers'] },
    { level: 'info', files: [{ trusted: true }] }
  ])
  t.same(hooks(), [['theirs', true]])

  t.match(await after(() => put(file, text({ hooks: [hook('others')] })), OTHERS), [
    { level: 'warn', message: /configures programs that are not started, because the file is not trusted/ },
    { level: 'warn', message: /toolgate trust '\/work\/\.toolgate\/config\.jsonc'$/ },
    { level: 'info', files: [{ trusted: false }] }
  ])
  t.same(hooks(), [['others', false]], 'another content is not trusted')

  await after(() => put(user, text({ trust: { [file]: sha256() } })), OTHERS)
  t.same(hooks(), [['others', true]], "the user's configuration may trust it too")
  await after(() => put(user, '{}'), OTHERS)
  t.same(hooks(), [['others', false]])
  await after(() => addTrusted(trust_file, new Map([[file, sha256()]])), OTHERS)
  await after(() => put(user, '{'), FAULTS)
  t.same(hooks(), [['others', true]])
  await after(() => removeTrusted(trust_file, [file]), OTHERS)
  t.same(hooks(), [['others', false]], 'a fault elsewhere does not keep what is not trusted any more')
})
