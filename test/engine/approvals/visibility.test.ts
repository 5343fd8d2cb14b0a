// Tests of confidentiality: the content of a file is not revealed before reading it is permitted.
// tier: quick
import t from 'tap'
import type { ConfiguredRule } from '../../../src/protocol/rules.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp } from '../../start-app.ts'

const AGENT = { authorization: `Bearer ${CALL_TOKEN}` }
const FILES = { 'asked.txt': 'CANARY one\nCANARY two\n', 'open.txt': 'CANARY one\nCANARY two\n' }
const ASKED: ConfiguredRule = { effect: 'ask', match: { path: 'asked.txt' } }

const start = (t: Parameters<typeof startApp>[0], rules: ConfiguredRule[], files: Record<string, string> = FILES) =>
  startApp(t, files, { settings: { tiers: { administrator: [], user: rules, workspace: [] } } })

const v4a = (path: string, old: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-${old}\n+x\n*** End Patch`

/** Calls that would reveal the content of a file: matching ones, and ones that match nowhere. */
const tries = (path: string): [tool: string, params: object][] =>
  ['CANARX one', 'CANARX three'].flatMap((old): [string, object][] => [
    ['edit_file', { path, old, new: 'x' }],
    ['multi_edit', { path, edits: [{ old, new: 'x' }] }],
    ['apply_patch', { patch: v4a(path, old) }]
  ])

const approve = (app: TestApp, { tool_call_id, approval }: Json) =>
  app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })

t.test('the preview of a change to a protected file reveals nothing of it', async t => {
  const app = await start(t, [ASKED])
  for (const headers of [AGENT, {}])
    for (const [tool, params] of [
      ...tries('asked.txt'),
      ['write_file', { path: 'asked.txt', content: 'x\n' }] as const
    ]) {
      const dry = await app.post('/calls', { tool, params, dry_run: true }, headers)
      t.match(dry, {
        verdict: { decision: 'ask' },
        preview: { notes: [/^(Reading the file requires approval|Reading one of the files requires approval): /] }
      })
      const call = await app.post('/calls', { tool, params }, headers)
      t.match(call, { status: 'awaiting_approval', approval: { preview: dry.preview } }, tool)
      t.notMatch(JSON.stringify([dry, call]), /CANARY|similar|candidates/, tool)
    }
  t.equal(app.read('asked.txt'), FILES['asked.txt'])
})

t.test('reveals it once approved', async t => {
  const app = await start(t, [ASKED])
  const [fits, fitsNot] = ['CANARY one', 'CANARX three'].map(old => ({
    path: 'asked.txt',
    old,
    new: 'x'
  }))
  const failed = await approve(app, await app.call('edit_file', fitsNot))
  t.match(failed.error, { code: 'OLD_TEXT_NOT_FOUND', details: { candidates: [{ diff: /CANARY/ }] } })
  t.match((await approve(app, await app.call('edit_file', fits))).result.data.diff, /-CANARY one\n\+x/)
})

t.test('a rule that allows writing does not reveal the content', async t => {
  const app = await start(t, [
    { effect: 'ask', match: { effect: 'read', path: 'asked.txt' } },
    { effect: 'allow', match: { effect: 'write' } }
  ])
  for (const [tool, params] of tries('asked.txt')) {
    const call = await app.post('/calls', { tool, params }, AGENT)
    t.match(call, { status: 'awaiting_approval' }, tool)
    t.notMatch(JSON.stringify(call), /CANARY/, tool)
  }
})

t.test('shows freely readable content, also if the change requires approval', async t => {
  const app = await start(t, [ASKED, { effect: 'ask', match: { tool: 'edit_file' } }])
  for (const [tool, params] of tries('open.txt'))
    t.match(JSON.stringify(await app.post('/calls', { tool, params }, AGENT)), /CANARY/, tool)
  const call = await app.post('/calls', { tool: 'write_file', params: { path: 'open.txt', content: 'x\n' } }, AGENT)
  t.match(call.approval.preview.diff, /-CANARY one/)
})

t.test('an undo reveals nothing of it, neither before nor in conflicts', async t => {
  const app = await start(t, [{ effect: 'ask', match: { path: '{asked.txt,to/asked.txt}' } }], {
    ...FILES,
    'from/asked.txt': 'CANARY\n'
  })
  const request = { tool: 'write_file', params: { path: 'asked.txt', content: 'new\nlines\n' } }
  const written = await approve(app, await app.post('/calls', request, AGENT))
  const note = 'Reading requires approval: the content is not shown.'
  const shown = (id: string) => app.request('GET', `/calls/${id}/undo`, undefined, AGENT)
  const before = await shown(written.tool_call_id)
  t.match(before, { status: 200, body: { available: true } })
  t.same(before.body.files, [{ path: 'asked.txt', action: 'restore', note }])
  const undo = await app.request('POST', `/calls/${written.tool_call_id}/undo`, {}, AGENT)
  t.match(undo.body.approval.preview, { notes: [`asked.txt: ${note}`] })
  t.notMatch(JSON.stringify(undo.body), /CANARY/)

  app.write('asked.txt', 'CANARY by another\n')
  const clash = await shown(written.tool_call_id)
  t.match(clash.body, { available: false, files: [{ path: 'asked.txt', action: 'conflict' }] })
  t.notMatch(JSON.stringify(clash.body), /CANARY/)
  const refused = await app.request('POST', `/calls/${written.tool_call_id}/undo`, {}, AGENT)
  t.match(refused.body, { status: 'error', error: { code: 'UNDO_CONFLICT' } })
  t.notMatch(JSON.stringify(refused.body), /CANARY/)
})
