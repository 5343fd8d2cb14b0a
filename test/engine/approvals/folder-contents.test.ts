// Tests that a decision on a folder covers everything in it.
// tier: full
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'

const FILES = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`conf/deep/${i}.json`, `{"harmless":${i}}\n`]))
const ASKS: StartOptions = {
  settings: { tiers: { administrator: [], user: [{ effect: 'ask', match: { tool: '*' } }], workspace: [] } }
}

async function start(t: Test) {
  const app = await startApp(t, { ...FILES, 'conf/tasks.json': '{"harmless":1}\n', 'other.txt': 'x\n' }, ASKS)
  symlinkSync('tasks.json', path.join(app.root, 'conf/link'))
  const ask = (tool: string, params: object): Promise<Json> =>
    app.post('/calls?wait_ms=0', { tool, params }, { authorization: `Bearer ${CALL_TOKEN}` })
  const approve = ({ tool_call_id, approval }: Json) =>
    app.request('POST', `/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  return { ...app, ask, approve, at: (name: string) => path.join(app.root, name) }
}

type App = Awaited<ReturnType<typeof start>>

const CHANGES: Record<string, (app: App, folder: string) => void> = {
  'a file has other content': ({ at }, folder) => writeFileSync(at(`${folder}/tasks.json`), '{"harmless":2}\n'),
  'a deep file has other content': ({ at }, folder) => writeFileSync(at(`${folder}/deep/39.json`), '{"evil":true} \n'),
  'a file is another one': ({ at }, folder) => {
    writeFileSync(at('evil.json'), '{"harmless":3}\n')
    renameSync(at('evil.json'), at(`${folder}/tasks.json`))
  },
  'a file may be executed': ({ at }, folder) => chmodSync(at(`${folder}/tasks.json`), 0o755),
  'a file is added': ({ at }, folder) => writeFileSync(at(`${folder}/new.json`), '{}\n'),
  'a file is gone': ({ at }, folder) => rmSync(at(`${folder}/deep/7.json`)),
  'an empty folder is added': ({ at }, folder) => mkdirSync(at(`${folder}/empty`)),
  'a link leads elsewhere': ({ at }, folder) => {
    rmSync(at(`${folder}/link`))
    symlinkSync('../other.txt', at(`${folder}/link`))
  }
}

const CALLS: Record<string, [tool: string, params: object]> = {
  'a copy': ['copy_file', { source: 'conf', dest: '.vscode', recursive: true }],
  'a move': ['move_file', { from: 'conf', to: '.claude' }],
  'a deletion': ['delete_file', { path: 'conf', recursive: true }]
}

for (const [what, [tool, params]] of Object.entries(CALLS))
  t.test(`${what} of a folder that changes while it waits is shown again`, async t => {
    for (const [name, change] of Object.entries(CHANGES))
      await t.test(name, async t => {
        const app = await start(t)
        const asked = await app.ask(tool, params)
        const digestOf = async () => (await app.get(`/calls/${asked.tool_call_id}/digest`)).digest
        t.equal(await digestOf(), asked.approval.digest, 'the same while nothing changes')
        change(app, 'conf')
        t.not(await digestOf(), asked.approval.digest)
        const { status, body } = await app.approve(asked)
        t.match({ status, body }, { status: 409, body: { code: 'PREVIEW_CHANGED' } })
        const { body: done } = await app.approve({ ...asked, approval: body.details.approval })
        t.match(done, { status: 'success' })
      })
  })

t.test('an undo of the move of a folder that changes while it waits is shown again', async t => {
  for (const [name, change] of Object.entries(CHANGES))
    await t.test(name, async t => {
      const app = await start(t)
      const { body: moved } = await app.approve(await app.ask('move_file', { from: 'conf', to: 'moved' }))
      t.match(moved, { status: 'success' })
      const asked = await app.ask('undo', { tool_call_id: moved.tool_call_id })
      change(app, 'moved')
      t.match(await app.approve(asked), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
    })
})
