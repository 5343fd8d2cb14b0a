// Tests of a killed server: three calls are awaiting approval, one command is running.
// tier: full
import t from 'tap'
import {
  comparableEvents,
  connectWithCurl,
  createLargeRepository,
  type Json,
  readJournal,
  waitForExit
} from './fixture.ts'

const COMMAND = 'echo run >> runs; echo $$ > pid; sleep 600 & echo $! >> pid; echo started; wait'

t.test('after a kill with three pending calls and a running one, all are restored and nothing runs twice', async t => {
  const at = createLargeRepository(t, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
  const first = await at.serve()
  const before = connectWithCurl(first)
  const early = before.listen(t)
  await early.until(({ type }) => type === 'stream.snapshot')

  const [a, b, c] = (await Promise.all(
    ['a', 'b', 'c'].map(name => before.call('edit_file', { path: `${name}.txt`, old: name, new: name.toUpperCase() }))
  ).then(answers => answers.map(({ body }) => body))) as [Json, Json, Json]
  const run = (await before.call('shell_exec', { command: COMMAND })).body
  await before.post(`/calls/${run.tool_call_id}/approve`, { digest: run.approval.digest })
  await early.until(({ type, delta }) => type === 'tool.progress' && delta?.text.includes('started'))
  t.equal(at.read('runs'), 'run\n')

  first.process.kill('SIGKILL')
  await first.ended
  await early.untilEnd()
  const last = early.events.findLast(({ id }) => id !== undefined).id
  for (const pid of at.read('pid').trim().split('\n')) await waitForExit(pid)

  const after = connectWithCurl(await at.serve())
  const late = after.listen(t, { 'last-event-id': String(last) })
  const byId = (calls: Json[]) => [...calls].sort((x, y) => (x.tool_call_id < y.tool_call_id ? -1 : 1))
  t.same(byId((await after.get('/approvals')).approvals), byId([a, b, c]), 'the three wait as they did')
  t.match(await after.get(`/calls/${run.tool_call_id}`), {
    status: 'interrupted',
    reason: 'The server ended while the call was running. The call is not run again.',
    attempts: 1
  })

  const [approved, rejected, modified] = await Promise.all([
    after.post(`/calls/${a.tool_call_id}/approve?wait_ms=120000`, { digest: a.approval.digest }),
    after.post(`/calls/${b.tool_call_id}/reject`, { reason: 'not this file', user_message: 'Leave b alone.' }),
    after.post(`/calls/${c.tool_call_id}/approve?wait_ms=120000`, {
      digest: c.approval.digest,
      modified_params: { path: 'c.txt', old: 'c', new: 'changed by the approver' }
    })
  ])
  t.match(approved.body, { status: 'success', approved_by: { source: 'user', digest: a.approval.digest } })
  t.match(rejected.body, { status: 'rejected', reason: 'not this file', user_message: 'Leave b alone.' })
  t.match(modified.body, {
    status: 'success',
    params: { new: 'changed by the approver' },
    requested_params: { path: 'c.txt', old: 'c', new: 'C' }
  })
  t.same(
    ['a', 'b', 'c', 'runs'].map(name => at.read(name === 'runs' ? name : `${name}.txt`)),
    ['A\n', 'b\n', 'changed by the approver\n', 'run\n'],
    'what was decided happened, and the command ran once'
  )

  const whole = await readJournal(t, after)
  await late.until(({ type, seq }) => type !== 'stream.snapshot' && seq >= whole.head)
  t.same(
    comparableEvents([...early.events, ...late.events], whole.head),
    whole.events,
    'both connections together tell the journal, whole and once'
  )
  const seqs = whole.events.map(({ seq }) => seq)
  t.same(
    seqs,
    [...new Set(seqs)].sort((x, y) => x - y),
    'places only grow'
  )
  const ends = whole.events.filter(({ type }) => type === 'tool.result').map(({ status }) => status)
  t.same([ends[0], ...ends.slice(1).sort()], ['interrupted', 'rejected', 'success', 'success'], 'each ended once')
})
