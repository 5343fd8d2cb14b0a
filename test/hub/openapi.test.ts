// Tests of openapi-hub.yaml: a real hub answers each operation as the document says, without fields that it does not describe.
// tier: full
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import t from 'tap'
import { parse } from 'yaml'
import { renderReference } from '../../scripts/reference/render-reference.ts'
import type { Json } from '../start-app.ts'
import { openEmbedded } from './embedded-database.ts'
import { answeredDecision, caughtUp, enroll, eventsOf, startHub, startServer } from './start-hub.ts'

const TEXT = readFileSync('openapi-hub.yaml', 'utf8')
const DOCUMENT: Json = parse(TEXT)
const ajv = formats.default(new Ajv2020({ strict: false, validateSchema: false, logger: false }))
ajv.addSchema(closeObjects(DOCUMENT), 'hub')

/** Allows no other fields than those that are described. Events of servers have more. */
function closeObjects(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closeObjects(inner)]))
  return value.type === 'object' && value.properties ? { additionalProperties: false, ...copy } : copy
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns how an answer breaks the document; undefined if it does not. */
function findError(method: string, path: string, status: number, body: unknown): string | undefined {
  const responses = DOCUMENT.paths[path][method.toLowerCase()].responses
  const name = String(status) in responses ? String(status) : 'default'
  if (name === 'default' && status < 400) return `The status ${status} is not described.`
  const { $ref, content } = responses[name]
  const place = $ref?.slice(1) ?? `/paths/${escapePointer(path)}/${method.toLowerCase()}/responses/${name}`
  const described = content ?? DOCUMENT.components.responses[place.split('/').at(-1)!]?.content
  if (!described) return body === undefined ? undefined : 'The answer has no content.'
  const [type] = Object.keys(described)
  const validate = ajv.compile({ $ref: `hub#${place}/content/${escapePointer(type!)}/schema` })
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}

t.test('a hub answers as the document says', async t => {
  const hub = await startHub(t, await openEmbedded())
  const asked = new Set<string>()
  const ask = async (method: string, path: string, { params = {}, query = '', body, status, token }: Json) => {
    const target = Object.entries(params as Record<string, string>).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
      path
    )
    const answer = await hub.request(method, target + query, body, token)
    const { operationId } = DOCUMENT.paths[path][method.toLowerCase()]
    t.equal(answer.status, status, `${operationId} ${query}: ${JSON.stringify(answer.body)?.slice(0, 300)}`)
    t.equal(findError(method, path, answer.status, answer.body), undefined, `${operationId}, ${status}`)
    if (status < 400) asked.add(operationId)
    return answer.body
  }
  await ask('GET', '/health', { status: 200 })
  await ask('GET', '/servers', { status: 200 })
  await ask('GET', '/rules', { status: 200 })
  await ask('GET', '/rules/versions', { status: 200 })
  const server = await startServer(t, hub, 'desk')
  await enroll(hub, 'quiet')
  const { server_id } = server
  server.write('a.txt', 'one\n')
  const read = await server.call('read_file', { path: 'a.txt' })
  const [first, second, third] = await Promise.all(
    ['b', 'c', 'd'].map(name => server.call('shell_exec', { command: `touch ${name}.txt` }))
  )
  await caughtUp(server)
  await ask('GET', '/approvals', { status: 200 })
  const decide = ({ tool_call_id, approval }: Json) => ({ server_id, tool_call_id, digest: approval.digest })
  const { decision_id } = await ask('POST', '/approve', { body: decide(first), status: 202 })
  await ask('POST', '/reject', { body: { ...decide(second), reason: 'no' }, status: 202 })
  await ask('POST', '/cancel', { body: { server_id, tool_call_id: third!.tool_call_id }, status: 202 })
  await ask('POST', '/approve', { body: { ...decide(first), digest: '0'.repeat(64) }, status: 409 })
  await ask('POST', '/approve', { body: {}, status: 400 })
  await answeredDecision(hub, decision_id)
  await ask('GET', '/decisions/{decision_id}', { params: { decision_id }, status: 200 })
  await ask('GET', '/decisions/{decision_id}', { params: { decision_id: 999 }, status: 404 })
  await caughtUp(server)
  await ask('GET', '/calls', { status: 200 })
  await ask('GET', '/calls', { query: '?limit=2&decided_by=Ada', status: 200 })
  await ask('GET', '/calls', { query: '?limit=0', status: 400 })
  const path = '/servers/{server_id}/calls/{tool_call_id}'
  await ask('GET', path, { params: { server_id, tool_call_id: read.tool_call_id }, status: 200 })
  await ask('GET', path, { params: { server_id, tool_call_id: 'none' }, status: 404 })
  await server.close()
  const rules = [{ effect: 'deny', match: { tool: 'git_push' } }]
  await ask('PUT', '/rules', { body: { rules, replaces: null }, status: 200 })
  await ask('PUT', '/rules', { body: { rules, replaces: null }, status: 409 })
  await ask('PUT', '/rules', { body: { rules: [{ effect: 'deny' }], replaces: null }, status: 400 })
  await ask('GET', '/rules', { status: 200 })
  await ask('GET', '/rules/versions', { status: 200 })
  await hub.request('PUT', '/uplink/rules', { version: null, refused: { version: 7, reason: 'x' } }, server.token)
  await ask('GET', '/servers', { status: 200 })
  await ask('POST', '/enrolments', { body: { name: 'new' }, status: 201 })
  const { token } = await ask('POST', '/accounts', { body: { name: 'Vera', role: 'viewer' }, status: 201 })
  await ask('POST', '/accounts', { body: { name: 'Vera', role: 'viewer' }, status: 409 })
  await ask('GET', '/accounts', { status: 200 })
  await ask('GET', '/accounts', { token, status: 403 })
  await ask('GET', '/session', { token, status: 200 })
  await ask('POST', '/session', { body: { token }, status: 201 })
  await ask('POST', '/session', { body: { token: 'none' }, status: 401 })
  await ask('DELETE', '/session', { token, status: 204 })
  await ask('DELETE', '/accounts/{name}', { params: { name: 'Vera' }, status: 204 })
  await ask('GET', '/accounts', { token, status: 401 })
  await ask('DELETE', '/servers/{server_id}', { params: { server_id }, status: 204 })
  await ask('GET', '/servers', { status: 200 })
  const [event] = await eventsOf(hub, server_id, 1)
  const { id: _, ...frame } = event!
  const validate = ajv.compile({ ...DOCUMENT.components.schemas.HubEvent })
  t.ok(validate(frame), ajv.errorsText(validate.errors))
  asked.add('followEvents')
  const redirect = await fetch(`${hub.url}/sign-in`, { redirect: 'manual' })
  t.equal(redirect.status, 303)
  asked.add('beginSignIn')

  const described = Object.values(DOCUMENT.paths as Json).flatMap((methods: Json) =>
    Object.values(methods).map(({ operationId }: Json) => operationId)
  )
  t.strictSame([...asked].sort(), described.sort(), 'each operation was asked')
  const docs = await fetch(`${hub.url}/docs`)
  t.equal(docs.status, 200, 'without a token')
  t.match(await docs.text(), /Toolgate hub API reference/)
})

t.test('the reference has all operations and schemas once', async t => {
  const page = renderReference(TEXT)
  const places = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!)
  for (const id of Object.keys(DOCUMENT.components.schemas)) t.equal(places.filter(place => place === id).length, 1, id)
  t.strictSame(
    links.filter(link => !places.includes(link)),
    []
  )
})
