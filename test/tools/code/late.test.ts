// Tests of diagnostics after an edit if the server is late, or has too many.
// tier: full
import t, { type Test } from 'tap'
import { startWithFakeServer } from '../../host/lsp/fake-fixture.ts'
import { type Json, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'

/** Servers that answer are waited for, however busy the machine is. */
const SETTINGS = { diagnostics_after_edit_ms: 120_000 }
const silent = 'a: 1\n# says nothing\n'
const says = (...words: string[]) => `a: 1\nversioned ${words.join(' ')}\n`
const warning = (path: string, message: string, line = 1) => ({
  path,
  line,
  column: 1,
  end_line: line,
  end_column: 2,
  severity: 'warning',
  message
})

async function start(t: Test, files: Record<string, string>, settings = SETTINGS) {
  const app = await startWithFakeServer(t, files, { settings })
  const approved = async (call: Json) =>
    call.status === 'awaiting_approval' ? app.post('/approve?wait_ms=120000', toApproval(call)) : call
  const done = async (tool: string, params: object) => approved(await app.call(tool, params))
  /** Changes the line that controls the server's answer. */
  const edit = async (path: string, content: string) => {
    const { result, error } = await done('write_file', { path, content })
    if (error) throw new Error(JSON.stringify(error))
    return { ...result.metadata.diagnostics, content: result.content }
  }
  const asked = (path: string) => done('diagnostics', { path })
  return { ...app, done, edit, asked }
}

t.test('does not wait for a late server', needs('sandbox'), async t => {
  const { edit, asked } = await start(t, { 'a.yaml': says('-') }, { diagnostics_after_edit_ms: 300 })
  await asked('a.yaml')
  const { content, ...told } = await edit('a.yaml', silent)
  t.strictSame(told, { status: 'timeout', new: [], gone: 0, compared: true, servers: ['yaml-language-server'] })
  t.match(content, /\n\(New errors are not known yet: yaml-language-server did not answer in time\.\)$/)
})

t.test('does not know earlier diagnostics of every file', needs('sandbox'), async t => {
  const { edit, asked } = await start(t, { 'a.yaml': says('-'), 'b.yaml': silent })
  await asked('a.yaml')
  const { content, ...told } = await edit('b.yaml', says('bad'))
  t.strictSame(told, {
    status: 'complete',
    new: [warning('b.yaml', 'bad')],
    gone: 0,
    compared: false,
    servers: ['yaml-language-server']
  })
  t.match(content, /\nCurrent errors and warnings from yaml-language-server; it is not known which of them are new:/)
})

t.test('of several files one may be late', needs('sandbox'), async t => {
  const files = { 'a.yaml': says('-'), 'b.yaml': says('old') }
  // Enough for the server to answer about the other file.
  const { done, asked } = await start(t, files, { diagnostics_after_edit_ms: 5_000 })
  for (const path of ['a.yaml', 'b.yaml']) await asked(path)
  const patch = [
    '*** Begin Patch',
    '*** Update File: a.yaml',
    '@@',
    '-versioned -',
    '+# says nothing',
    '*** Update File: b.yaml',
    '@@',
    '-versioned old',
    '+versioned new',
    '*** End Patch',
    ''
  ].join('\n')
  const { result } = await done('apply_patch', { patch })
  t.match(result.metadata.diagnostics, { status: 'partial', new: [warning('b.yaml', 'new')], gone: 1, compared: true })
  t.match(result.content, /\n\(The check is not complete yet: there may be more errors and warnings\.\)$/)
})

t.test('bounds the report, and excludes unreadable files', needs('sandbox'), async t => {
  const words = Array.from({ length: 60 }, (_, i) => `w${i}`)
  const { edit, asked, post } = await start(t, { 'a.yaml': says('-') })
  await asked('a.yaml')
  const many = await edit('a.yaml', says(...words))
  t.match(many, { status: 'complete', more: 10 })
  t.equal(many.new.length, 50)
  t.match(many.content, '\n(10 more are not listed.)')
  await post('/rules', { effect: 'ask', scope: 'user', match: { path: 'a.yaml', tool: 'read_file' } })
  const hidden = await edit('a.yaml', says('secret'))
  t.match(hidden, { gone: 60, new: [{ path: 'a.yaml', line: 1, severity: 'warning' }] })
  t.notMatch(JSON.stringify(hidden.new), 'secret')
})

t.test('reports diagnostics of other files too', needs('sandbox'), async t => {
  const { edit, asked, events } = await start(t, { 'a.yaml': says('-'), 'b.yaml': says('-') })
  for (const path of ['a.yaml', 'b.yaml']) await asked(path)
  const stream = await events('?types=diagnostics.changed')
  t.match(await edit('a.yaml', 'a: 1\nbreaks b.yaml broken\n'), {
    status: 'complete',
    new: [warning('b.yaml', 'broken')],
    gone: 0
  })
  const told = (await stream.type('diagnostics.changed')).at(-1)
  t.strictSame(told.files, [{ path: 'b.yaml', error: 0, warning: 1, information: 0, hint: 0 }])
  stream.close()
})

t.test('does not report diagnostics withdrawn and sent again', needs('sandbox'), async t => {
  const { edit, asked, events } = await start(t, { 'a.yaml': says('old') })
  await asked('a.yaml')
  const stream = await events('?types=diagnostics.changed&after=0')
  t.match((await stream.type('diagnostics.changed')).at(-1).files, [{ warning: 1 }], 'what the first question found')
  await edit('a.yaml', 'a: 1\npublishes - old\n')
  await edit('a.yaml', says('old', 'new'))
  const told = (await stream.type('diagnostics.changed')).at(-1)
  t.match(told.files, [{ path: 'a.yaml', warning: 2 }])
  stream.close()
})

t.test('cancelling during the wait still reports the edit', needs('sandbox'), async t => {
  const { call, post, asked, read, get } = await start(t, { 'a.yaml': says('-') }, SETTINGS)
  await asked('a.yaml')
  const waiting = await call('write_file', { path: 'a.yaml', content: silent })
  const { tool_call_id } = waiting
  await post('/approve', toApproval(waiting))
  await waitUntil('the write', () => read('a.yaml') === silent)
  const ended = await post(`/calls/${tool_call_id}/cancel`, {})
  t.match(ended, { status: 'success', changes: [{ path: 'a.yaml' }] })
  t.match(ended.result.metadata.diagnostics, { status: 'timeout', new: [] })
  t.strictSame(await get(`/calls/${tool_call_id}`), ended)
})

t.test('for a file that is not open the last diagnostics count', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, {
    'a.yaml': 'a\nflickers b.yaml gone-again\n',
    // Large enough to take a while to read.
    'b.yaml': 'b\n'.repeat(2_000_000),
    'c.yaml': 'c\nversioned stays\n'
  })
  const stream = await app.events('?types=diagnostics.changed')
  await app.told('a.yaml')
  await app.told('c.yaml')
  const isOf = (path: string) => (event: Json) => event.files.some((file: Json) => file.path === path)
  const told = (await stream.type('diagnostics.changed', isOf('c.yaml'))).flatMap(({ files = [] }: Json) => files)
  t.strictSame(
    told.map(({ path }: Json) => path),
    ['c.yaml'],
    'what was taken back at once is not told after that'
  )
})
