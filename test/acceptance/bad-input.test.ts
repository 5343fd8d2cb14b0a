// Tests of bad input of every kind: the documented code, one small document, and no side effects.
// tier: full
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { ERRORS, type ErrorCode } from '../../src/protocol/error-codes.ts'
import {
  type CurlResponse,
  connectWithCurl,
  createGitProject,
  createLargeRepository,
  JSON_TYPE,
  type Json,
  type Server
} from './fixture.ts'

const READ = { tool: 'read_file', params: { path: 'a.txt' } }
/** A raw body, sent as JSON. */
const json = (body: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body
})
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

interface Refusal {
  what: string
  code: ErrorCode
  send(server: Server): Promise<CurlResponse>
  /** The HTTP status, if not the default of the code. */
  status?: number
  pointers?: string[]
}

const post = (body: unknown) => (server: Server) => server.post('/calls', body)
const get = (target: string) => (server: Server) => server.raw(target)
const rawPost = (body: string, headers?: Record<string, string>) => (server: Server) =>
  server.raw('/calls', json(body, headers))
const asAgent = (method: string, target: string, body?: unknown) => (server: Server) =>
  server.send(method, target, body, { token: server.call_token })

const REFUSALS: Refusal[] = [
  // Authentication.
  { what: 'no token', code: 'UNAUTHORIZED', send: server => server.raw('/tools', { token: undefined }) },
  {
    what: 'a wrong token',
    code: 'UNAUTHORIZED',
    send: server => server.raw('/tools', { token: 'x'.repeat(43) })
  },
  {
    what: 'a token in the query',
    code: 'UNAUTHORIZED',
    send: server => server.raw(`/tools?token=${server.token}`, { token: undefined })
  },
  {
    what: 'no such route, no token',
    code: 'UNAUTHORIZED',
    send: server => server.raw('/nothing', { token: undefined })
  },
  { what: 'no such route', code: 'NOT_FOUND', send: get('/nothing') },
  { what: 'a method that the route lacks', code: 'NOT_FOUND', send: server => server.send('DELETE', '/calls') },
  {
    what: 'a foreign host',
    code: 'FORBIDDEN',
    send: server => server.raw('/tools', { headers: { host: 'evil.example' } })
  },
  {
    what: 'a web page',
    code: 'FORBIDDEN',
    send: server => server.raw('/tools', { headers: { origin: 'https://evil.example' } })
  },
  {
    what: 'another site',
    code: 'FORBIDDEN',
    send: server => server.raw('/tools', { headers: { 'sec-fetch-site': 'cross-site' } })
  },
  {
    what: 'a header twice',
    code: 'INVALID_PARAMS',
    send: server => server.raw('/tools', { headers: { accept: ['*/*', 'text/html'] } })
  },
  {
    what: 'a target that is no path',
    code: 'INVALID_PARAMS',
    send: server => server.raw('/tools', { target: `${server.url}/tools` })
  },
  { what: 'a broken escape in the path', code: 'INVALID_PARAMS', send: get('/calls/%zz') },
  // Authorization.
  { what: 'an agent that approves', code: 'FORBIDDEN', send: asAgent('POST', '/approve', { tool_call_id: 'tc_1' }) },
  {
    what: 'an agent that makes a rule',
    code: 'FORBIDDEN',
    send: asAgent('POST', '/rules', { effect: 'allow', match: { tool: '*' }, scope: 'user' })
  },
  // Bodies.
  {
    what: 'no JSON type',
    code: 'INVALID_PARAMS',
    send: server =>
      server.raw('/calls', json(JSON.stringify(READ), { 'content-type': 'application/x-www-form-urlencoded' }))
  },
  {
    what: 'a type that only resembles JSON',
    code: 'INVALID_PARAMS',
    send: server => server.raw('/calls', json(JSON.stringify(READ), { 'content-type': 'application/jsonp' }))
  },
  { what: 'packed', code: 'INVALID_PARAMS', send: rawPost(JSON.stringify(READ), { 'content-encoding': 'gzip' }) },
  { what: 'no body', code: 'INVALID_PARAMS', send: server => server.send('POST', '/calls') },
  { what: 'half a body', code: 'INVALID_PARAMS', send: rawPost('{"tool":"read_file",') },
  { what: 'no object', code: 'INVALID_PARAMS', send: rawPost('[]') },
  {
    what: 'a key twice',
    code: 'INVALID_PARAMS',
    send: rawPost('{"tool":"read_file","params":{"path":"a.txt","path":"b.txt"}}')
  },
  { what: 'a deep body', code: 'INVALID_PARAMS', send: rawPost(nested(65)) },
  { what: 'a prototype', code: 'INVALID_PARAMS', send: rawPost('{"__proto__":{"tool":"read_file"}}') },
  { what: 'half a character', code: 'INVALID_PARAMS', send: rawPost('{"tool":"\\ud800","params":{}}') },
  // Calls.
  {
    what: 'fields missing and unknown',
    code: 'INVALID_PARAMS',
    send: post({ tool: 'read_file', parms: {} }),
    pointers: ['/parms']
  },
  { what: 'a tool that is none', code: 'UNKNOWN_TOOL', send: post({ tool: 'format_disk', params: {} }) },
  { what: 'a tool named like a property', code: 'UNKNOWN_TOOL', send: post({ tool: 'constructor', params: {} }) },
  {
    what: 'params missing, unknown and of the wrong type',
    code: 'INVALID_PARAMS',
    send: post({ tool: 'grep', params: { limit: '5', patern: 'x' } }),
    pointers: ['/params/pattern', '/params/patern', '/params/limit']
  },
  { what: 'a workspace that is none', code: 'INVALID_PARAMS', send: post({ ...READ, workspace: 'other' }) },
  { what: 'an empty session', code: 'INVALID_PARAMS', send: post({ ...READ, session_id: '' }) },
  { what: 'no time at all', code: 'INVALID_PARAMS', send: post({ ...READ, timeout_ms: 0 }) },
  { what: 'an id of their own making', code: 'INVALID_PARAMS', send: post({ ...READ, tool_call_id: 'tc_mine' }) },
  {
    what: 'bad params in a dry run',
    code: 'INVALID_PARAMS',
    send: post({ tool: 'edit_file', params: { path: 'a.txt' }, dry_run: true })
  },
  {
    what: 'a wait that is too long',
    code: 'INVALID_PARAMS',
    send: server => server.post('/calls?wait_ms=600001', READ)
  },
  { what: 'a query that is unknown', code: 'INVALID_PARAMS', send: server => server.post('/calls?wait=1', READ) },
  { what: 'an empty batch', code: 'INVALID_PARAMS', send: server => server.post('/calls/batch', { calls: [] }) },
  {
    what: 'too large a batch',
    code: 'INVALID_PARAMS',
    send: server => server.post('/calls/batch', { calls: Array(101).fill(READ) })
  },
  // Lookups.
  { what: 'no such call', code: 'NOT_FOUND', send: get('/calls/tc_01JZZZZZZZZZZZZZZZZZZZZZZZ') },
  { what: 'output of no such call', code: 'NOT_FOUND', send: get('/calls/tc_01JZZZZZZZZZZZZZZZZZZZZZZZ/output') },
  { what: 'a page of nothing', code: 'INVALID_PARAMS', send: get('/calls?limit=0') },
  { what: 'a status that is none', code: 'INVALID_PARAMS', send: get('/calls?status=done') },
  { what: 'a cursor that is none', code: 'INVALID_PARAMS', send: get('/calls?cursor=x') },
  { what: 'a time that is none', code: 'INVALID_PARAMS', send: get('/calls?since=yesterday') },
  { what: 'a tool to look at that is none', code: 'UNKNOWN_TOOL', send: get('/tools/format_disk') },
  { what: 'a dialect that is none', code: 'INVALID_PARAMS', send: get('/tools?format=yaml') },
  { what: 'an event type that is none', code: 'INVALID_PARAMS', send: get('/events?types=tool.call,tool.none') },
  { what: 'a place before the first', code: 'INVALID_PARAMS', send: get('/events?after=-1') },
  {
    what: 'a last id that is no number',
    code: 'INVALID_PARAMS',
    send: server => server.raw('/events', { headers: { 'last-event-id': 'last' } })
  },
  // Decisions.
  {
    what: 'a decision about nothing',
    code: 'NOT_FOUND',
    send: server => server.post('/approve', { tool_call_id: 'tc_01JZZZZZZZZZZZZZZZZZZZZZZZ' })
  },
  { what: 'a decision about nobody', code: 'INVALID_PARAMS', send: server => server.post('/reject', {}) },
  {
    what: 'a digest that is none',
    code: 'INVALID_PARAMS',
    send: server => server.post('/approve', { tool_call_id: 'tc_1', digest: 'abc' }),
    pointers: ['/digest']
  },
  {
    what: 'a rule that holds for everything',
    code: 'INVALID_PARAMS',
    send: server => server.post('/rules', { effect: 'allow', match: {}, scope: 'user' })
  },
  {
    what: 'a rule that matches by an unknown field',
    code: 'INVALID_PARAMS',
    send: server => server.post('/rules', { effect: 'allow', match: { name: 'x' }, scope: 'user' })
  },
  { what: 'no such rule', code: 'NOT_FOUND', send: server => server.send('DELETE', '/rules/rule_none') },
  {
    what: 'an explanation of no tool',
    code: 'UNKNOWN_TOOL',
    send: server => server.post('/policy/explain', { tool: 'format_disk', params: {} })
  }
]

t.test('rejected requests leave no trace', async t => {
  const at = createLargeRepository(t, { 'a.txt': 'a\n' })
  const server = connectWithCurl(await at.serve())
  const before = hashOfTree(at.project)

  for (const { what, code, send, pointers } of REFUSALS) {
    const { status, type, body } = await send(server)
    t.match({ status, type, code: body.code, title: body.title }, refusal(code), what)
    if (pointers) t.same(body.errors.map(({ pointer }: Json) => pointer).sort(), pointers.toSorted(), what)
    checkDocument(t, body, at.folder)
  }

  const large = JSON.stringify({ tool: 'write_file', params: { path: 'new', content: 'x'.repeat(1_048_576) } })
  const refused = await server.raw('/calls', json(large))
  t.match(refused, { status: 413, body: { code: 'TOO_LARGE' } })

  const accept = await server.raw('/events', { headers: { accept: 'text/html' } })
  t.match(accept, { status: 400, body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/accept', in: 'header' }] } })

  t.match(await server.get('/state'), { head: 0, pending: [], running: [] })
  t.same(await server.get('/calls'), { calls: [], cursor: null })
  t.equal(hashOfTree(at.project), before)
})

t.test('rejects an idempotency key used for another request', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const server = connectWithCurl(await at.serve())
  const key = { headers: { 'idempotency-key': 'one' } }
  const first = await server.post('/calls', READ, key)
  t.match(await server.post('/calls', READ, key), { status: 200, body: { tool_call_id: first.body.tool_call_id } })
  const other = await server.post('/calls', { tool: 'read_file', params: { path: 'b.txt' } }, key)
  t.match(other, { status: 409, body: { code: 'CONFLICT' } })
  t.equal((await server.get('/calls')).calls.length, 1)
})

interface Failure {
  what: string
  code: ErrorCode
  tool: string
  params: object
}

/** Accepted calls that fail: they are in the log and have changed nothing. */
const FAILURES: Failure[] = [
  { what: 'out of the workspace', code: 'INVALID_PATH', tool: 'read_file', params: { path: '../secret' } },
  { what: 'an absolute path elsewhere', code: 'INVALID_PATH', tool: 'read_file', params: { path: '/etc/passwd' } },
  { what: 'a link out', code: 'INVALID_PATH', tool: 'read_file', params: { path: 'out/passwd' } },
  { what: 'a null character', code: 'INVALID_PATH', tool: 'read_file', params: { path: 'a.txt\0b' } },
  {
    what: "git's own",
    code: 'SENSITIVE_PATH',
    tool: 'write_file',
    params: { path: '.git/hooks/pre-commit', content: '' }
  },
  { what: 'nothing there', code: 'FILE_NOT_FOUND', tool: 'read_file', params: { path: 'nothing' } },
  {
    what: 'nothing to edit',
    code: 'FILE_NOT_FOUND',
    tool: 'edit_file',
    params: { path: 'nothing', old: 'a', new: 'b' }
  },
  { what: 'a folder', code: 'NOT_A_FILE', tool: 'read_file', params: { path: 'src' } },
  { what: 'no folder', code: 'NOT_A_DIRECTORY', tool: 'list_directory', params: { path: 'a.txt' } },
  { what: 'bytes', code: 'BINARY_FILE', tool: 'read_file', params: { path: 'bytes' } },
  {
    what: 'something in the way',
    code: 'FILE_EXISTS',
    tool: 'copy_file',
    params: { source: 'a.txt', dest: 'twice.txt' }
  },
  {
    what: 'text that is not there',
    code: 'OLD_TEXT_NOT_FOUND',
    tool: 'edit_file',
    params: { path: 'a.txt', old: 'something else entirely', new: 'b' }
  },
  {
    what: 'text that is there twice',
    code: 'AMBIGUOUS_MATCH',
    tool: 'edit_file',
    params: { path: 'twice.txt', old: 'same', new: 'b' }
  },
  {
    what: 'a file that changed',
    code: 'STALE_FILE',
    tool: 'write_file',
    params: { path: 'a.txt', content: 'b', if_match: `sha256:${'0'.repeat(64)}` }
  },
  { what: 'a pattern that is none', code: 'INVALID_PARAMS', tool: 'grep', params: { pattern: '(' } },
  { what: 'the end of the machine', code: 'COMMAND_BLOCKED', tool: 'shell_exec', params: { command: 'rm -rf /' } }
]

t.test('a call that cannot be done ends with its code and changes nothing', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n', 'twice.txt': 'same\nother\nsame\n', bytes: 'a\0b', 'src/b.txt': '' })
  writeFileSync(path.join(at.folder, 'secret'), 'secret')
  symlinkSync('/etc', path.join(at.project, 'out'))
  const server = connectWithCurl(await at.serve())
  const before = hashOfTree(at.project)

  for (const { what, code, tool, params } of FAILURES) {
    const { status, body } = await server.call(tool, params)
    t.match(
      { status, call: body.status, code: body.error?.code, recoverable: body.error?.recoverable },
      { status: 200, call: 'error', code, recoverable: ERRORS[code].recoverable },
      what
    )
    checkDocument(t, body.error ?? body, at.folder)
  }
  const { calls } = await server.get('/calls?status=error')
  t.equal(calls.length, FAILURES.length)
  t.same((await server.get('/approvals')).approvals, [])
  t.equal(hashOfTree(at.project), before)
})

const refusal = (code: ErrorCode) => ({
  status: ERRORS[code].status,
  type: /^application\/problem\+json/,
  code,
  title: ERRORS[code].description
})

/** Checks that the document is small and reveals nothing outside the workspace or inside the server. */
function checkDocument(t: Test, body: Json, folder: string) {
  const document = JSON.stringify(body)
  t.ok(document.length < 1_500, 'it is small')
  t.notMatch(document, folder)
  t.notMatch(document, /node_modules|\.js:\d|\bat .+:\d+:\d+/)
}

function hashOfTree(root: string): string {
  const hash = createHash('sha256')
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file))
  return hash.digest('hex')
}
