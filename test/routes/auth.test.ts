// tier: quick
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { httpServerOptions, listAllowedHosts, registerAuth } from '../../src/routes/auth.ts'
import { parseJsonBody } from '../../src/routes/http/json-body.ts'
import { registerErrorHandlers } from '../../src/routes/http/problem.ts'
import { loadTokens } from '../../src/server/tokens.ts'
import { runs } from '../support/property.ts'
import { once } from '../support/wait.ts'

const LIMIT = 1_048_576

async function startDoor(t: Test, more?: (app: FastifyInstance) => void) {
  const tokens = loadTokens({})
  const app = Fastify(httpServerOptions)
  const hosts = () => listAllowedHosts(app.addresses() as AddressInfo[], { allowed_hosts: [] })
  registerErrorHandlers(app, { maskValue: value => value })
  registerAuth(app, { tokens, hosts, origins: ['https://tools.example'], body_bytes: LIMIT })
  app.get('/health', { config: { open: true } }, async () => ({ ok: true }))
  app.get('/things', async ({ caller }) => ({ client: caller.client, rights: [...caller.rights] }))
  app.get('/things/:id', async () => ({}))
  app.post('/things', async ({ body }) => ({ body }))
  app.post('/decide', { config: { right: 'approve' } }, async () => ({}))
  more?.(app)
  t.teardown(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { app, port, url: `http://127.0.0.1:${port}`, ...tokens.current() }
}

/** Sends raw bytes and returns the whole response. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const answer: Buffer[] = []
  socket.on('data', chunk => {
    answer.push(chunk)
    const text = Buffer.concat(answer).toString('latin1')
    const length = /content-length: (\d+)/i.exec(text)?.[1]
    const head = text.indexOf('\r\n\r\n')
    if (/^HEAD/.test(bytes) ? head > 0 : head > 0 && length && text.length >= head + 4 + Number(length))
      socket.destroy()
  })
  socket.on('error', () => {})
  socket.write(bytes, 'latin1')
  await once(socket, 'close')
  return Buffer.concat(answer).toString('latin1')
}

t.test('answers every request of the table', async t => {
  const { port, token, call_token } = await startDoor(t)
  const cases = JSON.parse(await readFile(new URL('door-cases.json', import.meta.url), 'utf8'))
  for (const [name, template, expected] of cases as [string, string, number | 'closed'][]) {
    const bytes = template
      .replaceAll('{host}', `127.0.0.1:${port}`)
      .replaceAll('{port}', String(port))
      .replaceAll('{token}', token)
      .replaceAll('{call_token}', call_token)
      .replaceAll('{half}', token.slice(0, 20))
      .replaceAll('{a*20000}', 'a'.repeat(20_000))
      .replaceAll('|', '\r\n')
    const answer = await raw(port, bytes)
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
    t.equal(status === undefined ? 'closed' : Number(status), expected, name)
    t.notMatch(answer, /access-control-allow|set-cookie|x-powered-by/i, `${name}: no CORS, no cookie`)
    if (expected === 'closed' || expected === 200 || name === 'method: HEAD') continue
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    t.match(head, /content-type: application\/problem\+json/i, name)
    t.ok(body.length < 1_024, `${name}: small`)
    t.match(
      JSON.parse(body),
      { type: 'about:blank', title: String, status: expected, detail: String, code: String },
      name
    )
    t.notMatch(answer, new RegExp(`${token}|${call_token}|node_modules|at .*:\\d+:\\d+`), `${name}: tells nothing`)
  }
  t.match(await raw(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`), /^HTTP\/1\.1 200/, 'still there')
})

t.test('all token failures look alike', async t => {
  const { port, token } = await startDoor(t)
  const refusal = async (authorization: string) =>
    (await raw(port, `GET /things HTTP/1.1\r\nHost: localhost:${port}\r\n${authorization}\r\n`)).replace(
      /^date:.*$|"request_id":"[\w-]+"/gim,
      ''
    )
  const answers = await Promise.all([
    refusal(''),
    refusal('Authorization: Bearer wrong\r\n'),
    refusal(`Authorization: Bearer ${token.slice(1)}\r\n`),
    refusal('Authorization: Bearer \u00fc\r\n')
  ])
  t.equal(new Set(answers).size, 1)
  t.match(answers[0], /^HTTP\/1\.1 401[\s\S]*www-authenticate: Bearer\r\n/i)
})

t.test('the caller has a sanitized name and its rights', async t => {
  const { url, token, call_token } = await startDoor(t)
  const ask = async (token: string, headers: Record<string, string>) =>
    (await fetch(`${url}/things`, { headers: { authorization: `Bearer ${token}`, ...headers } })).json()
  t.same(await ask(token, { 'x-toolgate-client': 'my editor' }), { client: 'my editor', rights: ['call', 'approve'] })
  t.same(await ask(call_token, { 'user-agent': 'curl/8.1 (x)' }), { client: 'curl/8.1', rights: ['call'] })
  t.same(await ask(call_token, { 'x-toolgate-client': `\u00e4${'b'.repeat(90)}` }), {
    client: 'b'.repeat(64),
    rights: ['call']
  })
  t.same(await ask(call_token, { 'user-agent': '' }), { client: 'unknown', rights: ['call'] })
})

t.test('rejects invalid bodies, with the reason', async t => {
  const { url, token } = await startDoor(t)
  const post = async (body: string | Buffer<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/things`, { method: 'POST', headers, body })
    const { detail, code, body: echoed } = (await response.json()) as Record<string, unknown>
    return response.status === 200 ? echoed : [response.status, code, detail]
  }
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const wide = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i])))
  const invalid = (detail: string) => [400, 'INVALID_PARAMS', detail]

  t.same(await post('{"a":[1,{"b":null}],"c":"\\u00e4:{\\"}"}'), { a: [1, { b: null }], c: 'ä:{"}' })
  t.same(await post(deep(64)), JSON.parse(deep(64)))
  t.same(Object.keys((await post(wide(10_000))) as object).length, 10_000)
  t.same(await post(deep(65)), invalid('The body is nested more than 64 levels deep.'))
  t.same(await post('{"a":'.repeat(20_000)), invalid('The body is nested more than 64 levels deep.'))
  t.same(await post(wide(10_001)), invalid('The body has more than 10000 keys.'))
  t.same(await post('{"a":1,"a":2}'), invalid('The body has an object with a duplicate key.'))
  t.same(await post('{"a":{"b":1,"c":[{"\\u0062":1,"b":2}]}}'), invalid('The body has an object with a duplicate key.'))
  t.same(await post('{"__proto__":{}}'), invalid('The body has the key __proto__, which is not allowed.'))
  t.same(await post('[{"x":{"\\u005f_proto__":1}}]'), invalid('The body has the key __proto__, which is not allowed.'))
  t.same(
    await post('{"constructor":{"prototype":{}}}'),
    invalid('The body has the key constructor, which is not allowed.')
  )
  t.same(await post('{"constructor":"Ford"}'), { constructor: 'Ford' })
  t.same(await post('{}x'), invalid('The body is not valid JSON: see position 2 (line 1 column 3).'))
  t.same(await post('{"a":'), invalid('The body is not valid JSON: unexpected end.'))
  t.same(await post('{"a":"\\ud800"}'), invalid('The body has an unpaired surrogate in a string.'))
  t.same(
    await post('[1e999]'),
    invalid('/0 cannot be represented exactly as a number: 1e999. Send the number as a string.')
  )
  t.same(await post(Buffer.from('{"a":"\xe4"}', 'latin1')), invalid('The body is not UTF-8.'))
  t.same(await post(Buffer.from('{"a":"\xc0\xaf"}', 'latin1')), invalid('The body is not UTF-8.'))
  t.match(await post('\ufeff{}'), [400, 'INVALID_PARAMS', /not valid JSON/])
  t.match(await post('NaN'), [400, 'INVALID_PARAMS', /not valid JSON/])
  t.same(await post(JSON.stringify('a'.repeat(LIMIT))), [
    413,
    'TOO_LARGE',
    'The body is larger than `limits.body_bytes`. Send the content of a large file with PUT /files/{path}.'
  ])
})

t.test('parses all output of JSON.stringify, except forbidden keys', async t => {
  const taken = fc.jsonValue({ maxDepth: 6, stringUnit: 'grapheme' }).filter(value => {
    let reaches = false
    JSON.stringify(value, (key, item) => {
      reaches ||= key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(item), 'prototype'))
      return item
    })
    return !reaches
  })
  fc.assert(
    fc.property(taken, value => {
      t.strictSame(JSON.stringify(parseJsonBody(Buffer.from(JSON.stringify(value)))), JSON.stringify(value))
    }),
    runs(200)
  )
})

t.test('a server with an unprotected route does not start', async t => {
  const make = () => {
    const app = Fastify(httpServerOptions)
    t.teardown(() => app.close())
    return app
  }
  const options = { tokens: loadTokens({}), hosts: () => [], origins: [], body_bytes: LIMIT }

  const opened = make()
  registerAuth(opened, options)
  opened.get('/metrics', { config: { open: true } }, async () => '')
  await t.rejects(async () => void (await opened.ready()), {
    message: 'Some requests would not be authenticated: the route /metrics requires no token.'
  })

  const second = make()
  second.addHook('onRequest', async () => {})
  registerAuth(second, options)
  second.get('/late', async () => '')
  await t.rejects(async () => void (await second.ready()), {
    message: 'Some requests would not be authenticated: the route /late (GET) does not check the token.'
  })

  const child = make()
  await child.register(async scope => {
    scope.addHook('onRequest', async () => {})
    child.decorate('earlier', scope)
  })
  registerAuth(child, options)
  child.get('/calls', async () => '')
  child.getDecorator<typeof child>('earlier').post('/calls', async () => '')
  await t.rejects(async () => void (await child.ready()), {
    message: 'Some requests would not be authenticated: the route /calls (POST) does not check the token.'
  })

  const socket = make()
  registerAuth(socket, options)
  socket.server.on('upgrade', () => {})
  await t.rejects(async () => void (await socket.ready()), {
    message: 'Some requests would not be authenticated: another listener handles the event "upgrade".'
  })
})

t.test('reports errors of the server and of params as problem documents', async t => {
  const schema = {
    body: { type: 'object', required: ['a'], properties: { a: { enum: ['x', 'y'] } }, additionalProperties: false },
    querystring: { type: 'object', properties: { limit: { type: 'integer', maximum: 9 } } }
  }
  const { url, token } = await startDoor(t, app => {
    app.get('/broken', async () => {
      throw new Error('secret of /home/somebody')
    })
    app.post('/checked', { schema }, async () => ({}))
  })
  const ask = async (path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' })
    }
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(url + path, init)
    return response.json()
  }
  t.same(await ask('/broken'), {
    type: 'about:blank',
    title: 'Internal error of the server. Its log contains the cause.',
    status: 500,
    detail: 'Internal error of the server. Its log contains the cause.',
    code: 'INTERNAL',
    recoverable: false,
    request_id: 'req-1'
  })
  t.match(await ask('/checked', {}), {
    code: 'INVALID_PARAMS',
    detail: '/a is required.',
    errors: [{ pointer: '/a', message: 'is required' }]
  })
  t.match(await ask('/checked', { a: 'z' }), {
    errors: [{ pointer: '/a', message: 'must be one of "x", "y"' }]
  })
  t.match(await ask('/checked?limit=10', { a: 'x' }), {
    errors: [{ pointer: '/limit', message: 'must be <= 9', in: 'query' }]
  })
})
