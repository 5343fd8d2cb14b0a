// Tests of the shares in bytes, in evaluations and in sessions: what one token can have of them, with all that it makes.
// tier: full
import t, { type Test } from 'tap'
import { agentToken, type Json, startApp } from '../start-app.ts'

async function start(t: Test) {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const headers = (agent: string) => ({ authorization: `Bearer ${agentToken(agent)}` })
  const submit = (agent: string, tool: string, params: object, session_id = 's') =>
    app.request('POST', '/calls', { tool, params, session_id }, headers(agent))
  return { ...app, submit, headers }
}

t.test('what waits of a token may have so many bytes', async t => {
  const { submit, get, post } = await start(t)
  const patch = (n: number) => ({ path: 'a.txt', old: 'a', new: `${n}${'x'.repeat(900_000)}` })
  let refused: Json
  let taken = 0
  while (!refused) {
    const { status, body } = await submit('alice', 'edit_file', patch(taken), `s${taken}`)
    if (status === 202) taken += 1
    else refused = { status, body }
  }
  t.match(refused, {
    status: 429,
    body: { details: { limit: 'waiting_bytes_per_token', max: 32 * 1024 * 1024, retry_after_s: 10 } }
  })
  t.ok(taken > 30 && taken < 40, `${taken} are taken`)
  t.match(await submit('bob', 'edit_file', patch(0)), { status: 202 })
  const { approvals } = await get('/approvals')
  t.equal(approvals.length, taken + 1)
  await post(`/calls/${approvals[0].tool_call_id}/reject`, {})
  t.match(await submit('alice', 'edit_file', patch(0)), { status: 202 })
})

t.test('a token may have so many dry runs, explanations and previews under way', async t => {
  const { request, headers, write } = await start(t)
  write('big.txt', 'many words of a line\n'.repeat(50_000))
  const call = { tool: 'edit_file', params: { path: 'big.txt', old: 'many words of another\n', new: '' } }
  const send = (agent: string, n: number) =>
    n % 2 === 0
      ? request('POST', '/calls', { ...call, dry_run: true }, headers(agent))
      : request('POST', '/policy/explain', call, headers(agent))
  const [own, others] = await Promise.all([
    Promise.all(Array.from({ length: 40 }, (_, n) => send('alice', n))),
    Promise.all(Array.from({ length: 4 }, (_, n) => send('bob', n)))
  ])
  const refused = own.filter(({ status }) => status === 429)
  t.ok(refused.length > 0 && own.length - refused.length >= 4, `${refused.length} of 40 are refused`)
  t.match(refused[0], { body: { details: { limit: 'evaluations_per_token', max: 4, retry_after_s: 1 } } })
  t.ok(others.every(({ status }) => status < 429))
  t.not((await send('alice', 0)).status, 429)
})

t.test('sessions count in the share of the token that made their codes', async t => {
  const { request, headers, get } = await start(t)
  const open = async (by: Record<string, string>) => {
    const made = await request('POST', '/codes', {}, by)
    const { token, token_id } = (await request('POST', '/session', { code: made.body.code })).body
    return { id: token_id as string, headers: { authorization: `Bearer ${token}` } }
  }
  const alice = headers('alice')
  const first = await open(alice)
  const nested = await open(first.headers)
  const bob = await open(headers('bob'))
  const submit = (by: Record<string, string>, session_id: string) =>
    request('POST', '/calls', { tool: 'shell_exec', params: { command: 'touch x' }, session_id }, by)
  for (let n = 0; n < 100; n++) t.equal((await submit(first.headers, 'one')).status, 202)
  for (let n = 0; n < 100; n++) t.equal((await submit(nested.headers, 'two')).status, 202)
  for (const by of [alice, first.headers, nested.headers])
    t.match(await submit(by, 'three'), { status: 429, body: { details: { limit: 'waiting_approvals_per_token' } } })
  t.equal((await submit(bob.headers, 'one')).status, 202)
  t.equal((await get('/approvals')).approvals.length, 201)

  const more = await Promise.all(Array.from({ length: 7 }, () => open(alice)))
  for (const by of [first.headers, nested.headers])
    t.equal((await submit(by, 'x')).status, 401, 'the oldest has ended, with what it made')
  t.equal((await submit(more.at(-1)!.headers, 'x')).status, 429)
  t.equal((await submit(bob.headers, 'one')).status, 202)
  const codes = await Promise.all(Array.from({ length: 10 }, () => request('POST', '/codes', {}, alice)))
  t.equal(codes.filter(({ status }) => status === 201).length, 8)
  t.match(codes.at(-1), { status: 429, body: { details: { limit: 'codes_per_token', max: 8 } } })
  t.equal((await request('POST', '/codes', {}, more.at(-1)!.headers)).status, 429)
  t.equal((await request('POST', '/codes', {}, headers('bob'))).status, 201)
})
