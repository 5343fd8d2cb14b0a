// Tests of names that are not UTF-8, as of folders of a repository in Latin-1: commands run beside them, secrets in them are hidden,
// what is planted in them is quarantined, and changes of them are listed and undone.
// tier: full
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { ORDINARY_ID } from '../../support/other-user.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { run, waitUntil } from '../../support/wait.ts'
import { BACKENDS } from './backends.ts'
import { SECRET, startSandboxFixture } from './fixture.ts'

const CLOSED_FOLDER = path.resolve(import.meta.dirname, 'closed-folder.ts')

/** Returns the path as bytes: characters up to U+00FF are bytes. */
const raw = (root: string, name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')])

function writeRaw(root: string, name: string, content: string) {
  const parts = name.split('/')
  for (const at of parts.keys()) if (at > 0) mkdirSync(raw(root, parts.slice(0, at).join('/')), { recursive: true })
  writeFileSync(raw(root, name), content)
}

/** Returns every entry of a folder by its bytes. */
function readRawTree(root: string, name = ''): Record<string, string> {
  const folder = name === '' ? Buffer.from(root) : raw(root, name)
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, { encoding: 'buffer' })) {
    const path = name === '' ? entry.toString('latin1') : `${name}/${entry.toString('latin1')}`
    const stat = lstatSync(raw(root, path))
    found[path] = stat.isDirectory() ? 'folder' : stat.isFile() ? readFileSync(raw(root, path), 'latin1') : 'other'
    if (stat.isDirectory()) Object.assign(found, readRawTree(root, path))
  }
  return found
}

const LOOK = `
import os
for folder, _, names in os.walk(b'.'):
    for name in sorted(names):
        try: print(os.path.join(folder, name), open(os.path.join(folder, name), 'rb').read())
        except OSError as error: print(os.path.join(folder, name), error.strerror)
`

for (const { name, part, backends } of BACKENDS)
  for (const level of ['workspace', 'read-only'] as const)
    t.test(`commands run beside such names at ${level} with ${name}`, needs(part, 'python3', 'linux'), async t => {
      const world = await startSandboxFixture(t, { backends })
      writeRaw(world.root, '\xe9dir/plain', 'plain')
      writeRaw(world.root, '\xe9dir/\xff\xfe/deep', 'deep')
      writeRaw(world.root, '\\xe9dir/plain', 'backslash')
      if (level === 'read-only' || name !== 'landlock')
        for (const secret of ['\xe9dir/.env', '\xe9dir/\xff\xfe/key.pem', 'caf\xe9/secrets/.env', 'id_rsa.\xe9/id_rsa'])
          writeRaw(world.root, secret, `TOKEN=${SECRET}`)
      const { stdout, stderr, exit_code } = await world.python(LOOK, { level })
      t.equal(exit_code, 0, stderr)
      t.match(stdout, "b'./\\xe9dir/plain' b'plain'")
      t.match(stdout, "b'./\\xe9dir/\\xff\\xfe/deep' b'deep'")
      t.match(stdout, "b'./\\\\xe9dir/plain' b'backslash'")
      t.notMatch(stdout, SECRET)
    })

t.test('a command that is starting beside another finds them unchanged', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  writeRaw(world.root, 'caf\xe9 bar/.git/config', '[core]\n')
  writeRaw(world.root, 'it\'s $HOME "x"\n\\/.git/config', '[core]\n')
  const first = world.run('touch started; while [ ! -e stop ]; do sleep 0.05; done')
  await waitUntil('the first command to run', () => existsSync(world.at('workspace/started')))
  const second = await world.run('cat caf*/.git/config; touch caf*/.git/x')
  world.write('workspace/stop', '')
  t.match(second, { exit_code: 1, stdout: '[core]\n' })
  await first
})

t.test('what is planted in them is quarantined', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  writeRaw(world.root, '\xe9dir/.vscode/tasks.json', '{}')
  const planted = await world.python(`
import os
for name in (b'\\xe9dir/.git/hooks', b'new\\xff/.git', b'new\\xff/.husky'): os.makedirs(name)
open(b'\\xe9dir/.git/hooks/pre-commit', 'w').write('evil')
open(b'new\\xff/.envrc', 'w').write('evil')
try: open(b'\\xe9dir/.vscode/tasks.json', 'w')
except OSError as error: print(error.strerror)
`)
  t.strictSame(planted.quarantined.toSorted(), ['\\xe9dir/.git', 'new\\xff/.envrc', 'new\\xff/.git', 'new\\xff/.husky'])
  t.equal(planted.stdout, 'Read-only file system\n')
  t.equal(planted.unchecked, undefined)
  t.strictSame(readRawTree(world.root), {
    '\xe9dir': 'folder',
    '\xe9dir/.vscode': 'folder',
    '\xe9dir/.vscode/tasks.json': '{}',
    'new\xff': 'folder'
  })
  t.equal(readFileSync(raw(planted.quarantine_folder!, '\xe9dir/.git/hooks/pre-commit'), 'utf8'), 'evil')
})

// Root can read every folder.
t.test('a folder that cannot be read is hidden, and commands run', needs('root', 'bwrap', 'python3'), async t => {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'closed-')))
  t.teardown(() => removeFolder(top))
  chownSync(top, ORDINARY_ID, ORDINARY_ID)
  const env = { ...process.env, HOME: top, TMPDIR: top }
  const { stdout } = await run(process.execPath, [CLOSED_FOLDER], { uid: ORDINARY_ID, gid: ORDINARY_ID, env })
  t.strictSame(JSON.parse(stdout), [
    { stdout: '', exit_code: 0, unchecked: 'closed cannot be read.' },
    { stdout: 'ran\n', exit_code: 0 },
    { stdout: 'ran\n', exit_code: 0 }
  ])
})

t.test('a folder whose path is too long is hidden, and commands run', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const made = await world.python(`
import os
for _ in range(30):
    os.mkdir('d' * 200)
    os.chdir('d' * 200)
open('.env', 'w').write('x')
`)
  t.match(made, { exit_code: 0, unchecked: /cannot be read/ })
  t.match(await world.run('echo ran'), { exit_code: 0, stdout: 'ran\n' })
  execaSync('rm', ['-rf', `${world.root}/${'d'.repeat(200)}`])
})

const sandbox = { ...defaultSettings().sandbox, level: 'workspace' as const }

const CHANGES = `
import os
open(b'\\xe9dir/old', 'w').write('changed')
os.remove(b'\\xe9dir/gone\\xff')
os.mkdir(b'made\\xe9')
open(b'made\\xe9/file', 'w').write('new')
open(b'\\xff\\xfe', 'w').write('new')
os.rename(b'\\xe9dir/moves', b'moved\\xe8')
os.symlink(b'nowhere\\xe9', b'link\\xe9')
open(b'\\\\xe9dir/plain', 'w').write('changed')
`

for (const watch of [false, true])
  t.test(
    `changes of them are listed and undone${watch ? ', where files are watched' : ''}`,
    needs('bwrap', 'python3'),
    async t => {
      const app = await startApp(
        t,
        { 'change.py': CHANGES },
        { settings: { sandbox, watch: { external: watch, max_folders: 16_384 } } }
      )
      for (const name of ['old', 'gone\xff', 'moves']) writeRaw(app.root, `\xe9dir/${name}`, `${name} before`)
      writeRaw(app.root, '\\xe9dir/plain', 'backslash')
      if (watch)
        await waitUntil(
          'the workspace to be watched',
          async () => (await app.get('/capabilities')).workspaces[0].watching
        )
      const before = readRawTree(app.root)
      const approve = async (call: Json) =>
        app.post(`/calls/${call.tool_call_id}/approve?wait_ms=120000`, { digest: call.approval.digest, confirm: true })
      const done = await approve(await app.call('shell_exec', { command: 'python3 change.py', track_changes: true }))
      t.match(done, { status: 'success', result: { data: { exit_code: 0 } } }, JSON.stringify(done))
      const listed = done.changes.map(({ path, operation, from }: Json) => [operation, path, ...(from ? [from] : [])])
      t.strictSame(listed.toSorted(), [
        ['created', '\\xff\\xfe'],
        ['created', 'link\\xe9'],
        ['created', 'made\\xe9'],
        ['created', 'made\\xe9/file'],
        ['deleted', '\\xe9dir/gone\\xff'],
        ['modified', '\\x5cxe9dir/plain'],
        ['modified', '\\xe9dir/old'],
        ['moved', 'moved\\xe8', '\\xe9dir/moves']
      ])
      t.notSame(readRawTree(app.root), before)
      const undone = await app.call('undo', { tool_call_id: done.tool_call_id })
      t.match(undone.approval ? await approve(undone) : undone, { status: 'success' })
      t.strictSame(readRawTree(app.root), before)
    }
  )

t.test('tools reach such a file by its spelling, and by no other', async t => {
  const app = await startApp(t, { 'caf\u00e9/plan.txt': 'utf-8' })
  writeRaw(app.root, 'caf\xe9/plan.txt', 'latin-1')
  t.match(await app.call('read_file', { path: 'caf\\xe9/plan.txt' }), { result: { content: /latin-1/ } })
  t.match(await app.call('read_file', { path: 'caf\u00e9/plan.txt' }), { result: { content: /utf-8/ } })
  t.match(await app.call('read_file', { path: 'caf\\xc3\\xa9/plan.txt' }), { error: { code: 'FILE_NOT_FOUND' } })
  t.match(await app.call('list_directory', { path: '.' }), { result: { content: /caf\\xe9/ } })
  t.match(await app.call('grep', { pattern: 'latin' }), {
    result: { data: { matches: [{ path: 'caf\\xe9/plan.txt' }] } }
  })
  const counted = await app.call('grep', { pattern: 'latin', mode: 'count' })
  t.match(counted, { result: { content: /caf\\xe9\/plan\.txt/ } }, JSON.stringify(counted))
  t.match(await app.call('glob', { pattern: 'caf*/*.txt' }), {
    result: { data: { files: ['caf\u00e9/plan.txt', 'caf\\xe9/plan.txt'] } }
  })
  writeRaw(app.root, 'caf\xe9/.env', 'TOKEN=x')
  t.match(await app.call('read_file', { path: 'caf\\xe9/.env' }), { status: 'awaiting_approval' })
})
