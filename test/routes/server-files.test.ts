// Tests of a workspace in which servers keep their state, as a user's home folder is: no tool and no command reaches that.
// tier: full
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import type { Settings } from '../../src/config/settings.ts'
import { type Json, startApp, type TestApp } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { waitUntil } from '../support/wait.ts'

// Each test starts its own server.
t.jobs = 2

const SECRET = 'a-secret-of-a-server'
const BASE = '.local/state/toolgate'
const OWN_STATE = `${BASE}/workspaces/0123456789abcdef`
const OTHER_STATE = `${BASE}/workspaces/fedcba9876543210`
/** Files of this server, of another one, and of both. */
const SERVER_FILES = [
  `${OWN_STATE}/issued.json`,
  `${OWN_STATE}/images/ab/cdef`,
  `${OTHER_STATE}/tokens.json`,
  `${BASE}/run/5f0d2c1e.json`,
  '.config/toolgate/trust.json'
]

interface HomeOptions {
  settings?: Partial<Settings>
  /** Location of the server's own state: by default where it is without configuration. */
  state?: 'usual' | 'beside'
}

/** Serves the home folder of a user, in which servers have left files. */
async function serveHome(t: Test, { settings, state = 'usual' }: HomeOptions = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => removeFolder(folder))
  const home = path.join(folder, 'ws')
  const at = (name: string) => path.join(home, name)
  const {
    XDG_STATE_HOME: _,
    XDG_CONFIG_HOME: __,
    TOOLGATE_STATE_DIR: ___,
    TOOLGATE_RUN_DIR: ____,
    ...env
  } = process.env
  for (const name of SERVER_FILES) plant(at(name))
  const app = await startApp(
    t,
    { 'a.txt': `${SECRET}s are elsewhere\n`, '.local/share/notes.txt': SECRET },
    {
      folder,
      environment: { ...env, HOME: home },
      settings: { ...(state === 'usual' && { state_dir: at(OWN_STATE) }), ...settings }
    }
  )
  return { ...app, at }
}

function plant(file: string) {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, SECRET, { mode: 0o600 })
}

/** Returns the error code of a call, else its status. */
const outcomeOf = (call: Json) => call.error?.code ?? call.status

/** Every tool that takes a path, applied to a file. */
const callsOn = (file: string): [tool: string, params: Json][] => [
  ['read_file', { path: file }],
  ['write_file', { path: file, content: 'x' }],
  ['edit_file', { path: file, old: SECRET, new: 'x' }],
  ['multi_edit', { path: file, edits: [{ old: SECRET, new: 'x' }] }],
  ['edit_notebook_cell', { path: file, cell: 1, source: 'x' }],
  ['apply_patch', { patch: `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch\n` }],
  ['copy_file', { source: file, dest: 'stolen' }],
  ['move_file', { from: file, to: 'stolen' }],
  ['move_file', { from: 'a.txt', to: file }],
  ['delete_file', { path: file }],
  ['grep', { pattern: 'secret', path: file }]
]

const outcomesOn = async (app: TestApp, file: string) => {
  const outcomes = await Promise.all(
    callsOn(file).map(async ([tool, params]) => [tool, outcomeOf(await app.call(tool, params))].join(' '))
  )
  return outcomes.filter(outcome => !outcome.endsWith('SENSITIVE_PATH'))
}

t.test('no tool reaches files of servers by name', async t => {
  const app = await serveHome(t)
  for (const file of SERVER_FILES) t.strictSame(await outcomesOn(app, file), [], file)
  for (const folder of [OWN_STATE, OTHER_STATE])
    t.equal(outcomeOf(await app.call('create_directory', { path: `${folder}/new` })), 'SENSITIVE_PATH', folder)
  for (const folder of [OWN_STATE, OTHER_STATE, `${BASE}/run`, `${BASE}/workspaces/of-a-later-server`])
    t.equal(outcomeOf(await app.call('list_directory', { path: folder })), 'SENSITIVE_PATH', folder)
  for (const [tool, params] of [
    ['delete_file', { path: '.local', recursive: true }],
    ['move_file', { from: '.local/state', to: 'moved' }]
  ] as const)
    t.equal(outcomeOf(await app.call(tool, params)), 'SENSITIVE_PATH', `${tool} of a folder above`)
  const dry = await app.call('write_file', { path: `${OTHER_STATE}/tokens.json`, content: 'x' }, { dry_run: true })
  t.match(dry, { verdict: { decision: 'deny', code: 'SENSITIVE_PATH' } })
})

t.test('searches and listings of the folders above leave them out', async t => {
  const app = await serveHome(t)
  const namesIn = async (tool: string, params: Json) => {
    const call = await app.call(tool, params)
    const names =
      JSON.stringify(call)
        .replaceAll('\\n', ' ')
        .match(/[\w./-]+\.(?:json|txt)\b|\bcdef\b/g) ?? []
    return [...new Set(names)].toSorted()
  }
  const visible = ['.local/share/notes.txt', 'a.txt']
  for (const folder of ['.', '.local', '.local/state', '.config'])
    for (const mode of ['content', 'files', 'count'])
      t.strictSame(
        await namesIn('grep', { pattern: SECRET, path: folder, mode, no_ignore: true }),
        visible.filter(name => folder === '.' || name.startsWith(`${folder}/`)),
        `${mode} in ${folder}`
      )
  t.strictSame(await namesIn('glob', { pattern: '**/*', include_hidden: true, no_ignore: true }), visible)
  t.strictSame(await namesIn('search_files', { pattern: 'json' }), [])
  t.strictSame(await namesIn('list_directory', { path: '.local/state', depth: 9, include_hidden: true }), [])
  t.equal(outcomeOf(await app.call('grep', { pattern: SECRET, path: BASE })), 'SENSITIVE_PATH')
})

t.test('another name does not help: renamed folders, links and hard links', async t => {
  const app = await serveHome(t, { state: 'beside' })
  symlinkSync(OTHER_STATE, app.at('by-link'))
  linkSync(app.at(`${OTHER_STATE}/tokens.json`), app.at('hard-link'))
  linkSync(app.at(`${OWN_STATE}/images/ab/cdef`), app.at('hard-link-to-former-content'))
  t.strictSame(await outcomesOn(app, 'by-link/tokens.json'), [])
  for (const file of ['hard-link', 'hard-link-to-former-content']) t.strictSame(await outcomesOn(app, file), [], file)
  renameSync(app.at('.local'), app.at('renamed'))
  const renamed = SERVER_FILES.filter(name => name.startsWith('.local')).map(name => name.replace('.local', 'renamed'))
  for (const file of [...renamed, 'hard-link', 'hard-link-to-former-content'])
    t.strictSame(await outcomesOn(app, file), [], file)
  t.equal(outcomeOf(await app.call('list_directory', { path: 'renamed/state/toolgate/run' })), 'SENSITIVE_PATH')
  t.equal(outcomeOf(await app.call('delete_file', { path: 'renamed', recursive: true })), 'SENSITIVE_PATH')
  const { result } = await app.call('grep', { pattern: SECRET, path: '.', mode: 'files', no_ignore: true })
  t.strictSame(result.data.matches, [{ path: 'a.txt' }, { path: 'renamed/share/notes.txt' }])
})

/** Approves a script as shown, whose words the analysis of commands does not see, and returns the ended call. */
async function run(app: TestApp, script: string): Promise<Json> {
  app.write('script.sh', script)
  const asked = await app.call('shell_exec', { command: 'sh script.sh', separate_streams: true })
  if (asked.status !== 'awaiting_approval') return asked
  return app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest: asked.approval.digest })
}

const SANDBOX = { sandbox: { ...defaultSettings().sandbox, level: 'workspace' as const } }

t.test('a sandboxed command reaches none of them', needs('sandbox'), async t => {
  const app = await serveHome(t, { settings: SANDBOX })
  const reading = await run(
    app,
    `grep -rs ${SECRET} --exclude=script.sh . ; mv .local/state away; mv .local elsewhere; cat *way/toolgate/*/*; true`
  )
  t.strictSame(reading.result.data.stdout.split('\n').toSorted(), [
    '',
    `./.local/share/notes.txt:${SECRET}`,
    `./a.txt:${SECRET}s are elsewhere`
  ])
  t.ok(existsSync(app.at(`${OTHER_STATE}/tokens.json`)), 'it moves none of them')
  const planting = await run(
    app,
    `cd ${BASE}; for file in workspaces/*/tokens.json run/new.json workspaces/new; do echo x >$file; done; true`
  )
  t.equal(outcomeOf(planting), 'success')
  const names = readdirSync(app.at(BASE), { recursive: true, encoding: 'utf8' })
  t.strictSame(
    names.filter(name => /new|\*/.test(name)),
    []
  )
})

t.test('nor under another name', needs('sandbox'), async t => {
  const app = await serveHome(t, { settings: SANDBOX, state: 'beside' })
  renameSync(app.at('.local'), app.at('renamed'))
  const { result } = await run(app, `grep -rhs ${SECRET} renamed .config; true`)
  t.equal(result.data.stdout, `${SECRET}\n`, 'what is no file of a server')
  linkSync(app.at('.config/toolgate/trust.json'), app.at('hard-link'))
  t.match(await run(app, 'cat hard-link'), {
    status: 'error',
    error: {
      code: 'SANDBOX_UNAVAILABLE',
      message: `${app.at('.config/toolgate/trust.json')} belongs to the Toolgate server and has a second name (hard link), through which a command might read it. Remove the hard link.`
    }
  })
})

t.test('their changes are not reported', async t => {
  const app = await serveHome(t, { settings: { watch: { external: true, max_folders: 1_000 } } })
  const stream = await app.events('?types=file.changed')
  await waitUntil('the workspace to be watched', async () => (await app.get('/capabilities')).workspaces[0].watching)
  writeFileSync(app.at(`${OTHER_STATE}/tokens.json`), 'changed')
  plant(app.at(`${BASE}/workspaces/of-a-later-server/tokens.json`))
  plant(app.at('.config/toolgate/trust.json'))
  writeFileSync(app.at('.local/share/notes.txt'), 'changed')
  writeFileSync(app.at('last.txt'), '')
  const events = await stream.until(({ path: name }) => name === 'last.txt')
  t.strictSame(
    events.flatMap(({ path: name }: Json) => name ?? []),
    ['.local/share/notes.txt', 'last.txt']
  )
})

t.test('git shows none of their content', async t => {
  const app = await serveHome(t)
  const git = (...args: string[]) => execaSync('git', ['-C', app.root, ...args], { stdio: 'ignore' })
  git('init')
  git('add', '--force', `${OTHER_STATE}/tokens.json`)
  for (const [tool, params] of [
    ['git_diff', { staged: true }],
    ['git_diff', { staged: true, path: `${OTHER_STATE}/tokens.json` }]
  ] as const)
    t.notMatch(JSON.stringify(await app.call(tool, params)), SECRET, `${tool} ${JSON.stringify(params)}`)
})
