// Tests of refused requests and decisions in the envelopes of toolsets, and of the params that requests may omit.
// tier: quick
import t from 'tap'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { maskVarying } from './toolset-steps.ts'

const UNKNOWN = 'tc_00000000000000000000000000'
const MESSAGE = `There is no call ${UNKNOWN}.`
const NOT_FOUND = { code: 'NOT_FOUND', message: 'There is no call ID.', recoverable: false }

/** The refusal of a decision about an unknown call, by toolset. */
const UNKNOWN_CALL: Readonly<Record<string, Json>> = {
  opencode: {
    title: '',
    output: 'There is no call ID.',
    metadata: { tool_call_id: 'ID', status: 'error' },
    error: NOT_FOUND
  },
  synapsis: { error: 'There is no call ID.', code: 'NOT_FOUND' },
  workspace: { ok: false, error: { code: 'NOT_FOUND', message: 'There is no call ID.' } },
  codey: {
    call_id: 'ID',
    tool_name: '',
    status: 'Error',
    text: 'There is no call ID.',
    background: false,
    code: 'NOT_FOUND'
  },
  'emacs-agent': { status: 'error', tool_call_id: 'ID', error: NOT_FOUND, execution_time_ms: 'MS' }
}

t.test('a refused decision is answered in the envelope of the toolset', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  for (const [toolset, answer] of Object.entries(UNKNOWN_CALL))
    for (const [route, body] of [
      ['/approve', { tool_call_id: UNKNOWN }],
      ['/approve', { stepId: UNKNOWN, approved: false }],
      ['/reject', { tool_call_id: UNKNOWN }],
      [`/calls/${UNKNOWN}/approve`, {}],
      [`/calls/${UNKNOWN}/reject`, {}]
    ] as const) {
      const refused = await app.request('POST', `${route}?toolset=${toolset}`, body)
      t.equal(refused.status, 404)
      t.strictSame(maskVarying(refused.body, app.root), answer, `${toolset} ${route}`)
    }
  t.match(await app.request('POST', '/approve', { tool_call_id: UNKNOWN }), { status: 404, body: { detail: MESSAGE } })
})

t.test('it names the call, and what is wrong with the decision', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const { call_id } = await app.post('/calls?toolset=codey', { tool: 'delete_file', params: { path: 'a.txt' } })
  const message = /^To approve a strict call, send `confirm: true` and the digest/
  t.match(await app.request('POST', '/approve?toolset=codey', { tool_call_id: call_id }), {
    status: 400,
    body: {
      call_id,
      tool_name: 'mcp_delete_file',
      params: { path: 'a.txt' },
      status: 'Error',
      text: message,
      code: 'INVALID_PARAMS'
    }
  })
  const { results } = await app.post('/approve?toolset=workspace', { tool_call_ids: [call_id, UNKNOWN] })
  t.match(results, [
    { ok: false, error: { code: 'INVALID_PARAMS', message } },
    { ok: false, error: { code: 'NOT_FOUND', message: MESSAGE } }
  ])
  t.match((await app.post('/reject?toolset=emacs-agent', { tool_call_ids: [call_id] })).results, [
    { status: 'rejected', tool_call_id: call_id, reason: 'User rejected the operation' }
  ])
  t.match(await app.request('POST', '/approve?toolset=workspace', { stepId: 1, unknown: true }), {
    status: 400,
    body: { ok: false, error: { code: 'INVALID_PARAMS' } }
  })
  const limited = { authorization: `Bearer ${CALL_TOKEN}` }
  t.match(await app.request('POST', '/approve?toolset=workspace', { tool_call_id: call_id }, limited), {
    status: 403,
    body: { code: 'FORBIDDEN', status: 403 }
  })
  t.match(await app.request('POST', '/approve?toolset=none', { tool_call_id: UNKNOWN }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/toolset' }] }
  })
})

t.test('a refused request for a call is answered in the envelope, however it is malformed', async t => {
  const app = await startApp(t)
  const invalid = { status: 'error', error: { code: 'INVALID_PARAMS' }, execution_time_ms: 0 }
  for (const body of [{ tool: 1 }, {}, '{'])
    t.match(await app.request('POST', '/calls?toolset=emacs-agent', body), { status: 400, body: invalid })
})

t.test('every error of the Emacs envelope has a time, also if the call failed before it ran', async t => {
  const app = await startApp(t)
  for (const params of [{ path: '../x' }, { other: 1 }])
    t.match(await app.post('/calls?toolset=emacs-agent', { tool: 'read_file', params }), {
      status: 'error',
      execution_time_ms: 0
    })
})

t.test('a request for a tool without required params needs none', async t => {
  const app = await startApp(t)
  t.match(await app.post('/calls', { tool: 'todo_read' }), { status: 'success', params: {} })
  t.match(await app.post('/calls?toolset=opencode', { tool: 'todoread' }), { metadata: {} })
  t.match((await app.post('/calls/batch', { calls: [{ tool: 'todo_read' }] })).results, [{ status: 'success' }])
  t.match(await app.post('/policy/explain', { tool: 'todo_read' }), { tool: 'todo_read' })
  t.match(await app.request('POST', '/calls', { tool: 'read_file' }), {
    status: 400,
    body: { errors: [{ pointer: '/params/path', message: 'is required' }] }
  })
})

t.test('all that a person says with a rejection reaches every toolset', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  for (const toolset of Object.keys(UNKNOWN_CALL))
    for (const said of [
      { reason: 'Wrong path' },
      { user_message: 'Use b.txt' },
      { reason: 'Wrong path', user_message: 'Use b.txt' },
      { user_message: 'Use b.txt', comments: [{ path: 'a.txt', line: 7, text: 'Name it' }] }
    ]) {
      const { tool_call_id } = await app.call('write_file', { path: 'a.txt', content: 'x' })
      const answer = (await app.request('POST', `/reject?toolset=${toolset}`, { tool_call_id, ...said })).body
      const { comments = [], ...texts } = said as { comments?: { text: string }[] }
      for (const text of [...Object.values(texts), ...comments.map(comment => comment.text)])
        t.match(JSON.stringify(answer), text, `${toolset}: ${text}`)
    }
})
