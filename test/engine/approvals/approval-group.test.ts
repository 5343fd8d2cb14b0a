// tier: full
import t from 'tap'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../../start-app.ts'

const FILES = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n', 'd.txt': 'one\n' }

const edit = (app: TestApp, path: string, more: object = {}) =>
  app.call('edit_file', { path, old: 'one', new: 'two' }, more)
const run = (app: TestApp, command: string, more: object = {}) => app.call('shell_exec', { command }, more)
const keyOf = ({ approval }: Json): string | undefined => approval.group

t.test('calls that wait for the same reason have the same key', async t => {
  const app = await startApp(t, FILES)
  const [a, b, overwritten] = [
    await edit(app, 'a.txt'),
    await edit(app, 'b.txt'),
    await app.call('write_file', { path: 'c.txt', content: 'two\n' })
  ]
  t.match(keyOf(a), /^[0-9a-f]{16}$/)
  t.same([keyOf(b), keyOf(overwritten)], [keyOf(a), keyOf(a)], 'whatever tool changes the file')
  const commands = [await run(app, 'touch x'), await run(app, 'npm test')]
  t.equal(keyOf(commands[0]), keyOf(commands[1]), 'the default of commands is one reason')
  t.not(keyOf(commands[0]), keyOf(a), 'an edit and a command wait for different reasons')
  t.same(
    (await app.get('/approvals')).approvals.map(keyOf),
    [a, a, a, commands[0], commands[0]].map(keyOf),
    'the list shows the keys'
  )
})

t.test('calls of others, or for other reasons, have other keys', async t => {
  const app = await startApp(t, FILES)
  const first = await edit(app, 'a.txt')
  const others = [
    await edit(app, 'b.txt', { session_id: 'other' }),
    await edit(app, 'b.txt', { agent: 'helper' }),
    (
      await app.request(
        'POST',
        '/calls',
        { tool: 'edit_file', params: { path: 'b.txt', old: 'one', new: 'two' } },
        { authorization: `Bearer ${CALL_TOKEN}` }
      )
    ).body,
    await run(app, 'touch x'),
    await run(app, 'touch y', { executor: 'client' })
  ]
  await app.request('POST', '/rules', { effect: 'ask', match: { path: 'd.txt' }, scope: 'user', reason: 'Check d.' })
  others.push(await edit(app, 'd.txt'))
  const keys = [first, ...others].map(keyOf)
  t.ok(
    keys.every(key => key !== undefined),
    'each could have a group'
  )
  t.same(new Set(keys).size, keys.length, keys.join())
})

t.test('a call that must be decided alone has no key', async t => {
  const app = await startApp(t, { ...FILES, 'long.txt': 'old\n'.repeat(20_000) })
  const alone = [
    await app.call('delete_file', { path: 'a.txt' }),
    await run(app, 'rm -rf b.txt'),
    await app.call('write_file', { path: 'long.txt', content: 'new\n'.repeat(20_000) })
  ]
  t.same(
    alone.map(({ status, approval }) => [status, approval.level, approval.preview.cut ?? false, approval.group]),
    [
      ['awaiting_approval', 'strict', false, undefined],
      ['awaiting_approval', 'strict', false, undefined],
      ['awaiting_approval', 'ask', true, undefined]
    ]
  )
})

t.test('one request decides a group, and approves nothing whose preview has changed', async t => {
  const app = await startApp(t, FILES)
  const calls = [await edit(app, 'a.txt'), await edit(app, 'b.txt'), await edit(app, 'c.txt')]
  const late = await edit(app, 'd.txt')
  app.write('b.txt', 'zero\none\n')
  const { body } = await app.request('POST', '/approve', { calls: calls.map(toApproval) })
  t.match(body.results, [
    { status: 'queued' },
    { problem: { code: 'PREVIEW_CHANGED', details: { approval: { group: keyOf(calls[1]) } } } },
    { status: 'queued' }
  ])
  for (const { tool_call_id } of [calls[0], calls[2]])
    t.match(await app.get(`/calls/${tool_call_id}?wait_ms=120000`), { status: 'success' })
  for (const { tool_call_id } of [calls[1], late])
    t.match(await app.get(`/calls/${tool_call_id}`), { status: 'awaiting_approval' })
  t.same(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(app.read), ['two\n', 'zero\none\n', 'two\n', 'one\n'])
})

t.test('of two edits of one file, the second asks again after the first has run', async t => {
  const app = await startApp(t, { 'a.txt': 'one\nthree\n' })
  const first = await edit(app, 'a.txt')
  const second = await app.call('edit_file', { path: 'a.txt', old: 'three', new: 'four' })
  await app.request('POST', `/approve?wait_ms=120000`, toApproval(first))
  const refused = await app.request('POST', `/approve`, { calls: [toApproval(second)] })
  t.match(refused.body.results, [{ problem: { code: 'PREVIEW_CHANGED' } }])
  t.equal(app.read('a.txt'), 'two\nthree\n')
})
