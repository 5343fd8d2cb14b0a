// tier: full
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { OneTimeCodes } from '../../src/server/one-time-codes.ts'
import { beforeItPasses } from '../expiring.ts'
import {
  agentToken,
  CALL_TOKEN,
  listenToEvents,
  type StartOptions,
  startApp,
  type TestApp,
  toApproval
} from '../start-app.ts'

const ID = /^tok_[\w-]{12}$/
const TOKEN = /^tg_[\w-]{43}$/
const DAY_MS = 86_400_000

/** Starts servers in sequence on the same folder. */
function place(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-tokens-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return {
    start: (files: Record<string, string> = {}, options: StartOptions = {}) =>
      startApp(t, files, { ...options, folder }),
    file: path.join(folder, 'state/tokens.json')
  }
}

const as = (token: string) => ({ authorization: `Bearer ${token}` })
const session = (app: TestApp, code: string, headers = {}) =>
  app.request('POST', '/session', { code }, { authorization: '', ...headers })
const livesMs = ({ created_at, expires_at }: Record<string, string>) =>
  Date.parse(expires_at!) - Date.parse(created_at!)

t.test('a page exchanges a code for a token, once', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const made = await app.request('POST', '/codes', {})
  t.equal(made.status, 201)
  t.equal(made.headers.get('cache-control'), 'no-store')
  const { code, expires_at, path: way } = made.body
  t.match(code, /^[\w-]{22}$/, '128 bits')
  t.equal(way, `/#code=${code}`)
  t.ok(Date.parse(expires_at) - Date.now() <= 60_000)

  const given = await session(app, code, { origin: app.url, 'sec-fetch-site': 'same-origin' })
  t.equal(given.status, 201)
  t.equal(given.headers.get('cache-control'), 'no-store')
  t.match(given.body, { token: TOKEN, token_id: ID, name: 'console', kind: 'session', rights: ['call', 'approve'] })
  t.equal(livesMs(given.body), 7 * DAY_MS)

  const again = await session(app, code)
  t.match(again, { status: 401, body: { code: 'UNAUTHORIZED', detail: /already used.*toolgate open/ } })
  t.equal((await session(app, 'wrong')).body.detail, again.body.detail, 'wrong and used look alike')
  t.match(await app.request('POST', '/session', {}, { authorization: '' }), { status: 400 })

  const waits = await app.call('delete_file', { path: 'a.txt' })
  const decision = { confirm: true, digest: waits.approval.digest }
  const approved = await app.request('POST', `/calls/${waits.tool_call_id}/approve`, decision, as(given.body.token))
  t.ok([200, 202].includes(approved.status), 'it may approve')
})

t.test('a decision names the token and its person, with the label of the client', async t => {
  const app = await startApp(t, {})
  const { body: console } = await session(app, (await app.post('/codes', {})).code)
  const headers = { ...as(console.token), 'x-toolgate-client': 'browser' }
  const decide = async (decision: 'approve' | 'reject') => {
    const { tool_call_id, approval } = await app.call('shell_exec', { command: 'touch x' })
    const body = decision === 'approve' ? { digest: approval.digest } : {}
    const decided = await app.request('POST', `/calls/${tool_call_id}/${decision}`, body, headers)
    return { tool_call_id, decided: decided.body }
  }
  const token = { id: console.token_id, name: 'console' }
  t.match((await decide('approve')).decided.approved_by, { source: 'user', token, client: 'browser' })

  const named = await app.request('PATCH', '/session', { name: ' Ada ' }, headers)
  t.match(named, { status: 200, body: { token_id: console.token_id, name: 'Ada', kind: 'session' } })
  t.match(await app.get('/tokens'), { tokens: [{ token_id: console.token_id, name: 'Ada' }] })
  const stream = await app.events()
  const { tool_call_id, decided } = await decide('reject')
  const ada = { source: 'user', token: { id: console.token_id, name: 'Ada' }, client: 'browser' }
  t.match(decided.rejected_by, ada)
  t.match((await stream.type('tool.decision')).at(-1), { tool_call_id, by: ada })
  const late = await app.request('POST', `/calls/${tool_call_id}/approve`, {})
  t.match(late.body.detail, 'The call was rejected by Ada (browser) at ')

  for (const name of ['', ' ', 'x'.repeat(65)])
    t.match(await app.request('PATCH', '/session', { name }, headers), { status: 400 })
  for (const name of [
    'server',
    ' SERVER ',
    'ｓｅｒｖｅｒ',
    'policy',
    'A\u202eda',
    'A\u200bda',
    'A\nda',
    '\u2066',
    'a\u0007'
  ])
    t.match(
      await app.request('PATCH', '/session', { name }, headers),
      { status: 400, body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/name' }] } },
      JSON.stringify(name)
    )
  t.match(await app.get('/tokens'), { tokens: [{ name: 'Ada' }] })
  t.match(await app.request('PATCH', '/session', { name: 'Eve' }), { status: 403, body: { code: 'FORBIDDEN' } })
  const { body: program } = await app.request('POST', '/tokens', { name: 'bot', rights: ['call'] })
  t.match(await app.request('PATCH', '/session', { name: 'Eve' }, as(program.token)), { status: 403 })
})

t.test('a code grants no more rights than its creator has', async t => {
  const app = await startApp(t)
  const make = (body: object, token: string) => app.request('POST', '/codes', body, as(token))
  t.match(await make({ rights: ['approve'] }, CALL_TOKEN), { status: 403, body: { code: 'FORBIDDEN' } })
  t.match(await app.request('POST', '/codes', {}, { authorization: '' }), { status: 401 })
  t.match(await make({ rights: [] }, CALL_TOKEN), { status: 400 })

  const fewer = await app.post('/codes', { rights: ['call'] })
  const { body: caller } = await session(app, fewer.code)
  t.strictSame(caller.rights, ['call'])
  t.match(await app.request('GET', '/tokens', undefined, as(caller.token)), { status: 403 })

  const ofAgent = await make({}, agentToken('coder'))
  const { body: agent } = await session(app, ofAgent.body.code)
  t.match(agent, { rights: ['call'], agent: 'coder' })
  const call = await app.request(
    'POST',
    '/calls',
    { tool: 'read_file', params: { path: 'a.txt' }, agent: 'boss' },
    as(agent.token)
  )
  t.match(call.body, { code: 'FORBIDDEN' }, 'it calls as that agent alone')
})

t.test('codes end by time, by number, and after many wrong ones', t => {
  let now = 0
  const codes = new OneTimeCodes(() => now)
  const holder = { rights: new Set(['call'] as const) }
  const late = codes.create(holder)
  now = 59_999
  t.ok(codes.redeem(codes.create(holder)))
  now = 60_000
  t.equal(codes.redeem(late), undefined, 'a minute is over')

  const first = codes.create(holder)
  const others = Array.from({ length: 16 }, () => codes.create(holder))
  t.equal(codes.redeem(first), undefined, 'pushed out by newer ones')
  t.ok(others.every(code => codes.redeem(code)))

  const person = codes.create({ rights: new Set(['call', 'approve'] as const) })
  const callers = Array.from({ length: 17 }, () => codes.create(holder))
  t.ok(codes.redeem(person), 'who may only call pushes out no person')
  t.same(
    callers.map(code => codes.redeem(code) !== undefined),
    callers.map((_, n) => n > 0),
    'but each other'
  )

  const good = codes.create(holder)
  for (let n = 3; n < 30; n += 1) t.equal(codes.redeem(`wrong ${n}`), undefined)
  now += 500
  t.throws(() => codes.redeem('wrong'), { code: 'OVERLOADED', details: { retry_after_s: 60 } }, 'nobody goes on trying')
  t.ok(codes.redeem(good), 'but a right one counts')
  now += 59_500
  t.equal(codes.redeem('wrong'), undefined, 'for a minute')
  t.end()
})

t.test('a token is created, listed without its text, and revoked', async t => {
  const { start, file } = place(t)
  const app = await start({ 'a.txt': 'one' })
  const wish = { name: 'coder on my laptop', rights: ['call'], agent: 'coder', expires_in_ms: 3_600_000 }
  const { status, body: given, headers } = await app.request('POST', '/tokens', wish)
  t.match([status, headers.get('cache-control')], [201, 'no-store'])
  const { token, ...told } = given
  t.match(given, { token: TOKEN, token_id: ID, kind: 'token', name: wish.name, rights: ['call'], agent: 'coder' })
  t.equal(livesMs(told), 3_600_000)
  t.strictSame(await app.get('/tokens'), { tokens: [told] })
  t.notMatch(readFileSync(file, 'utf8'), token, 'the disk has no token')
  t.equal(statSync(file).mode & 0o777, 0o600)

  const call = await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } }, as(token))
  t.match(call.body, { status: 'success', agent: 'coder' })

  await app.close()
  const next = await start()
  t.strictSame((await next.get('/tokens')).tokens, [told], 'it outlives the server')
  t.equal((await next.request('GET', '/state', undefined, as(token))).status, 200)
  t.match(await next.request('DELETE', `/tokens/${told.token_id}`, undefined, as(token)), { status: 403 })
  t.strictSame((await next.request('DELETE', `/tokens/${told.token_id}`)).body, told)
  t.equal((await next.request('GET', '/state', undefined, as(token))).status, 401)
  t.match(await next.request('DELETE', `/tokens/${told.token_id}`), { status: 404, body: { code: 'NOT_FOUND' } })
  t.strictSame(await next.get('/tokens'), { tokens: [] })
})

t.test('a session, and what was made with it, ends with the server', async t => {
  const { start, file } = place(t)
  const app = await start()
  const kept = await app.post('/tokens', { name: 'kept', rights: ['call', 'approve'] })
  const { body: opened } = await session(app, (await app.post('/codes', {})).code)
  const wish = { name: 'x', rights: ['call'] }
  const made = await app.post('/tokens', wish, as(opened.token))
  const madeByThat = await app.post('/tokens', { name: 'y', rights: ['call'] }, as(kept.token))
  t.equal(JSON.parse(readFileSync(file, 'utf8')).tokens.length, 2)
  await app.close()
  const next = await start()
  const statusFor = async (token: string) => (await next.request('GET', '/state', undefined, as(token))).status
  t.strictSame(
    await Promise.all([kept, madeByThat, opened, made].map(({ token }) => statusFor(token))),
    [200, 200, 401, 401]
  )
})

t.test('describes the requirements on a new token', async t => {
  const app = await startApp(t)
  const refused = async (wish: object) => {
    const { status, body } = await app.request('POST', '/tokens', wish)
    return [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
  }
  t.strictSame(await refused({ rights: ['call'] }), [400, ['/name']])
  t.strictSame(await refused({ name: 'x', rights: ['all'] }), [400, ['/rights/0']])
  t.strictSame(await refused({ name: 'x', rights: ['approve'], agent: 'coder' }), [400, ['/rights']])
  t.strictSame(await refused({ name: 'x', rights: ['call'], expires_in_ms: 400 * DAY_MS }), [400, ['/expires_in_ms']])
  t.match(await app.request('POST', '/tokens', { name: 'x', rights: ['call'] }, as(CALL_TOKEN)), { status: 403 })
  const { rights, ...given } = await app.post('/tokens', { name: 'x', rights: ['approve'] })
  t.strictSame(rights, ['call', 'approve'], 'who approves must see')
  t.equal(livesMs(given), 90 * DAY_MS)
})

t.test('a revoked token loses its streams, and all tokens it created', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const parent = await app.post('/tokens', { name: 'parent', rights: ['approve'], expires_in_ms: DAY_MS })
  const { code } = await app.post('/codes', {}, as(parent.token))
  const { body: child } = await session(app, code)
  t.equal(child.made_by, parent.token_id)
  t.equal(child.expires_at, parent.expires_at, 'it does not outlive it')
  const unused = await app.post('/codes', {}, as(parent.token))
  const other = await app.post('/tokens', { name: 'other', rights: ['call'] })

  const streams = []
  for (const { token } of [parent, child, other]) {
    const stream = await listenToEvents(t, `${app.url}/events`, as(token))
    await stream.type('stream.snapshot')
    streams.push(stream)
  }
  const [ofParent, ofChild, ofOther] = streams
  const itself = await app.request('DELETE', `/tokens/${parent.token_id}`, undefined, as(parent.token))
  t.equal(itself.status, 200, 'who revokes itself is answered')
  await ofParent!.rest()
  await ofChild!.rest()
  t.equal((await session(app, unused.code)).status, 401, 'nor does a code of it count')
  t.strictSame(
    (await app.get('/tokens')).tokens.map(({ name }: { name: string }) => name),
    ['other']
  )
  await app.request('POST', '/calls', { tool: 'read_file', params: { path: 'a.txt' } }, as(other.token))
  t.ok(await ofOther!.type('tool.result'), 'others go on')
})

t.test('a token expires, and so do its open connections', async t => {
  const app = await startApp(t)
  const { token, stream } = await beforeItPasses(async expires_in_ms => {
    const { token } = await app.post('/tokens', { name: 'brief', rights: ['call'], expires_in_ms })
    const stream = await listenToEvents(t, `${app.url}/events`, as(token))
    return stream.response.ok ? { token, stream } : undefined
  })
  await stream.type('stream.snapshot')
  await stream.rest()
  t.equal((await app.request('GET', '/state', undefined, as(token))).status, 401)
  t.strictSame(await app.get('/tokens'), { tokens: [] })
})

t.test('masks tokens like those of the server', async t => {
  const app = await startApp(t)
  const { token } = await app.post('/tokens', { name: 'x', rights: ['call'] })
  app.write('leak.txt', `token ${token}\n`)
  const asked = await app.call('shell_exec', { command: 'cat leak.txt' })
  const read = await app.post('/approve?wait_ms=120000', toApproval(asked))
  t.match(read, { status: 'success', result: { content: /^token / } })
  t.notMatch(JSON.stringify(read), token)
})

t.test('evicts the oldest sessions; rejects tokens beyond a limit', async t => {
  const app = await startApp(t)
  const sessions = []
  for (let n = 0; n < 17; n += 1) {
    const { code } = await app.post('/codes', {})
    sessions.push((await session(app, code)).body)
  }
  t.equal((await app.request('GET', '/state', undefined, as(sessions[0].token))).status, 401)
  t.equal((await app.request('GET', '/state', undefined, as(sessions[1].token))).status, 200)
  t.equal((await app.get('/tokens')).tokens.length, 16)
  for (let n = 0; n < 17; n += 1) {
    const { code } = await app.post('/codes', {}, as(CALL_TOKEN))
    t.match(await session(app, code), { status: 201, body: { rights: ['call'] } })
  }
  t.equal((await app.request('GET', '/state', undefined, as(sessions[1].token))).status, 200, 'not by who only calls')
  const made = await Promise.all(
    Array.from({ length: 64 }, () => app.request('POST', '/tokens', { name: 'x', rights: ['call'] }))
  )
  t.ok(made.every(({ status }) => status === 201))
  t.match(await app.request('POST', '/tokens', { name: 'x', rights: ['call'] }), {
    status: 409,
    body: { code: 'CONFLICT', detail: /toolgate token revoke/ }
  })
})

t.test('a token file that no server wrote there adds no token, and prevents no start', async t => {
  const { start, file } = place(t)
  const other = place(t)
  const asked = { name: 'x', rights: ['call', 'approve'] }
  const { token: elsewhere } = await issueOnce(other.start, asked)
  const { token } = await issueOnce(start, asked)
  const own = readFileSync(file, 'utf8')
  const planted = JSON.parse(own)
  planted.tokens[0].digest = createHash('sha256').update('planted').digest('hex')
  const cases: Record<string, () => void> = {
    'of another server': () => writeFileSync(file, readFileSync(other.file)),
    'with another digest': () => writeFileSync(file, JSON.stringify(planted)),
    'without a seal': () => writeFileSync(file, JSON.stringify({ ...planted, version: 1, seal: undefined })),
    'with an empty token': () => writeFileSync(file, '{"version":2,"tokens":[null]}'),
    'no JSON': () => writeFileSync(file, '{'),
    'a folder': () => mkdirSync(file),
    'a named pipe': () => execaSync('mkfifo', [file])
  }
  for (const [name, plant] of Object.entries(cases)) {
    rmSync(file, { recursive: true, force: true })
    plant()
    const lines: string[] = []
    const app = await start({}, { log: pino({}, { write: line => lines.push(line) }) })
    for (const bearer of [token, elsewhere, 'planted'])
      t.equal((await app.request('GET', '/state', undefined, as(bearer))).status, 401, name)
    t.match(lines.map(line => JSON.parse(line).msg).join('\n'), `issued tokens are no longer valid: ${file} `, name)
    t.ok(existsSync(`${file}.rejected`), `${name}: it is put aside`)
    t.equal((await app.request('POST', '/tokens', asked)).status, 201, name)
    await app.close()
    t.equal((await issueOnce(start, asked)).count, 2, `${name}: the next ones are valid again`)
  }
  rmSync(file)
  writeFileSync(file, own, { mode: 0o644 })
  chmodSync(path.dirname(file), 0o777)
  const app = await start()
  t.equal((await app.request('GET', '/state', undefined, as(token))).status, 200, 'whatever its mode')
  t.strictSame(
    [path.dirname(file), file].map(each => statSync(each).mode & 0o777),
    [0o700, 0o600],
    'and is restored'
  )
})

t.test('a link in place of the token file is replaced, not followed', async t => {
  const { start, file } = place(t)
  const app = await start()
  const target = path.join(app.folder, 'precious')
  writeFileSync(target, 'precious')
  symlinkSync(target, file)
  await app.post('/tokens', { name: 'x', rights: ['call'] })
  t.equal(readFileSync(target, 'utf8'), 'precious')
  t.ok(lstatSync(file).isFile())
})

t.test('a state folder that is a link is refused', async t => {
  const { start, file } = place(t)
  const elsewhere = path.join(path.dirname(file), '../elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, path.dirname(file))
  await t.rejects(start(), {
    code: 'PERMISSION_DENIED',
    message: `The state folder ${path.dirname(file)} is accessible to other users.`
  })
})

/** Issues a token by a server that ends then. */
async function issueOnce(start: ReturnType<typeof place>['start'], asked: object) {
  const app = await start()
  const { token } = await app.post('/tokens', asked)
  const { tokens } = await app.get('/tokens')
  await app.close()
  return { token: token as string, count: tokens.length as number }
}
