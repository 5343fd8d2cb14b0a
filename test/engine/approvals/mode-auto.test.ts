// Tests of the mode `auto`: commands run unasked where the sandbox confines them, and undo brings everything back.
// tier: full
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { TierRule } from '../../../src/config/agents.ts'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const { sandbox } = defaultSettings()

const FILES = {
  '.gitignore': 'dist/\n*.db\nnode_modules/\n',
  'package.json': '{"name": "shop"}\n',
  'src/a.js': 'export const a = 1\n',
  'src/b.js': 'export const b = 2\n',
  'dist/bundle.js': 'bundled\n',
  'notes.db': 'rows\n',
  'node_modules/left-pad/index.js': 'module.exports = 1\n',
  '.env': 'KEY=hunter2\n',
  'key.pem': 'hunter2\n'
}

async function startAuto(t: Test, more: Partial<Settings['sandbox']> = {}, rules: TierRule[] = []) {
  const app = await startApp(t, FILES, {
    settings: {
      sandbox: { ...sandbox, level: 'workspace', ...more },
      tiers: { administrator: [], user: rules, workspace: [] }
    }
  })
  await app.request('PUT', '/sessions/default/mode', { mode: 'auto', token_id: 'server:call' })
  const call = (tool: string, params: object, more?: object): Promise<Json> =>
    app.callAs(CALL_TOKEN, tool, params, more)
  return { app, call, run: (command: string, params: object = {}) => call('shell_exec', { command, ...params }) }
}

/** Returns everything in a folder: kind, permissions and content of each entry. */
function readTree({ root }: TestApp): Record<string, string> {
  const found: Record<string, string> = { '.': (lstatSync(root).mode & 0o777).toString(8) }
  for (const name of readdirSync(root, { recursive: true }) as string[]) {
    const file = path.join(root, name)
    const stat = lstatSync(file)
    const mode = (stat.mode & 0o777).toString(8)
    if (name === '.git' || name.startsWith('.git/')) continue
    if (stat.isSymbolicLink()) found[name] = `-> ${readlinkSync(file)}`
    else found[name] = stat.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(file, 'base64')}`
  }
  return found
}

t.test('commands run unasked in the sandbox `workspace`, tracked, and say why', needs('bwrap'), async t => {
  const { app, run } = await startAuto(t)
  const done = await run('echo three > src/c.js; sed -i s/1/9/ src/a.js; rm src/b.js; cat .e* || true')
  t.match(done, {
    status: 'success',
    approved_by: {
      source: 'mode',
      mode: 'auto',
      reason: /^The session mode auto allows this\. In mode ask, it would need approval: /
    },
    result: { data: { isolation: 'workspace' }, metadata: { tracking: { read_only: ['node_modules'] } } },
    undo: { available: true }
  })
  t.notMatch(JSON.stringify(done), /hunter2/, 'secrets are hidden')
  t.same(done.changes.map(({ path: name, operation }: Json) => `${operation} ${name}`).sort(), [
    'created src/c.js',
    'deleted src/b.js',
    'modified src/a.js'
  ])
  t.match(await run('ls src'), { status: 'success', approved_by: { source: 'auto' } }, 'what only reads needs no mode')
  t.match(app.read('src/a.js'), /9/)
})

t.test('undo brings back every byte, of ignored files too', needs('bwrap'), async t => {
  const { app, call, run } = await startAuto(t)
  symlinkSync('src/a.js', path.join(app.root, 'link'))
  mkdirSync(path.join(app.root, 'empty'))
  chmodSync(path.join(app.root, 'src/b.js'), 0o755)
  const before = readTree(app)
  const lines = [
    'rm -rf dist notes.db link empty src; echo gone > package.json; chmod 600 .gitignore; mkdir -p x/y; echo new > x/y/z',
    "find . -name \"*.json\" -delete; python3 -c \"import os; os.makedirs('dist'); open('dist/bundle.js','w').write('evil')\"",
    'chmod -R 700 src; chmod 750 x; chmod 711 .',
    'mv x renamed; ln -s /etc/passwd renamed/passwd; python3 -c "import shutil; shutil.rmtree(chr(110) + chr(111) + \'de_modules\', True)"'
  ]
  const ids: string[] = []
  for (const line of lines) {
    const done = await run(line)
    t.match(done, { status: 'success', approved_by: { source: 'mode' } }, line)
    ids.push(done.tool_call_id)
  }
  t.not(readTree(app)['package.json'], before['package.json'])
  t.match(await call('undo', { tool_call_id: ids[0], scope: 'since' }), { status: 'success' })
  t.strictSame(readTree(app), before)
})

t.test('what undo does not hold is read-only for the command, which says how to ask', needs('bwrap'), async t => {
  const { app, run } = await startAuto(t)
  app.write('change.py', 'open("node_modules/left-pad/index.js", "w")\n')
  const failed = await run('python3 change.py')
  t.match(failed, { status: 'success', result: { data: { exit_code: 1 } } })
  t.match(
    failed.result.content,
    /\(Undo does not cover node_modules, so commands that run without approval cannot change this content\. To request approval, run the command again with `track_changes: false`\)$/
  )
  t.equal(app.read('node_modules/left-pad/index.js'), 'module.exports = 1\n')
  t.match(await run('cp src/a.js node_modules/left-pad/index.js', { track_changes: false }), {
    status: 'awaiting_approval',
    approval: { reason: 'The changes of the command are not tracked, so undo cannot revert them.' }
  })
})

t.test('asks for what reaches beyond the sandbox, and for what undo cannot take back', needs('bwrap'), async t => {
  const { run, call } = await startAuto(t)
  const asked: [Json, string, string][] = [
    [await run('git push origin main'), 'ask', 'Publishes data, or acts on other machines with your credentials.'],
    [await run('npm install left-pad'), 'ask', 'Installs, queries or removes packages.'],
    [await run("npm '' install left-pad"), 'ask', 'Installs, queries or removes packages.'],
    [await run('python3 -m pip install requests'), 'ask', 'Installs, queries or removes packages.'],
    [await run('true && curl https://example.com'), 'ask', 'Uses the network.'],
    [
      await run('npm test', { network: ['registry.npmjs.org'] }),
      'ask',
      'Requests network access to registry.npmjs.org.'
    ],
    [await run('npm test', { isolation: 'none' }), 'ask', 'Requests isolation none instead of workspace.'],
    [
      await run('echo x > .vscode/tasks.json'),
      'strict',
      'Programs execute or interpret .vscode/tasks.json automatically, so writing it can execute code.'
    ],
    [
      await run('npm test', { wait_ms: 10 }),
      'ask',
      'The command may continue in the background, where its changes are not tracked.'
    ],
    [
      await run('rm -rf node_modules'),
      'strict',
      'Programs execute or interpret node_modules automatically, so writing it can execute code.'
    ],
    [
      await call('shell_background', { command: 'npm run dev' }),
      'ask',
      'Continues in the background, where undo cannot revert its changes.'
    ],
    [await call('delete_file', { path: '.env' }), 'strict', 'Destructive: to approve, confirm the preview.']
  ]
  for (const [answer, level, reason] of asked)
    t.match(
      answer,
      { status: 'awaiting_approval', approval: { level, reason } },
      JSON.stringify(answer.params ?? answer)
    )
  t.match(await run('cp key.pem copy'), { error: { code: 'SENSITIVE_PATH' } })
  t.match(await run('sudo ls'), { error: { code: 'COMMAND_BLOCKED' } })
})

t.test('edits, deletions and commits run unasked', needs('bwrap'), async t => {
  const { app, call } = await startAuto(t)
  const gone = await call('delete_file', { path: 'src', recursive: true })
  t.match(gone, { status: 'success', approved_by: { source: 'mode', mode: 'auto' } })
  t.match(await call('undo', { tool_call_id: gone.tool_call_id }), { status: 'success' })
  t.equal(app.read('src/b.js'), 'export const b = 2\n')
  t.match(await call('write_file', { path: 'src/a.js', content: 'x' }), { status: 'success' })
})

t.test('is no more than ask where the sandbox is none', async t => {
  const { app, call } = await startAuto(t)
  await app.request('PUT', '/sessions/default/mode', { mode: 'auto', token_id: 'server:call' })
  t.match(await call('shell_exec', { command: 'touch x', isolation: 'none' }), { status: 'awaiting_approval' })
})

t.test('changes nothing outside, not even what `sandbox.write` names', needs('bwrap'), async t => {
  const outside = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-outside-')))
  t.teardown(() => rmSync(outside, { recursive: true, force: true }))
  const { run } = await startAuto(t, { write: [outside] })
  const failed = await run(`echo x > made; bash -c "echo x > ${outside}/made"`)
  t.match(failed, { status: 'success', result: { content: /Read-only file system/ } })
  t.strictSame(readdirSync(outside), [])
})

t.test('rules that deny or ask about paths hold for what commands read and write', needs('bwrap'), async t => {
  const { run, app } = await startAuto(t, {}, [
    { effect: 'deny', match: { path: 'src/b.js' }, reason: 'Not for agents.' },
    { effect: 'ask', match: { path: '*.db' } },
    { effect: 'deny', match: { tool: 'edit_file', path: 'package.json' } }
  ])
  app.write(
    'look.py',
    'import pathlib\nfor f in ["src/b.js", "notes.db", "package.json"]:\n  try: print(pathlib.Path(f).read_text())\n  except OSError as e: print(f, e.strerror)\n'
  )
  t.match(await run('python3 look.py'), {
    status: 'success',
    approved_by: { mode: 'auto' },
    result: { data: { output: 'src/b.js Permission denied\nnotes.db Permission denied\n{"name": "shop"}\n\n' } }
  })
  app.write('remove.py', 'import os, shutil\nshutil.rmtree("src", True)\nprint(os.listdir("src"))\n')
  const removed = await run('python3 remove.py')
  t.match(removed, { status: 'success', result: { content: /b\.js/ } })
  t.equal(app.read('src/b.js'), 'export const b = 2\n')
  t.match(await run('cat src/b.js'), { status: 'rejected' }, 'named, it is denied')
})
