// Tests of names whose meaning depends on their parent folders: renaming or copying a folder requires approval if it would remove
// that meaning.
// tier: full
import t from 'tap'
import { CALL_TOKEN, type Json } from '../start-app.ts'
import { startUndoFixture } from './undo-fixture.ts'

const TREE = {
  'sd/.docker/config.json': '{"auths": "CANARY"}\n',
  'sd/.config/gh/hosts.yml': 'oauth_token: CANARY\n',
  'sd/.config/git/credentials': 'https://CANARY@example.org\n',
  'sd/.local/share/keyrings/login': 'CANARY\n',
  'sd/deploy/prod.d/pass': 'CANARY\n',
  'hub/workflows/ci.yml': 'on: push\n',
  'repo/hooks/post-update': 'true\n',
  'plain/.env': 'KEY=CANARY\n',
  'plain/a.txt': 'a\n',
  'yarn/releases/yarn.cjs': '1\n',
  'tasks/.vscode/tasks.json': '{}\n'
}

const agent = { authorization: `Bearer ${CALL_TOKEN}` }

const world = (t: Parameters<typeof startUndoFixture>[0]) =>
  startUndoFixture(t, TREE, {
    settings: {
      sensitive: { names: ['deploy/prod*/pass'], call_only: 'deny' },
      tiers: { administrator: [], user: [{ effect: 'allow', match: { effect: 'write' } }], workspace: [] }
    }
  })

const SECRET = { status: 'error', error: { code: 'SENSITIVE_PATH' } }

t.test('moving or copying a parent folder does not expose credentials', async t => {
  const { post, tree, call } = await world(t)
  const before = tree()
  const folders: [string, string][] = [
    ['sd/.docker', 'sd/x'],
    ['./sd//.docker/', '.docker2'],
    ['sd/.config', 'sd/x'],
    ['sd/.local', 'sd/x'],
    ['sd/.local/share', 'x/share'],
    ['sd/deploy', 'sd/x'],
    ['sd/deploy/prod.d', 'sd/deploy/x']
  ]
  for (const [from, to] of folders) {
    const moving = { tool: 'move_file', params: { from, to } }
    const copying = { tool: 'copy_file', params: { source: from, dest: to, recursive: true } }
    for (const request of [moving, copying]) {
      t.match(await post('/calls', request, agent), SECRET, `${request.tool} ${from}`)
      const asked = await call(request.tool, request.params)
      t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict', reason: /may contain credentials/ } })
      t.notMatch(JSON.stringify(asked.approval.preview), /CANARY/)
      await post(`/calls/${asked.tool_call_id}/reject`, {})
    }
  }
  t.strictSame(tree(), before)
})

t.test('nor do patches, file by file', async t => {
  const { post, tree } = await world(t)
  const before = tree()
  for (const verb of ['rename', 'copy']) {
    const patch = `diff --git a/sd/.docker/config.json b/x.txt\nsimilarity index 100%\n${verb} from sd/.docker/config.json\n${verb} to x.txt\n`
    t.match(await post('/calls', { tool: 'apply_patch', params: { patch } }, agent), SECRET, verb)
  }
  const patch = '*** Begin Patch\n*** Update File: sd/.docker/config.json\n*** Move to: x.txt\n*** End Patch\n'
  t.match(await post('/calls', { tool: 'apply_patch', params: { patch } }, agent), SECRET)
  t.strictSame(tree(), before)
})

t.test('a folder whose contents mean the same under both names moves as usual', async t => {
  const { post, read } = await world(t)
  const move = (from: string, to: string) => post('/calls', { tool: 'move_file', params: { from, to } }, agent)
  t.match(await move('plain', 'other'), { status: 'success' })
  t.match(await move('sd', 'home'), { status: 'success' })
  t.match(await move('home/.docker', 'home/deep/.docker'), { status: 'success' })
  t.match(read('home/deep/.docker/config.json'), /CANARY/)
  for (const path of ['other/.env', 'home/deep/.docker/config.json', 'home/.config/gh/hosts.yml'])
    t.match(await post('/calls', { tool: 'read_file', params: { path } }, agent), SECRET)
})

t.test('new names of auto-run files require strict approval, and git stays untouched', async t => {
  const { call, post, tree } = await world(t)
  const before = tree()
  const strict: [string, object][] = [
    ['move_file', { from: 'hub', to: '.github' }],
    ['copy_file', { source: 'hub', dest: '.github', recursive: true }],
    ['move_file', { from: 'yarn', to: 'plain/.yarn' }],
    ['copy_file', { source: 'tasks', dest: 'plain', recursive: true, overwrite: true }],
    ['copy_file', { source: 'tasks', dest: '.', recursive: true, overwrite: true }]
  ]
  for (const [tool, params] of strict) {
    const asked = await call(tool, params)
    t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict', reason: /can execute code/ } }, tool)
    await post(`/calls/${asked.tool_call_id}/reject`, {})
  }
  t.match(await call('move_file', { from: 'repo', to: 'x.git' }), SECRET)
  t.match(await call('copy_file', { source: 'repo', dest: 'x.git', recursive: true }), SECRET)
  t.match(await call('copy_file', { source: 'tasks', dest: 'other', recursive: true }), { status: 'success' })
  const { other: _, ...rest } = tree() as Json
  t.strictSame(
    Object.keys(rest).filter(path => !path.startsWith('other')),
    Object.keys(before)
  )
})

t.test('evaluates the replacement of a link by its path, not by the target', async t => {
  const { call, read, write, link, makeFolder, did } = await world(t)
  makeFolder('proj/.vscode')
  write('x.json', 'x\n')
  write('y.json', 'y\n')
  link('proj/.vscode/tasks.json', '../../x.json')
  const asked = await call('move_file', { from: 'y.json', to: 'proj/.vscode/tasks.json', overwrite: true })
  t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict', reason: /can execute code/ } })
  link('out', '/etc/hostname')
  link('secret', 'plain/.env')
  await did('move_file', { from: 'out', to: 'elsewhere' })
  await did('move_file', { from: 'secret', to: 'plain/link' })
  await did('move_file', { from: 'y.json', to: 'plain/link', overwrite: true })
  t.strictSame([read('plain/link'), read('x.json')], ['y\n', 'x\n'])
  t.match(read('plain/.env'), /CANARY/)
})

t.test('nor does an undo that gives a folder such a name, in one step or several', async t => {
  const { did, post, write, tree, at, makeFolder } = await world(t)
  makeFolder('made')
  const first = await did('move_file', { from: 'made', to: 'deep/.docker' }, {}, agent)
  const second = await did('move_file', { from: 'deep/.docker', to: '.docker' }, {}, agent)
  write('.docker/config.json', 'CANARY\n')
  t.ok(at('.docker'))
  const before = tree()
  const undo = (call: Json, body: object) => post(`/calls/${call.tool_call_id}/undo`, body, agent)
  t.match(await undo(first, { scope: 'since' }), SECRET, 'the last place counts')
  t.strictSame(tree(), before)
  t.match(await undo(second, {}), { status: 'success' }, 'there it means the same')
  t.match(await undo(first, {}), SECRET)
})

t.test('nor does undoing the move of a folder out of one that was moved later', async t => {
  const { did, post, write, tree, makeFolder } = await world(t)
  makeFolder('x')
  const first = await did('move_file', { from: 'x', to: 'box/gh' }, {}, agent)
  await did('move_file', { from: 'box', to: 'me/.config' }, {}, agent)
  write('me/.config/gh/hosts.yml', 'CANARY\n')
  const before = tree()
  t.match(await post(`/calls/${first.tool_call_id}/undo`, { scope: 'since' }, agent), SECRET)
  t.strictSame(tree(), before)
})

const STRICT = { status: 'awaiting_approval', approval: { level: 'strict', reason: /can execute code/ } }

t.test('never creates or changes a git repository folder without approval, in any order', async t => {
  const { call, write, makeFolder } = await world(t)
  const writing = (path: string) => call('write_file', { path, content: 'x\n' })
  t.match(await writing('bare/HEAD'), STRICT, 'first')
  for (const path of ['bare/config', 'bare/objects/k', 'bare/refs/k'])
    t.match(await writing(path), { status: 'success' }, `${path} alone is nothing`)
  t.match(await writing('bare/HEAD'), STRICT, 'last')
  const patch = '*** Begin Patch\n*** Add File: p/config\n+x\n*** Add File: p/HEAD\n+x\n*** End Patch\n'
  t.match(await call('apply_patch', { patch }), STRICT)
  t.match(await call('move_file', { from: 'bare/config', to: 'bare/HEAD' }), STRICT)
  write('there/HEAD', 'ref: refs/heads/main\n')
  for (const path of ['there/config', 'there/objects/k', 'there/refs/heads/main', 'there/commondir', 'there/hooks/x'])
    t.match(await writing(path), STRICT, path)
  t.match(await writing('there/a.txt'), { status: 'success' })
  t.match(await call('copy_file', { source: 'bare', dest: 'there', recursive: true, overwrite: true }), STRICT)
  makeFolder('src/head')
  t.match(await writing('src/head/index.ts'), { status: 'success' })
  t.match(await writing('src/config/index.ts'), { status: 'success' })
})

t.test('files exempt among dependencies count as new when moved out of them', async t => {
  const { call, write, did, tree } = await world(t)
  write('node_modules/hooked/.git/hooks/post-checkout', 'true\n')
  write('node_modules/p/deep/.vscode/tasks.json', '{}\n')
  write('node_modules/bare/HEAD', 'ref: refs/heads/main\n')
  write('lib/site-packages/q/.envrc', 'true\n')
  write('node_modules/plain/index.js', '1\n')
  const before = tree()
  for (const [from, to, answer] of [
    ['node_modules/hooked', 'moved', SECRET],
    ['node_modules/p', 'moved', STRICT],
    ['node_modules/p/deep', 'moved', STRICT],
    ['node_modules', 'moved', SECRET],
    ['node_modules/bare', 'moved', STRICT],
    ['lib/site-packages/q', 'moved', STRICT]
  ] as const) {
    t.match(await call('move_file', { from, to }), answer, `move ${from}`)
    t.match(await call('copy_file', { source: from, dest: to, recursive: true }), answer, `copy ${from}`)
  }
  t.strictSame(tree(), before)
  await did('move_file', { from: 'node_modules/p', to: 'node_modules/other' })
  t.match(await call('copy_file', { source: 'node_modules/plain', dest: 'plain2', recursive: true }), {
    status: 'success'
  })
})
