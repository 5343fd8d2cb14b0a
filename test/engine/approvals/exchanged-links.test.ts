// Tests that a call whose links are exchanged while it waits is shown again, with where they lead now.
// tier: full
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'

const ASKS: StartOptions = {
  settings: { tiers: { administrator: [], user: [{ effect: 'ask', match: { tool: '*' } }], workspace: [] } }
}

async function start(t: Test) {
  const app = await startApp(t, { one: 'x\n', two: 'x\n', 'a/f': 'x\n', 'b/f': 'x\n' }, ASKS)
  symlinkSync('one', path.join(app.root, 'link'))
  symlinkSync('a', path.join(app.root, 'folder'))
  const relink = (name: string, target: string) => {
    rmSync(path.join(app.root, name))
    symlinkSync(target, path.join(app.root, name))
  }
  return { ...app, relink }
}

type App = Awaited<ReturnType<typeof start>>

const toOtherFile = ({ relink }: App) => relink('link', 'two')
const toOtherFolder = ({ relink }: App) => relink('folder', 'b')
/** A folder of the path becomes a link. */
const toLink = ({ root }: App) => {
  renameSync(path.join(root, 'a'), path.join(root, 'was-a'))
  symlinkSync('b', path.join(root, 'a'))
}

const CASES: [what: string, tool: string, params: object, change: (app: App) => void, left: Record<string, string>][] =
  [
    ['a write', 'write_file', { path: 'link', content: 'new\n' }, toOtherFile, { one: 'x\n', two: 'new\n' }],
    ['an edit', 'edit_file', { path: 'link', old: 'x', new: 'new' }, toOtherFile, { one: 'x\n', two: 'new\n' }],
    [
      'an edit below',
      'edit_file',
      { path: 'folder/f', old: 'x', new: 'new' },
      toOtherFolder,
      { 'a/f': 'x\n', 'b/f': 'new\n' }
    ],
    ['a write below', 'write_file', { path: 'a/f', content: 'new\n' }, toLink, { 'was-a/f': 'x\n', 'b/f': 'new\n' }],
    ['a creation', 'write_file', { path: 'folder/new', content: 'new\n' }, toOtherFolder, { 'b/new': 'new\n' }],
    ['a move', 'move_file', { from: 'a/f', to: 'moved' }, toLink, { 'was-a/f': 'x\n', moved: 'x\n' }],
    ['a copy', 'copy_file', { source: 'link', dest: 'copy' }, toOtherFile, { copy: 'x\n' }],
    ['a folder to make', 'create_directory', { path: 'folder/.vscode' }, toOtherFolder, {}],
    [
      'a patch',
      'apply_patch',
      { patch: '--- a/folder/f\n+++ b/folder/f\n@@ -1 +1 @@\n-x\n+new\n' },
      toOtherFolder,
      { 'a/f': 'x\n', 'b/f': 'new\n' }
    ]
  ]

for (const [what, tool, params, change, left] of CASES)
  t.test(`${what} through an exchanged link`, async t => {
    const app = await start(t)
    const asked: Json = await app.post('/calls?wait_ms=0', { tool, params }, { authorization: `Bearer ${CALL_TOKEN}` })
    const approve = (digest: string) =>
      app.request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
    change(app)
    const { status, body } = await approve(asked.approval.digest)
    t.match({ status, body }, { status: 409, body: { code: 'PREVIEW_CHANGED' } })
    t.match(await app.get(`/calls/${asked.tool_call_id}`), { status: 'awaiting_approval' })
    t.match((await approve(body.details.approval.digest)).body, { status: 'success' })
    for (const [file, text] of Object.entries(left)) t.equal(app.read(file), text, file)
  })

t.test('a link that leads to a denied file ends the call', async t => {
  const deny = { effect: 'deny' as const, match: { path: 'closed/**' } }
  const app = await startApp(
    t,
    { one: 'x\n', 'closed/f': 'x\n' },
    { settings: { tiers: { administrator: [], user: [deny], workspace: [] } } }
  )
  const link = path.join(app.root, 'link')
  symlinkSync('one', link)
  const asked = await app.post('/calls?wait_ms=0', { tool: 'write_file', params: { path: 'link', content: 'new\n' } })
  rmSync(link)
  symlinkSync('closed/f', link)
  const { digest } = asked.approval
  const { body } = await app.request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
  t.match(body, { code: 'PERMISSION_DENIED' })
  t.equal(app.read('closed/f'), 'x\n')
})
