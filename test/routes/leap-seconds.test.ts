// Tests that a time which the server cannot read, such as one with a leap second, is refused wherever a request has a time: a rule or mode
// with it would never end.
// tier: full
import t from 'tap'
import { startApp } from '../start-app.ts'

const PAST = '2016-12-31T23:59:60Z'

t.test('a leap second is refused', async t => {
  const { request, get } = await startApp(t)
  const rule = { effect: 'allow', match: { tool: 'read_file' }, scope: 'user' }
  const requests = [
    ['GET', `/calls?since=${PAST}`, undefined, '/since'],
    ['GET', `/calls?until=${PAST}`, undefined, '/until'],
    ['POST', '/rules', { ...rule, expires_at: PAST }, '/expires_at'],
    ['POST', '/rules/test', { rule: { ...rule, expires_at: PAST }, since: '2016-12-31T00:00:00Z' }, '/rule/expires_at'],
    ['POST', '/rules/test', { rule, since: PAST }, '/since'],
    ['PUT', '/sessions/s/mode', { mode: 'plan', expires_at: PAST }, '/expires_at']
  ] as const
  for (const [method, target, sent, pointer] of requests) {
    const { status, body } = await request(method, target, sent)
    t.match(
      { status, code: body.code, pointers: body.errors?.map((each: { pointer: string }) => each.pointer) },
      {
        status: 400,
        code: 'INVALID_PARAMS',
        pointers: [pointer]
      }
    )
  }
  t.strictSame(await get('/rules'), { rules: [] })
  t.match(await get('/modes'), { modes: [] })
})

t.test('any other time of RFC 3339 is taken', async t => {
  const { request } = await startApp(t)
  for (const since of ['2016-12-31T23:59:59Z', '2016-12-31T23:59:59.5+05:30', '0000-01-01T00:00:00-00:00'])
    t.equal((await request('GET', `/calls?since=${encodeURIComponent(since)}`)).status, 200, since)
})
