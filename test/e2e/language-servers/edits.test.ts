// Tests of diagnostics in the result of an edit, by a server that runs already.
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { startTypeScriptProject, successData, TYPESCRIPT, TYPESCRIPT_PROJECT } from './world.ts'

const patient = (server: string) => ({
  language_servers: { ...TYPESCRIPT[server]!.settings, diagnostics_after_edit_ms: 120_000 },
  tiers: { administrator: [], user: [{ effect: 'allow' as const, match: { tool: '*' } }], workspace: [] }
})

for (const [server, { part }] of Object.entries(TYPESCRIPT))
  t.test(`${server} reports the errors of an edit`, needs('sandbox', part), async t => {
    const { done, events } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: patient(server) })
    const edit = (old: string, text: string) => done('edit_file', { path: 'src/main.ts', old, new: text })
    const broken = ({ result }: Json) => result.metadata.diagnostics

    const before = await edit('const fox', 'const wolf = 1\nconst fox')
    t.equal(broken(before), undefined, 'no server runs, and none is started for it')
    t.notMatch(before.result.content, /errors/)

    successData(await done('diagnostics', { path: 'src/main.ts' }))
    const stream = await events('?types=diagnostics.changed,tool.result')
    const fine = await edit('const wolf = 1\n', '')
    t.strictSame(broken(fine), { status: 'complete', new: [], gone: 0, compared: true, servers: [server] })
    t.match(fine.result.content, `\n(No new errors or warnings from ${server}.)`)

    const bad = await edit('const fox', 'const count: number = "x"\nconst fox')
    t.match(broken(bad), {
      status: 'complete',
      new: [{ path: 'src/main.ts', line: 3, column: 7, severity: 'error', message: /not assignable/, source: /./ }],
      gone: 0,
      compared: true
    })
    t.match(bad.result.content, `\nNew errors and warnings from ${server}:\nsrc/main.ts:3:7: error (`)
    const told = (await stream.type('diagnostics.changed', ({ files }) => files[0].error > 0)).at(-1)
    t.match(told, {
      server,
      workspace: 'default',
      files: [{ path: 'src/main.ts', error: 1, by: { tool_call_id: bad.tool_call_id } }]
    })

    const shifted = await edit('const count', '// One more.\n\n// And another.\nconst count')
    t.match(broken(shifted), { status: 'complete', new: [], gone: 0 }, 'what only moved is not new')

    const mended = await edit('"x"', '1')
    t.match(broken(mended), { status: 'complete', new: [], gone: 1 })
    t.match(mended.result.content, /\n\(1 earlier errors and warnings are fixed\.\)/)

    const made = await done('write_file', { path: 'src/new.ts', content: 'export const no: number = "x"\n' })
    t.match(broken(made), { new: [{ path: 'src/new.ts', line: 1 }], compared: true }, 'in a new file all is new')
    const gone = await done('delete_file', { path: 'src/new.ts' })
    t.notOk(gone.result.metadata.diagnostics?.new.length, 'of what is gone nothing is told')
    const read = await done('read_file', { path: 'src/main.ts' })
    t.equal(broken(read), undefined)
    stream.close()
  })

t.test('knows earlier diagnostics also of a file that was never queried', needs('sandbox', 'tsc'), async t => {
  const files = { ...TYPESCRIPT_PROJECT, 'src/bad.ts': 'export const bad: number = "x"\n' }
  const { done, write } = await startTypeScriptProject(t, files, { settings: patient('typescript') })
  successData(await done('diagnostics', { path: 'src/main.ts' }))
  const edit = async (old: string, text: string) =>
    (await done('edit_file', { path: 'src/bad.ts', old, new: text })).result.metadata.diagnostics
  t.match(await edit('export', '\nexport'), { status: 'complete', new: [], compared: true })
  write('src/bad.ts', '\nexport const bad: number = "x"\nexport const worse: number = "y"\n')
  const { compared, new: fresh } = await edit('"x"', '1')
  t.equal(fresh.length, compared ? 0 : 1, 'what somebody else broke meanwhile is not told as new')
})

t.test('reports an edit that breaks another file', needs('sandbox', 'tsc'), async t => {
  const { done } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: patient('typescript') })
  successData(await done('diagnostics', { path: 'src/main.ts' }))
  await done('edit_file', { path: 'src/greet.ts', old: 'name: string', new: 'name: number' })
  const { counts } = successData(await done('diagnostics', { path: 'src/main.ts' }))
  t.equal(counts.error, 2)
})

t.test('sends no queries if switched off', needs('sandbox', 'tsc'), async t => {
  const off = { ...TYPESCRIPT.typescript!.settings, diagnostics_after_edit_ms: 0 }
  const { done } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { language_servers: off } })
  successData(await done('diagnostics', { path: 'src/main.ts' }))
  const edited = await done('edit_file', { path: 'src/main.ts', old: 'const fox', new: 'let fox' })
  t.equal(edited.result.metadata.diagnostics, undefined)
})

t.test('a server prepares for a file that was edited or is open in an editor', needs('sandbox', 'tsc'), async t => {
  const language_servers = { ...TYPESCRIPT.typescript!.settings, warm: true }
  const { done, get, request } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { language_servers } })
  const runs = () =>
    waitUntil('a language server to be ready', async () => {
      const [state] = (await get('/capabilities')).language_servers
      return state?.state === 'ready' && state.server
    })
  const buffers = [{ path: 'src/main.ts', content: 'let x = 1\n' }]
  await request('PUT', '/buffers', { buffers })
  t.equal(await runs(), 'typescript')
  const edited = await done('edit_file', { path: 'src/greet.ts', old: 'Hello', new: 'Hi' })
  t.match(edited.result.metadata.diagnostics, { servers: ['typescript'] })
})
