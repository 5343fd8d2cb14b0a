// tier: full
import { rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { Gate, gatedTools, slowPreviewTool } from '../gated-tools.ts'
import { createNormalizer } from '../normalizer.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../start-app.ts'

const overwrite = (app: TestApp, content = 'two', more: object = {}) =>
  app.call('write_file', { path: 'a.txt', content }, more)
const remove = (app: TestApp, path = 'a.txt') => app.call('delete_file', { path })
const UNKNOWN = `tc_${'0'.repeat(26)}`

t.test('the log records who decided on what', async t => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: line => void lines.push(JSON.parse(line).msg) })
  const app = await startApp(t, { 'a.txt': 'one' }, { log })
  const client = { 'x-toolgate-client': 'emacs' }
  const [approved, changed, rejected] = [await overwrite(app), await overwrite(app), await overwrite(app)]
  const decide = ({ tool_call_id }: Json, verb: string, body: object) =>
    app.request('POST', `/calls/${tool_call_id}/${verb}?wait_ms=120000`, body, client)
  await decide(changed, 'approve', {
    digest: changed.approval.digest,
    modified_params: { path: 'b.txt', content: 'two' }
  })
  await decide(approved, 'approve', { digest: approved.approval.digest })
  await app.request('POST', `/calls/${rejected.tool_call_id}/reject`, {}, client)
  t.same(
    lines.filter(line => line.includes(' by emacs')),
    ['approved by emacs: Create b.txt', 'approved by emacs: Overwrite a.txt', 'rejected by emacs: Overwrite a.txt']
  )
})

t.test('an approved call runs as shown, and records its approver', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const normal = createNormalizer()
  const asked = await overwrite(app)
  t.equal(app.read('a.txt'), 'one')
  const { digest } = asked.approval
  const approved = await app.request(
    'POST',
    '/approve',
    { tool_call_id: asked.tool_call_id, digest, reason: 'fine' },
    {
      'x-toolgate-client': 'emacs'
    }
  )
  t.match(approved, { status: 202, body: { status: 'queued', tool_call_id: asked.tool_call_id } })
  t.match(approved.body.approved_by, { source: 'user', client: 'emacs', digest })
  const done = await app.get(`/calls/${asked.tool_call_id}?wait_ms=120000`)
  t.equal(app.read('a.txt'), 'two')
  const { approval, result, ...call } = normal(done)
  t.strictSame(approval, normal(asked.approval), 'what was shown stays with the call')
  t.match(result, { title: 'a.txt', data: { path: 'a.txt', size: 3, created: false } })
  t.strictSame(call, {
    status: 'success',
    tool_call_id: 'tc_1',
    tool: 'write_file',
    params: { path: 'a.txt', content: 'two' },
    session_id: 'default',
    workspace: 'default',
    background: false,
    client: 'node',
    attempts: 1,
    created_at: 'TIME',
    timeout_ms: 10_000,
    approved_by: { source: 'user', client: 'emacs', at: 'TIME', digest: 'DIGEST', reason: 'fine' },
    started_at: 'TIME',
    finished_at: 'TIME',
    execution_time_ms: 'MS',
    changes: [
      {
        path: 'a.txt',
        operation: 'modified',
        before_hash: done.changes[0].before_hash,
        after_hash: result.data.hash,
        added: 1,
        removed: 1
      }
    ],
    undo: { available: true }
  })
  const held = await overwrite(app, 'three')
  t.match(await app.request('POST', '/approve?wait_ms=120000', toApproval(held)), {
    status: 200,
    body: { status: 'success' }
  })
})

const COMMENTS = [
  { path: 'a.txt', line: 1, text: 'Count on.' },
  { path: 'a.txt', line: 1, side: 'old', text: 'Keep this.' }
]

t.test('refuses comments without a line, and more than 50', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const { tool_call_id } = await overwrite(app)
  for (const comments of [
    [{ path: 'a.txt', text: 'x' }],
    [{ path: 'a.txt', line: 0, text: 'x' }],
    [{ path: 'a.txt', line: 1, text: '' }],
    Array(51).fill(COMMENTS[0])
  ])
    t.match(await app.request('POST', `/calls/${tool_call_id}/reject`, { comments }), {
      status: 400,
      body: { code: 'INVALID_PARAMS' }
    })
  t.match(await app.post(`/calls/${tool_call_id}/reject`, { comments: [] }), {
    status: 'rejected',
    comments: undefined
  })
})

t.test('a list abbreviates the comments of a rejection', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const { tool_call_id } = await overwrite(app)
  const comments = Array(50).fill({ path: 'a'.repeat(4_096), line: 1, text: 'b'.repeat(2_000) })
  t.strictSame((await app.post(`/calls/${tool_call_id}/reject`, { comments })).comments, comments)
  const [listed] = (await app.get('/calls')).calls
  t.match(listed, { status: 'rejected', truncated: true, href: `/calls/${tool_call_id}` })
  t.ok(JSON.stringify(listed).length < 64 * 1024)
  t.strictSame((await app.get(listed.href)).comments, comments)
})

t.test('a rejected call ends, and its caller gets the reason', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const normal = createNormalizer()
  const asked = await overwrite(app)
  const waiting = app.get(`/calls/${asked.tool_call_id}?wait_ms=120000`)
  const rejected = await app.request('POST', '/reject', {
    tool_call_id: asked.tool_call_id,
    reason: 'not this file',
    user_message: 'Write to b.txt instead.',
    comments: COMMENTS
  })
  t.equal(rejected.status, 200)
  t.strictSame(await waiting, rejected.body)
  const { approval: _, ...call } = normal(rejected.body)
  t.strictSame(call, {
    status: 'rejected',
    tool_call_id: 'tc_1',
    tool: 'write_file',
    params: { path: 'a.txt', content: 'two' },
    session_id: 'default',
    workspace: 'default',
    background: false,
    client: 'node',
    attempts: 0,
    created_at: 'TIME',
    timeout_ms: 10_000,
    finished_at: 'TIME',
    reason: 'not this file',
    user_message: 'Write to b.txt instead.',
    comments: COMMENTS,
    rejected_by: { source: 'user', client: 'node', at: 'TIME' }
  })
  const other = await overwrite(app)
  t.match(await app.post(`/calls/${other.tool_call_id}/reject`, {}), { reason: 'User rejected the operation' })
  t.equal(app.read('a.txt'), 'one')
})

t.test('a call is decided once: a later decision gets who decided, what and when', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const asked = await overwrite(app)
  const { body: rejected } = await app.request(
    'POST',
    '/reject',
    { tool_call_id: asked.tool_call_id },
    {
      'x-toolgate-client': 'emacs'
    }
  )
  const by = rejected.rejected_by
  for (const [route, body] of [
    ['/approve', { tool_call_id: asked.tool_call_id }],
    ['/reject', { tool_call_id: asked.tool_call_id }],
    [`/calls/${asked.tool_call_id}/approve`, {}],
    [`/calls/${asked.tool_call_id}/reject`, {}]
  ] as const)
    t.strictSame(withoutId((await app.request('POST', route, body)).body), {
      type: 'about:blank',
      title: 'The request conflicts with the current state, for example because another client was first.',
      status: 409,
      detail: `The call was rejected by emacs at ${by.at}.`,
      code: 'CONFLICT',
      recoverable: false,
      details: { status: 'rejected', decision: 'rejected', by, at: by.at }
    })
  const read = await app.call('read_file', { path: 'a.txt' })
  t.match(await app.request('POST', '/approve', { tool_call_id: read.tool_call_id }), {
    status: 409,
    body: { details: { status: 'success', decision: 'approved', by: { source: 'auto' } } }
  })
  const gone = await overwrite(app)
  await app.post(`/calls/${gone.tool_call_id}/cancel`, {})
  t.match(await app.request('POST', '/approve', { tool_call_id: gone.tool_call_id }), {
    status: 409,
    body: { details: { status: 'cancelled', decision: 'cancelled' } }
  })
  for (const route of ['/approve', '/reject'])
    t.match(await app.request('POST', route, { tool_call_id: UNKNOWN }), { status: 404, body: { code: 'NOT_FOUND' } })
})

t.test('a decision on a call that never waited says how it ended', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  for (const [params, happened] of [
    [{ path: 'none' }, 'failed'],
    [{ path: 'a.txt' }, 'succeeded']
  ] as const) {
    const { tool_call_id } = await app.call('read_file', params)
    await app.call('todo_write', { todos: [] })
    const { finished_at } = await app.get(`/calls/${tool_call_id}`)
    for (const route of ['/approve', '/reject'])
      t.match(await app.post(route, { tool_call_id }), {
        code: 'CONFLICT',
        detail: `The call ${happened} at ${finished_at}.`
      })
  }
})

t.test('of many concurrent decisions exactly one wins, and the journal agrees', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const outcomes = new Map<string, number>()
  for (let round = 0; round < 100; round += 1) {
    const { tool_call_id: id, approval } = await overwrite(app, `round ${round}`)
    const { digest } = approval
    const before = app.read('a.txt')
    const decide = [
      () => app.request('POST', '/approve?wait_ms=120000', { tool_call_id: id, digest }),
      () => app.request('POST', `/calls/${id}/reject`, {}),
      () => app.request('POST', '/reject', { tool_call_id: id }),
      () => app.request('POST', `/calls/${id}/approve?wait_ms=120000`, { digest })
    ]
    const answers = await Promise.all([...decide.slice(round % 4), ...decide.slice(0, round % 4)].map(one => one()))
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ status }) => status === 409)
    if (won.length !== 1 || lost.length !== 3) t.fail(`round ${round}: ${answers.map(({ status }) => status)}`)
    const { status, approved_by, rejected_by } = won[0]!.body
    const by = approved_by ?? rejected_by
    if (!lost.every(({ body }) => body.details.by.at === by.at)) t.fail(`round ${round}: the losers hear of another`)
    if (app.read('a.txt') !== (status === 'success' ? `round ${round}` : before)) t.fail(`round ${round}: the file`)
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
  }
  t.strictSame([...outcomes.keys()].sort(), ['rejected', 'success'])
  const last = await app.call('todo_read', {})
  const events = await app.events('?after=0')
  const told = await events.type('tool.result', event => event.tool_call_id === last.tool_call_id)
  const decisions = told.filter(({ event }) => event === 'tool.decision')
  t.equal(decisions.length, 100)
  t.equal(new Set(decisions.map(event => event.tool_call_id)).size, 100)
  t.equal(decisions.filter(event => event.decision === 'approved').length, outcomes.get('success'))
})

t.test('a destructive call requires confirmation of the shown preview', async t => {
  const app = await startApp(t, { 'a.txt': 'one', 'b.txt': 'b' })
  const asked = await remove(app)
  t.match(asked.approval, { level: 'strict', always_options: [], preview: { title: 'Delete a.txt', text: 'a.txt' } })
  const approve = (body: object) => app.request('POST', '/approve', { tool_call_id: asked.tool_call_id, ...body })
  const { digest } = asked.approval
  const faults = async (body: object) => {
    const answer = await approve(body)
    t.match(answer, { status: 400, body: { code: 'INVALID_PARAMS' } })
    return answer.body.errors.map(({ pointer }: Json) => pointer)
  }
  t.strictSame(await faults({}), ['/confirm', '/digest'])
  t.strictSame(await faults({ confirm: true }), ['/digest'])
  t.strictSame(await faults({ digest }), ['/confirm'])
  t.strictSame(await faults({ digest, confirm: false }), ['/confirm'])
  t.match(await approve({ digest: 'f'.repeat(64), confirm: true }), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  t.equal(app.read('a.txt'), 'one')
  t.match(
    await app.request('POST', '/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest, confirm: true }),
    {
      status: 200,
      body: { status: 'success', result: { data: { deleted: ['a.txt'] } } }
    }
  )
})

t.test('an approver may modify the params: they are validated, evaluated and previewed again', async t => {
  const app = await startApp(t, { 'a.txt': 'one', 'b.txt': 'b', '.env': 'SECRET=1' })
  const asked = await overwrite(app)
  const approve = (modified_params: object, more: object = {}) =>
    app.request('POST', '/approve?wait_ms=120000', { ...toApproval(asked), modified_params, ...more })
  t.match(await approve({ path: 'a.txt' }), { status: 400, body: { errors: [{ pointer: '/params/content' }] } })
  t.match(await approve({ path: '../x', content: '' }), { status: 400, body: { code: 'INVALID_PATH' } })
  t.match(await approve({ path: '.git/config', content: '' }), { status: 403, body: { code: 'SENSITIVE_PATH' } })
  t.match(
    await approve({ path: '.envrc', content: 'x' }),
    { status: 400, body: { errors: [{ pointer: '/confirm' }] } },
    'strict is strict'
  )
  t.strictSame((await app.get('/approvals')).approvals, [asked], 'and waits on as it was')
  const done = await approve({ path: 'b.txt', content: 'changed' })
  t.match(done, {
    status: 200,
    body: {
      status: 'success',
      params: { path: 'b.txt', content: 'changed' },
      requested_params: { path: 'a.txt', content: 'two' },
      approval: { preview: { title: 'Overwrite b.txt' } },
      result: { data: { path: 'b.txt' } }
    }
  })
  t.not(done.body.approved_by.digest, asked.approval.digest)
  t.equal(done.body.approved_by.digest, done.body.approval.digest)
  t.strictSame([app.read('a.txt'), app.read('b.txt')], ['one', 'changed'])
  const events = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  const told = await events.type('tool.result')
  t.match(
    told.find(({ event }) => event === 'tool.decision'),
    {
      decision: 'approved',
      modified_params: { path: 'b.txt', content: 'changed' }
    }
  )
})

t.test('modified params run as previewed, or are previewed again', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' })
  const asked = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const params = { path: 'b.txt', old: 'b', new: 'c' }
  const shown = await app.call('edit_file', params, { dry_run: true })
  const approve = (more: object) =>
    app.request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
      digest: asked.approval.digest,
      ...more
    })
  t.match(await approve({ modified_digest: shown.digest }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/modified_digest' }] }
  })
  app.write('b.txt', 'b\nmore\n')
  const refused = await approve({ modified_params: params, modified_digest: shown.digest })
  t.match(refused, { status: 409, body: { code: 'PREVIEW_CHANGED', details: { tool_call_id: asked.tool_call_id } } })
  const { approval } = refused.body.details
  t.match(approval.preview.diff, / more/)
  t.equal(app.read('b.txt'), 'b\nmore\n')
  const waiting = await app.get(`/calls/${asked.tool_call_id}`)
  t.strictSame(waiting, { ...asked, params, requested_params: asked.params, approval }, 'it waits on as it was shown')
  const again = await app.call('edit_file', { ...params, new: 'd' }, { dry_run: true })
  const done = await approve({
    digest: approval.digest,
    modified_params: { ...params, new: 'd' },
    modified_digest: again.digest
  })
  t.match(done, { status: 200, body: { status: 'success', approved_by: { digest: again.digest } } })
  t.equal(app.read('b.txt'), 'd\nmore\n')
  const read = await app.call('read_file', { path: 'a.txt' }, { dry_run: true })
  t.match(read, { verdict: { decision: 'allow' }, digest: /^[0-9a-f]{64}$/ }, 'told where nobody is asked, too')
})

t.test('refreshes a stale preview, and the call stays pending', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'b' })
  const asked = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const approve = (digest: string) =>
    app.request('POST', '/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest })
  app.write('a.txt', 'one\nmore\n')
  const refused = await approve(asked.approval.digest)
  t.match(refused, { status: 409, body: { code: 'PREVIEW_CHANGED', details: { tool_call_id: asked.tool_call_id } } })
  const fresh = refused.body.details.approval
  t.match(fresh.preview.diff, / more/)
  t.not(fresh.digest, asked.approval.digest)
  t.equal(fresh.expires_at, asked.approval.expires_at, 'it does not wait longer for that')
  t.strictSame((await app.get('/approvals')).approvals, [{ ...asked, approval: fresh }])
  app.write('a.txt', 'one\nmost\n')
  const stale = await approve(asked.approval.digest)
  t.match(stale, { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  t.match(stale.body.details.approval.preview.diff, / most/, 'the fresh one is of this moment')
  t.match(await approve(stale.body.details.approval.digest), { status: 200, body: { status: 'success' } })
  t.equal(app.read('a.txt'), 'two\nmost\n')
  const events = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  t.strictSame(
    (await events.type('tool.result')).map(({ event }) => event),
    ['stream.snapshot', 'tool.call', 'tool.call', 'tool.call', 'tool.decision', 'file.changed', 'tool.result']
  )
})

t.test('an approval must name the digest of the preview that was shown', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const asked = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const id = asked.tool_call_id
  app.write('a.txt', 'one\nmore\n')
  const refused = await app.request('POST', '/approve', { tool_call_id: id, digest: asked.approval.digest })
  t.match(refused, { status: 409, body: { code: 'PREVIEW_CHANGED' } }, 'another client refreshes the preview')
  const missing = {
    code: 'INVALID_PARAMS',
    detail: /`approval\.digest`/,
    errors: [{ pointer: '/digest', message: 'must be the digest of the preview that was shown' }]
  }
  const modified_params = { path: 'a.txt', old: 'one', new: 'three' }
  const { digest: modified_digest } = await app.call('edit_file', modified_params, { dry_run: true })
  for (const [route, body] of [
    ['/approve', { tool_call_id: id }],
    ['/approve', { stepId: id, approved: true }],
    ['/approve?toolset=opencode', { stepId: id, modifiedArgs: modified_params }],
    [`/calls/${id}/approve`, {}],
    [`/calls/${id}/approve`, { always: asked.approval.always_options[0].id }],
    [`/calls/${id}/approve`, { modified_params }],
    [`/calls/${id}/approve`, { modified_params, modified_digest }]
  ] as const)
    t.match(await app.request('POST', route, body), { status: 400 }, `${route} ${JSON.stringify(body)}`)
  t.match(await app.post('/approve', { tool_call_id: id }), missing)
  t.match(await app.post(`/calls/${id}/approve`, { modified_params }), missing)
  for (const several of [{ tool_call_ids: [id] }, { calls: [{ tool_call_id: id }] }])
    t.match(await app.post('/approve', several), { results: [{ problem: missing }] }, JSON.stringify(several))
  t.match(await app.get(`/calls/${id}`), { status: 'awaiting_approval', params: asked.params })
  t.equal(app.read('a.txt'), 'one\nmore\n')
  const { digest } = refused.body.details.approval
  t.match(await app.post('/approve?wait_ms=120000', { tool_call_id: id, digest }), { status: 'success' })
  t.equal(app.read('a.txt'), 'two\nmore\n')
})

t.test('a call that has become impossible ends when approved', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const asked = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  app.write('a.txt', 'nothing of it\n')
  const answer = await app.request('POST', '/approve', toApproval(asked))
  t.match(answer, { status: 200, body: { status: 'error', error: { code: 'OLD_TEXT_NOT_FOUND' } } })
  t.equal((await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id })).status, 409)
})

t.test('previews an approved call again in its turn, and asks again if its effect differs', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: gatedTools(gate) })
  const holder = app.call('held_create', { name: 'holder', path: 'a.txt' })
  await gate.waitForArrival('holder')
  const asked = await overwrite(app)
  await app.post('/approve', toApproval(asked))
  app.write('a.txt', 'changed')
  gate.open('holder')
  await holder
  const events = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  await events.type('tool.decision')
  const again = (await events.type('tool.call')).at(-1)
  t.match(again.approval.preview.diff, /-changed/)
  t.equal(app.read('a.txt'), 'changed', 'nothing was done')
  const { approvals } = await app.get('/approvals')
  t.match(approvals, [{ tool_call_id: asked.tool_call_id, status: 'awaiting_approval', approved_by: undefined }])
  const { digest } = approvals[0].approval
  t.match(await app.request('POST', '/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest }), {
    status: 200,
    body: { status: 'success' }
  })
  t.equal(app.read('a.txt'), 'two')
})

t.test('permission to read one secret does not cover another put in its place', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.pem': 'A=1', 'other/a.pem': 'B=2' }, { tools: gatedTools(gate) })
  const link = (to: string) => {
    rmSync(path.join(app.root, 'link'), { force: true })
    symlinkSync(to, path.join(app.root, 'link'))
  }
  link('a.pem')
  const asked = await app.call('read_file', { path: 'link' })
  t.match(asked.approval, { level: 'strict' })
  const holder = app.call('held_create', { name: 'holder', path: 'a.pem' })
  await gate.waitForArrival('holder')
  const { digest } = asked.approval
  t.equal(
    (await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id, digest, confirm: true })).status,
    202
  )
  link('other/a.pem')
  gate.open('holder')
  await holder
  const events = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  await events.type('tool.decision')
  t.match((await events.until(({ event }) => event === 'tool.call' || event === 'tool.result')).at(-1), {
    event: 'tool.call',
    requires_approval: true
  })
})

t.test('a call cancelled during its last preview does not become pending again', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: [...gatedTools(gate), slowPreviewTool(gate)] })
  for (const look of ['look 1', 'look 2']) gate.open(look)
  const holder = app.call('held_create', { name: 'holder', path: 'a.txt' })
  await gate.waitForArrival('holder')
  const asked = await app.call('slow_look', {})
  const { tool_call_id } = asked
  await app.post('/approve', toApproval(asked))
  app.write('a.txt', 'changed')
  gate.open('holder')
  await holder
  await gate.waitForArrival('look 3')
  const cancelled = app.request('POST', `/calls/${tool_call_id}/cancel`, {})
  await app.get('/health')
  gate.open('look 3')
  t.match(await cancelled, { status: 200, body: { status: 'cancelled' } })
  t.strictSame((await app.get('/approvals')).approvals, [])
})

t.test('concurrent decisions wait for the one being made', async t => {
  const gate = new Gate()
  const app = await startApp(t, { 'a.txt': 'one' }, { tools: [slowPreviewTool(gate)] })
  for (const look of ['look 1', 'look 3']) gate.open(look)
  const asked = await app.call('slow_look', {})
  const { tool_call_id } = asked
  const approved = app.request('POST', '/approve?wait_ms=120000', toApproval(asked))
  await gate.waitForArrival('look 2')
  const others = [
    app.request('POST', '/reject', { tool_call_id }),
    app.request('POST', '/approve', toApproval(asked)),
    app.request('POST', `/calls/${tool_call_id}/reject`, {})
  ]
  await Promise.race([...others, app.call('todo_read', {})])
  t.match(await app.get(`/calls/${tool_call_id}`), { status: 'awaiting_approval' })
  gate.open('look 2')
  t.match(await approved, { status: 200, body: { status: 'success' } })
  for (const other of others) t.match(await other, { status: 409, body: { details: { decision: 'approved' } } })
})

t.test('several calls may be decided at once, each independently', async t => {
  const app = await startApp(t, { 'a.txt': 'one', 'b.txt': 'b', 'c.txt': 'c' })
  const [a, b, c, strict] = [
    await overwrite(app),
    await app.call('write_file', { path: 'b.txt', content: 'x' }),
    await app.call('write_file', { path: 'c.txt', content: 'x' }),
    await remove(app, 'c.txt')
  ]
  const ids = [a, b, strict].map(call => call.tool_call_id)
  const calls = [
    toApproval(a),
    toApproval(b),
    toApproval(strict),
    { tool_call_id: c.tool_call_id },
    { ...toApproval(c), digest: a.approval.digest },
    { tool_call_id: UNKNOWN }
  ]
  t.match(await app.request('POST', '/approve', { calls }), {
    status: 200,
    body: {
      results: [
        { status: 'queued' },
        { status: 'queued' },
        { problem: { code: 'INVALID_PARAMS', errors: [{ pointer: '/confirm' }] } },
        { problem: { code: 'INVALID_PARAMS', errors: [{ pointer: '/digest' }] } },
        { problem: { code: 'PREVIEW_CHANGED' } },
        { problem: { code: 'NOT_FOUND' } }
      ]
    }
  })
  const { results } = await app.post('/reject', {
    tool_call_ids: [ids[0], strict.tool_call_id, c.tool_call_id],
    reason: 'no'
  })
  t.match(results, [{ problem: { code: 'CONFLICT' } }, { status: 'rejected' }, { status: 'rejected', reason: 'no' }])
  t.strictSame((await app.get('/approvals')).approvals, [])
  for (const body of [
    {},
    { tool_call_id: ids[0], tool_call_ids: ids },
    { tool_call_ids: ids, calls },
    { tool_call_id: ids[0], calls },
    { calls: [] },
    { calls: [{ ...calls[0], confirm: true }] },
    { calls, digest: 'f'.repeat(64) },
    { tool_call_ids: [] },
    { tool_call_ids: [ids[0], ids[0]] },
    { tool_call_ids: ids, digest: 'f'.repeat(64) },
    { tool_call_ids: ids, modified_params: {} },
    { tool_call_id: ids[0], digest: 'x' },
    { tool_call_id: ids[0], unknown: 1 }
  ])
    t.match(
      await app.request('POST', '/approve', body),
      { status: 400, body: { code: 'INVALID_PARAMS' } },
      JSON.stringify(body)
    )
})

t.test('lists pending calls, the oldest first', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const asked = [await overwrite(app), await remove(app), await overwrite(app, 'three')]
  t.strictSame(await app.get('/approvals'), { approvals: asked })
  await app.post('/reject', { tool_call_id: asked[1].tool_call_id })
  t.strictSame(await app.get('/approvals'), { approvals: [asked[0], asked[2]] })
})

const EXPIRED =
  /^No one approved or rejected the call in time, until \d{4}-.*Z\. It has not run\. If it is still needed, send it again when a person can decide\.$/

t.test('a rule shortens the time for a decision', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const add = (more: object) =>
    app.request('POST', '/rules', { effect: 'ask', match: { path: '**' }, scope: 'user', ...more })
  const wait = ({ created_at, approval }: Json) => Date.parse(approval.expires_at) - Date.parse(created_at)
  t.match(await add({ expires_after: '10m' }), { status: 201, body: { expires_after: '10m' } })
  await add({ expires_after: '2d', match: { tool: 'write_file' } })
  const asked = await overwrite(app)
  const ms = wait(asked)
  t.ok(ms >= 600_000 && ms < 600_000 + 120_000, String(ms))
  app.write('a.txt', 'changed')
  const { body } = await app.request('POST', '/approve', toApproval(asked))
  t.equal(body.details.approval.expires_at, asked.approval.expires_at, 'a new preview has the same deadline')
  await add({ expires_after: '1s' })
  const short = await overwrite(app)
  const done = await app.get(`/calls/${short.tool_call_id}?wait_ms=120000`)
  t.match(done, { status: 'expired', reason: EXPIRED })
  t.ok(done.reason.includes(short.approval.expires_at))
  for (const more of [{ expires_after: '10' }, { expires_after: '10m', effect: 'deny' }])
    t.match(await add(more), { status: 400, body: { code: 'INVALID_PARAMS' } })

  const settings = { approval: { ttl_ms: 1, mode: 'ask' as const } }
  const impatient = await startApp(t, { 'a.txt': 'one' }, { settings })
  await impatient.post('/rules', { effect: 'ask', match: { path: '**' }, scope: 'user', expires_after: '10m' })
  const { tool_call_id } = await overwrite(impatient)
  t.match(await impatient.get(`/calls/${tool_call_id}?wait_ms=120000`), { status: 'expired' }, 'the setting is shorter')
})

t.test('an undecided call expires', async t => {
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { approval: { ttl_ms: 1, mode: 'ask' } } })
  const asked = await overwrite(app)
  const done = await app.get(`/calls/${asked.tool_call_id}?wait_ms=120000`)
  t.match(done, { status: 'expired', reason: EXPIRED })
  t.match(await app.request('POST', '/approve', { tool_call_id: asked.tool_call_id }), {
    status: 409,
    body: { details: { status: 'expired', decision: 'expired' } }
  })
  const events = await app.events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  const told = await events.type('tool.result')
  t.match(told.at(-1), { status: 'expired', reason: EXPIRED })
  t.match(told.at(-2), { event: 'tool.decision', decision: 'expired' })
  t.equal(app.read('a.txt'), 'one')
  const patient = await startApp(t, { 'a.txt': 'one' }, { settings: { approval: { ttl_ms: 0, mode: 'ask' } } })
  t.equal((await overwrite(patient)).approval.expires_at, null)
})

t.test('"always" saves every rule of an option, each for one command of the line', async t => {
  const app = await startApp(t, { 'package.json': '{"scripts":{"a":"echo one","b":"echo two"}}' })
  const asked = await app.call('shell_exec', { command: 'npm run a && npm run b' })
  const option = asked.approval.always_options.find((each: Json) => each.rules)
  t.notOk('rule' in option, 'none of them stands for all')
  t.match(option, {
    rules: [
      { effect: 'allow', match: { command: 'npm run a', mode: 'prefix' } },
      { effect: 'allow', match: { command: 'npm run b', mode: 'prefix' } }
    ]
  })
  const done = await app.post('/approve?wait_ms=120000', { ...toApproval(asked), always: option.id })
  t.match(done, { status: 'success', result: { data: { exit_code: 0 } } })
  const { rules } = await app.get('/rules')
  t.match(rules, option.rules)
  t.equal(rules.length, option.rules.length)
  const ids = rules.map(({ rule_id }: Json) => rule_id)
  t.match(done.approved_by, { rule_id: ids[0], rule_ids: ids })
  for (const command of ['npm run a && npm run b', 'npm run b', 'npm run a; npm run b | head -1'])
    t.match(await app.call('shell_exec', { command }), { status: 'success', approved_by: { source: 'rule' } }, command)
  for (const command of ['npm run c', 'npm run a -- x', 'npm run a && npm test', 'npm run a > x', 'npm run a; touch y'])
    t.equal((await app.call('shell_exec', { command })).status, 'awaiting_approval', command)
})

t.test('"always" saves the shown rule, and similar calls need no approval', async t => {
  const app = await startApp(t, { 'a.txt': 'one', 'b.txt': 'b' })
  const asked = await overwrite(app)
  const [option] = asked.approval.always_options
  t.match(option, { id: 'path:session', rule: { effect: 'allow', match: { tool: 'write_file', path: 'a.txt' } } })
  const approve = (body: object) => app.request('POST', '/approve?wait_ms=120000', { ...toApproval(asked), ...body })
  t.match(await approve({ always: 'other' }), { status: 400, body: { errors: [{ pointer: '/always' }] } })
  t.strictSame((await app.get('/rules')).rules, [])
  const done = await approve({ always: option.id })
  const { rules } = await app.get('/rules')
  t.match(rules, [
    {
      ...option.rule,
      scope: 'session',
      session_id: 'default',
      workspace: app.root,
      expires_at: null,
      created_by: 'node'
    }
  ])
  t.match(done, {
    status: 200,
    body: { status: 'success', approved_by: { source: 'user', rule_id: rules[0].rule_id } }
  })
  const next = await overwrite(app, 'three')
  t.match(next, { status: 'success', approved_by: { source: 'rule', rule_id: rules[0].rule_id } })
  t.equal((await overwrite(app, 'four', { session_id: 'other' })).status, 'awaiting_approval', 'not in another session')
  t.equal(
    (await app.call('write_file', { path: 'b.txt', content: '' })).status,
    'awaiting_approval',
    'not for another file'
  )
  const strict = await remove(app)
  t.match(
    await app.request('POST', '/approve', {
      tool_call_id: strict.tool_call_id,
      digest: strict.approval.digest,
      confirm: true,
      always: 'path:session'
    }),
    { status: 400, body: { errors: [{ pointer: '/always', message: 'must be one of: none' }] } }
  )
})

t.test('a call-only token decides nothing, but sees all', async t => {
  const app = await startApp(t, { 'a.txt': 'one', '.env': 'SECRET=1' })
  const headers = { authorization: `Bearer ${CALL_TOKEN}` }
  const asked = (
    await app.request('POST', '/calls', { tool: 'write_file', params: { path: 'a.txt', content: 'x' } }, headers)
  ).body
  t.equal(asked.status, 'awaiting_approval')
  const id = asked.tool_call_id
  const rule = { effect: 'allow', match: { tool: '*' }, scope: 'user' }
  for (const [method, route, body] of [
    ['POST', '/approve', { tool_call_id: id }],
    ['POST', '/reject', { tool_call_id: id }],
    ['POST', `/calls/${id}/approve`, {}],
    ['POST', `/calls/${id}/reject`, {}],
    ['POST', '/rules', rule],
    ['DELETE', '/rules/rule_x', undefined]
  ] as const)
    t.match(await app.request(method, route, body, headers), { status: 403, body: { code: 'FORBIDDEN' } }, route)
  for (const route of [
    '/approvals',
    '/rules',
    '/state',
    '/calls',
    `/calls/${id}`,
    '/tools',
    '/stats',
    '/metrics',
    '/capabilities'
  ])
    t.equal((await app.request('GET', route, undefined, headers)).status, 200, route)
  t.equal((await app.request('POST', '/policy/explain', { tool: 'todo_read', params: {} }, headers)).status, 200)
  t.match((await app.request('POST', '/calls', { tool: 'read_file', params: { path: '.env' } }, headers)).body, {
    status: 'error',
    error: { code: 'SENSITIVE_PATH' }
  })
  t.match(await app.call('read_file', { path: '.env' }), { status: 'awaiting_approval', approval: { level: 'strict' } })
  t.equal(
    (await app.request('POST', `/calls/${id}/cancel`, {}, headers)).status,
    200,
    'what one may start, one may stop'
  )
  for (const bearer of ['', 'Bearer ', 'Bearer wrong', `Basic ${CALL_TOKEN}`])
    t.equal((await app.request('GET', '/approvals', undefined, { authorization: bearer })).status, 401)
})

t.test('an option applies to the shown params, and a decision may have no body', async t => {
  const app = await startApp(t)
  const asked = await app.call('shell_exec', { command: 'echo danger' })
  const both = { always: 'command:workspace', modified_params: { command: 'echo safe' } }
  t.match(await app.request('POST', '/approve', { ...toApproval(asked), ...both }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/always' }] }
  })
  t.strictSame((await app.get('/rules')).rules, [])
  t.match(await app.request('POST', `/calls/${asked.tool_call_id}/cancel`), {
    status: 200,
    body: { status: 'cancelled' }
  })
})

t.test('a search that may read denied files requires approval', async t => {
  const deny = { effect: 'deny' as const, match: { path: 'secret/**' } }
  const app = await startApp(
    t,
    { 'secret/s.txt': 'needle', 'open/o.txt': 'needle' },
    { settings: { tiers: { administrator: [], user: [deny], workspace: [] } } }
  )
  for (const path of ['.', 'secret'])
    t.match(await app.call('grep', { pattern: 'needle', path }), {
      status: 'awaiting_approval',
      approval: { always_options: [] }
    })
  t.match(await app.call('grep', { pattern: 'needle', path: 'open' }), { status: 'success' })
})

/** Removes the id, which differs per request. */
function withoutId({ request_id, ...problem }: Json): Json {
  if (typeof request_id !== 'string') throw new Error('it tells no request_id')
  return problem
}
