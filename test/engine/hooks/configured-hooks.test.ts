// tier: full
// run: waiting (for hooks to take too long)
import t from 'tap'
import { type Json, toApproval } from '../../start-app.ts'
import { after, before, hooked, runs } from './configured-hooks-fixture.ts'

// Each test starts its own server and mostly waits.
t.jobs = 3

t.test('a pre-hook receives the call, and without output leaves it to policy', async t => {
  const { call, root } = await hooked(t, [
    before(`say({ decision: 'allow', context: JSON.stringify(input) })`, { match: { tool: 'write_file' } })
  ])
  t.notOk('hooks' in (await call('read_file', { path: 'a.txt' })), 'it does not look at other calls')
  const more = { session_id: 's', agent: 'bot', context: 'why' }
  const asked = await call('write_file', { path: './a.txt', content: 'new' }, more)
  t.equal(asked.status, 'awaiting_approval', 'a hook approves nothing')
  t.match(runs(asked), [{ name: 'look', when: 'before', source: 'configuration', outcome: 'allowed' }])
  t.same(JSON.parse(asked.hooks[0].context), {
    event: 'before',
    tool_call_id: asked.tool_call_id,
    tool: 'write_file',
    params: { path: './a.txt', content: 'new' },
    session_id: 's',
    workspace: { name: 'default', root },
    client: asked.client,
    agent: 'bot',
    context: 'why',
    effect: 'write',
    paths: [{ path: 'a.txt', access: 'write' }],
    verdict: { decision: 'ask', reason: asked.approval.reason }
  })
  t.match(asked.approval.preview.notes, [/^The hook look says: \{/], 'the approver is shown what it says')
})

t.test('a hook denies by its answer, or by exit code 2', async t => {
  const { call, read, events, get } = await hooked(t, [
    before(`if (input.params.path === 'a.txt') say({ decision: 'refuse', reason: 'not a.txt' })`),
    before(`if (input.params.path === 'b.txt') { console.error('b is mine\\u001b[2J'); process.exit(2) }`, {
      name: 'second'
    })
  ])
  const stream = await events('?types=tool.call,tool.result,tool.decision')
  const first = await call('read_file', { path: 'a.txt' })
  t.match(first, {
    status: 'rejected',
    reason: 'The hook look rejected the call: not a.txt',
    rejected_by: { source: 'hook', hook: 'look' }
  })
  t.same(runs(first), [
    { name: 'look', when: 'before', source: 'configuration', outcome: 'refused', reason: 'not a.txt' }
  ])
  const told = await stream.type('tool.result')
  t.match(
    told.filter(({ event }) => event !== 'stream.snapshot'),
    [
      { event: 'tool.call', hooks: [{ outcome: 'refused' }] },
      { event: 'tool.decision', decision: 'rejected', by: { hook: 'look' } },
      { event: 'tool.result', status: 'rejected', hooks: [{ name: 'look', outcome: 'refused' }] }
    ]
  )
  const second = await call('write_file', { path: 'b.txt', content: 'x' })
  t.match(second, { status: 'rejected', reason: 'The hook second rejected the call: b is mine' })
  t.equal(read('b.txt'), 'two\n')
  t.match(await get(`/calls/${second.tool_call_id}`), { hooks: [{ outcome: 'allowed' }, { outcome: 'refused' }] })
})

t.test('modified params are validated, evaluated and shown like requested ones', async t => {
  const change = before(`say({ params: { ...input.params, path: 'b.txt' }, reason: 'b it is' })`)
  const { call, get, post, read, write, events } = await hooked(t, [change])
  const asked = await call('write_file', { path: 'a.txt', content: '2\n' })
  t.match(asked, {
    status: 'awaiting_approval',
    params: { path: 'b.txt' },
    requested_params: { path: 'a.txt' },
    hooks: [{ outcome: 'changed' }],
    approval: { preview: { diff: /b\.txt/, notes: ['The hook look modified the params.'] } }
  })
  const told = await events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  t.match(
    (await told.type('tool.call')).at(-1),
    { params: { path: 'b.txt' }, requested_params: { path: 'a.txt' } },
    'readers of events are told both too'
  )
  told.close()
  t.equal(asked.hooks.length, 1, 'it is not asked about what it gave itself')
  await post('/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest: asked.approval.digest })
  t.equal(read('b.txt'), '2\n')
  t.equal(read('a.txt'), 'one\n')

  const { tool_call_id, approval } = await call('write_file', { path: 'a.txt', content: '3\n' })
  write('b.txt', '1\n')
  t.match(
    await get(`/calls/${tool_call_id}/digest`),
    { preview: { diff: /-1/, notes: approval.preview.notes } },
    'nobody who is shown what it would do by now misses what a hook has said'
  )

  const outside = await hooked(t, [before(`say({ params: { path: '/etc/passwd' } })`)])
  t.match(await outside.call('read_file', { path: 'a.txt' }), { status: 'error', error: { code: 'INVALID_PATH' } })
})

t.test('post-hooks receive the outcome, and their output is part of the result', async t => {
  const { call, root } = await hooked(t, [after(`say({ context: JSON.stringify(input) })`)])
  const done = await call('read_file', { path: 'a.txt' })
  t.match(runs(done), [{ name: 'hear', when: 'after', outcome: 'allowed' }])
  const told = JSON.parse(done.hooks[0].context)
  t.match(told, {
    event: 'after',
    params: { path: 'a.txt' },
    workspace: { root },
    status: 'success',
    result: { title: done.result.title, data: { content: 'one\n' } },
    changes: []
  })
  t.type(told.execution_time_ms, 'number')
  t.match(done.result.content, /\n\(The hook hear says: \{/)
  t.match(done.result.metadata.hooks, [{ name: 'hear', context: /^\{/ }])
  t.notOk((await call('read_file', { path: 'a.txt' })).cached, 'whoever wants to hear of a call wants it run')

  const failed = await call('read_file', { path: 'gone.txt' })
  t.match(failed, { status: 'error', hooks: [{ outcome: 'allowed' }] })
  t.match(JSON.parse(failed.hooks[0].context), { status: 'error', error: { code: 'FILE_NOT_FOUND' } })
})

t.test("a hook's file changes belong to the call, and are undone with it", async t => {
  const format = `const fs = require('fs')
    for (const { path } of input.changes) fs.writeFileSync(path, fs.readFileSync(path, 'utf8').toUpperCase())`
  const { call, post, read } = await hooked(t, [after(format, { match: { tool: 'write_file', path: '**/*.txt' } })])
  const asked = await call('write_file', { path: 'a.txt', content: 'new\n' })
  const done = await post('/approve?wait_ms=120000', toApproval(asked))
  t.match(done.status ?? done.call?.status, 'success')
  t.equal(read('a.txt'), 'NEW\n')
  const { changes } = await call('read_file', { path: 'b.txt' }).then(() => done.call ?? done)
  t.same(
    changes.map(({ path, operation }: Json) => [path, operation]),
    [['a.txt', 'modified']]
  )
  const undone = await post(`/calls/${asked.tool_call_id}/undo?wait_ms=0`, {})
  t.match(undone, { status: 'awaiting_approval' })
  await post('/approve?wait_ms=120000', {
    tool_call_id: undone.tool_call_id,
    digest: undone.approval.digest,
    confirm: true
  })
  t.equal(read('a.txt'), 'one\n')
})
