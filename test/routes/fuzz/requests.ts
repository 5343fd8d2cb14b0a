// Requests made from the schemas of openapi.yaml: valid ones, and the same with one to three changes at any place.
import fc, { type Arbitrary } from 'fast-check'
import { TOOLS as AVAILABLE_TOOLS } from '../../../src/tools/index.ts'
import { DOCUMENT, ROUTES, type Route, type Schema } from '../../support/openapi.ts'

export type Sender = 'approver' | 'caller' | 'stranger'

export interface FuzzRequest {
  route: Route
  sender: Sender
  parts: { path: Record<string, unknown>; query: Record<string, unknown>; header: Record<string, unknown> }
  body?: unknown
  /** Sent instead of the JSON of the body. */
  raw?: string
  content_type: string
  accept?: string
  /** Appended to the path, after its parameters. */
  suffix: string
}

/** Ids that the test gives to its calls, in every state. */
export const CALL_IDS = Array.from({ length: 8 }, (_, i) => `tc_01HZZZZZZZZZZZZZZZZZZZZZ${i}A`)
const UNKNOWN_ID = 'tc_01HZZZZZZZZZZZZZZZZZZZZZZZ'

/**
 * Tools that are called: they read, or change files of the workspace. The others start programs of the machine or reach the network,
 * but for commands, which are none but COMMANDS.
 */
const TOOL_NAMES = [
  ...['read_file', 'write_file', 'edit_file', 'multi_edit', 'apply_patch', 'delete_file', 'move_file', 'copy_file'],
  'edit_notebook_cell',
  ...['create_directory', 'list_directory', 'undo', 'glob', 'grep', 'search_code', 'search_files', 'shell_exec'],
  ...['shell_background', 'list_background_tasks', 'get_background_task', 'send_input', 'stop_background_task'],
  ...['git_status', 'git_log', 'git_diff', 'git_show', 'git_branch', 'git_blame', 'todo_write', 'todo_read'],
  ...['editor_open', 'editor_diagnostics', 'editor_show_diff', 'web_fetch', 'no_such_tool']
]
const COMMANDS = ['true', 'echo a', 'cat a.txt', 'false', 'echo b > b.txt', 'printf "%s" "$HOME"', 'no-such-program']
const PATHS = [
  'a.txt',
  'src/b.txt',
  'src',
  '.',
  'new/c.txt',
  'missing.txt',
  '.env',
  '.git/config',
  '../outside',
  'é .txt'
]

/** Stand for ids that the server gives: what they are is known once it runs. */
export const PLACEHOLDERS = { rule: '@rule', token: '@token', session: '@session' } as const

const oneOf = (...values: unknown[]) => fc.constantFrom(...values)
const ids = oneOf(...CALL_IDS, UNKNOWN_ID)

/** Values of parameters and fields by name, where random ones would rarely mean anything, or take time. */
const BY_NAME: Record<string, Arbitrary<unknown>> = {
  id: ids,
  tool_call_id: ids,
  task_id: ids,
  stepId: ids,
  path: oneOf(...PATHS),
  paths: fc.array(oneOf(...PATHS), { maxLength: 3 }),
  from: oneOf(...PATHS),
  to: oneOf(...PATHS),
  source: oneOf(...PATHS),
  dest: oneOf(...PATHS),
  cwd: oneOf('.', 'src', 'missing'),
  tool: oneOf(...TOOL_NAMES),
  tools: fc.array(oneOf(...TOOL_NAMES), { maxLength: 3 }),
  command: oneOf(...COMMANDS),
  url: oneOf('http://127.0.0.1:1/', 'file:///etc/passwd', 'http://[::1', 'x'),
  session_id: oneOf('s', 'default', 'other'),
  workspace: oneOf(...Array(8).fill('default'), 'elsewhere'),
  toolset: oneOf(...Array(6).fill('native'), 'opencode', 'codey', 'synapsis', 'emacs-agent', 'workspace', 'unknown'),
  agent: oneOf('reader', 'nobody'),
  wait_ms: fc.nat(20),
  timeout_ms: fc.integer({ min: 1, max: 2_000 }),
  cursor: oneOf('1', '5', 'x', '-1', '99999999999999999999'),
  after: oneOf(0, 1, 1_000_000),
  'last-event-id': oneOf('0', '3', 'x', '1000000'),
  offset: oneOf(0, 1, 1_000, 2 ** 53),
  range: oneOf('bytes=0-0', 'bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-1,3-4', 'lines=1-2'),
  'mcp-session-id': oneOf(PLACEHOLDERS.session, PLACEHOLDERS.session, 'x'),
  'mcp-protocol-version': oneOf('2025-06-18', '2025-03-26', '2026-01-01', 'x'),
  'if-match': oneOf('*', '"x"', 'W/"x"', 'x'),
  'if-none-match': oneOf('*', '"x"', 'W/"x"', 'x'),
  port: oneOf(1, 80, 65_535),
  file: oneOf('0', '1', '99'),
  side: oneOf('before', 'after'),
  name: oneOf('main', 'read_file', 'x'),
  lease_ms: oneOf(1_000, 2_000),
  types: oneOf('tool.call', 'tool.call,tool.result', 'x'),
  effects: oneOf('editor.open', 'editor.open,editor.diff', 'x')
}

const BY_PATH: Record<string, Arbitrary<unknown>> = {
  '/rules/{id} id': oneOf(PLACEHOLDERS.rule, 'x'),
  '/tokens/{id} id': oneOf(PLACEHOLDERS.token, 'x')
}

/** Values of bodies of operations whose schemas are elsewhere: MCP messages. */
const MCP_MESSAGE = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id: oneOf(1, 'a', null, 1.5),
    method: oneOf('initialize', 'ping', 'tools/list', 'tools/call', 'notifications/cancelled', 'resources/list', 'x'),
    params: oneOf(
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'no_such_tool' },
      { requestId: 1 },
      { cursor: 'x' },
      {}
    )
  },
  { requiredKeys: ['jsonrpc', 'method'] }
)
const BY_OPERATION: Record<string, Arbitrary<unknown>> = {
  sendMcp: fc.oneof(MCP_MESSAGE, fc.array(MCP_MESSAGE, { maxLength: 3 }))
}

/** Returns an arbitrary of valid values of a schema. */
function valid(schema: Schema, name: string, depth = 0): Arbitrary<unknown> {
  const known = BY_NAME[name]
  if (known && depth < 9) return known
  if (schema.$ref) return valid(DOCUMENT.components.schemas[schema.$ref.split('/').at(-1)!]!, name, depth + 1)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return oneOf(...schema.enum)
  const union = schema.anyOf ?? schema.oneOf
  if (union) return fc.oneof(...union.map((each: Schema) => valid(each, name, depth + 1)))
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return validObject(schema, depth)
    case 'array': {
      const [minLength, maxLength] = [schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)]
      const item = valid(schema.items ?? {}, name.replace(/s$/, ''), depth + 1)
      return schema.uniqueItems
        ? fc.uniqueArray(item, { minLength, maxLength, comparator: 'SameValueZero' })
        : fc.array(item, { minLength, maxLength })
    }
    case 'integer':
    case 'number':
      return fc.integer({
        min: schema.minimum ?? schema.exclusiveMinimum ?? -10,
        max: Math.min(schema.maximum ?? 2 ** 31 - 1, 2 ** 31 - 1)
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return validString(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function validObject(schema: Schema, depth: number): Arbitrary<unknown> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  if (isCallRequest(schema)) return fc.oneof(...TOOLS.map(({ name, input }) => callOf(schema, name, input, depth)))
  if (fields.length === 0 || depth > 8)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  return validFields(schema, depth)
}

const validFields = ({ properties, required = [] }: Schema, depth: number) =>
  fc.record(
    Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, valid(each, name, depth + 1)])),
    { requiredKeys: required }
  ) as Arbitrary<object>

const TOOLS = AVAILABLE_TOOLS.filter(({ name }) => TOOL_NAMES.includes(name))

const isCallRequest = ({ properties, required }: Schema) =>
  properties?.params !== undefined && required?.includes('tool')

/** Returns an arbitrary of calls of a tool. Only few have an id, which is mostly that of another call. */
const callOf = (schema: Schema, tool: string, input: Schema, depth: number): Arbitrary<unknown> => {
  const { tool: _, params: __, tool_call_id, ...others } = schema.properties ?? {}
  const own = { type: 'object', properties: { ...others, params: input }, required: ['params'] }
  return fc
    .record({
      call: validFields(own, depth),
      id: fc.oneof(
        { weight: 8, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record({ tool_call_id: ids }) }
      )
    })
    .map(({ call, id }) => ({ tool, ...call, ...(tool_call_id && id) }))
}

function validString({ format, pattern, minLength = 0, maxLength = 64 }: Schema): Arbitrary<string> {
  if (pattern) return fc.stringMatching(new RegExp(pattern), { maxLength: 100 })
  if (format === 'date-time')
    return fc.oneof(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }).map(date => date.toISOString()),
      oneOf('2100-01-01T00:00:00Z', '1970-01-01T00:00:00+01:00', '2100-12-31T23:59:60Z') as Arbitrary<string>
    )
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, Math.max(minLength, 64)) })
}

/** Values that break something in a program that does not expect them, or are just outside of what is allowed. */
const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 1e-308],
  ...['', ' ', '0', '-1', 'NaN', 'null', 'true', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ...['\0', 'a\0b', '\ud800', '\udfff', '\u202e', '\u2028', '\r\n', '\n', '\t', '\u{1f600}', '\ufeff', '\\', '"', "'"],
  ...['%00', '%', '%2e%2e', '../../../etc/passwd', '/etc/passwd', '/', '//', '.', '..', '~', 'C:\\', 'con', '-x', '--'],
  ...[
    '*',
    '**/*',
    '{a,b',
    '[',
    '(',
    '(a+)+$',
    '#{x}',
    '$(true)',
    "' OR 1=1 --",
    '<b>',
    '{{x}}',
    '%s%n',
    '🙂'.repeat(100)
  ],
  ...['9999-12-31T23:59:59Z', '0000-00-00T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-02-30T00:00:00Z', '1e400'],
  ...['x'.repeat(65), 'x'.repeat(257), 'x'.repeat(4_097), 'x'.repeat(20_000), 'é'.repeat(5_000), 'a/'.repeat(3_000)],
  ...[[], {}, [[]], [null], [{}], { '': '' }, { constructor: { prototype: {} } }, Array(1_001).fill('x')],
  JSON.parse('{"__proto__": {"polluted": true}}'),
  JSON.parse('[['.repeat(500) + ']]'.repeat(500))
]
const hostile = fc.oneof(
  { weight: 5, arbitrary: oneOf(...HOSTILE) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }
)

/** A change: the place is found by turns, which are taken modulo what there is at each level. */
interface Change {
  turns: number[]
  does: 'replace' | 'remove' | 'add' | 'rename'
  value: unknown
  name: string
}

const change: Arbitrary<Change> = fc.record({
  turns: fc.array(fc.nat(50), { minLength: 2, maxLength: 6 }),
  does: fc.constantFrom<Change['does'][]>('replace', 'replace', 'replace', 'remove', 'add', 'rename'),
  value: hostile,
  name: oneOf('x', '__proto__', 'constructor', '', 'tool_call_id', 'a'.repeat(300)) as Arbitrary<string>
})

/** Returns the value with one change, at a place deeper or less deep. */
function applyChange(value: unknown, { turns, does, value: other, name }: Change, level = 0): unknown {
  const turn = turns[level]
  if (turn === undefined || typeof value !== 'object' || value === null) return other
  const entries = Object.entries(value)
  if (entries.length === 0) return Array.isArray(value) ? [other] : Object.fromEntries([[name, other]])
  const at = turn % entries.length
  const [key, inner] = entries[at]!
  const isHere = level === turns.length - 1 || typeof inner !== 'object' || inner === null
  if (isHere && does === 'remove') entries.splice(at, 1)
  else if (isHere && does === 'add') entries.push([name, other])
  else if (isHere && does === 'rename') entries[at] = [name, inner]
  else entries[at] = [key, applyChange(inner, { turns, does, value: other, name }, level + 1)]
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}

/** Changes one of the parts of a request, which the first turn chooses. */
function changePart(whole: Record<string, unknown>, { turns: [turn, ...turns], ...change }: Change) {
  const names = Object.keys(whole)
  const part = names[turn! % names.length]!
  whole[part] = applyChange(whole[part], { ...change, turns })
}

const RAW_BODIES = [
  ...[
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '0',
    '1e999',
    '{"a":1,"a":2}',
    '{"__proto__":{"a":1}}',
    '\ufeff{}',
    '{}{}',
    "{'a':1}"
  ],
  ...[
    '[['.repeat(20_000),
    '{"tool":"\\ud800"}',
    '{"tool":"read_file","params":{"path":"a\\u0000"}}',
    `"${'x'.repeat(1_100_000)}"`
  ]
]
const SUFFIXES = [
  '/',
  '//',
  '/..',
  '/.',
  '%',
  '%ff',
  '%00',
  '%2f',
  '%2e%2e',
  ';x',
  '%20',
  '/x',
  '?',
  '?=',
  '?a&a',
  '?%ff=%00'
]

const requestTo = (route: Route): Arbitrary<FuzzRequest> => {
  const { parameters = [], requestBody, operationId } = route.operation
  const of = (place: string) => {
    const all = parameters.filter(each => each.in === place)
    return fc.record(
      Object.fromEntries(
        all.map(({ name, schema }) => [name, BY_PATH[`${route.path} ${name}`] ?? valid(schema, name)])
      ),
      {
        requiredKeys: place === 'path' ? all.map(({ name }) => name) : []
      }
    )
  }
  const json = requestBody?.content['application/json']
  const takesBytes = requestBody?.content['application/octet-stream'] !== undefined
  const body = BY_OPERATION[operationId] ?? (json ? valid(json.schema, '') : undefined)
  const rarely = <T>(value: Arbitrary<T>, otherwise: T, weight = 12) =>
    fc.oneof({ weight, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value })
  return fc
    .record({
      parts: fc.record({ path: of('path'), query: of('query'), header: of('header') }),
      body: body ?? fc.constant(undefined),
      raw: takesBytes
        ? fc.string({ unit: 'binary', maxLength: 200 })
        : rarely(fc.constantFrom(...RAW_BODIES), undefined, body ? 15 : 40),
      changes: fc.oneof(
        { weight: 5, arbitrary: fc.constant<Change[]>([]) },
        { weight: 4, arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(change, { minLength: 2, maxLength: 3 }) }
      ),
      sender: fc.oneof(
        { weight: 10, arbitrary: fc.constant<Sender>('approver') },
        { weight: 8, arbitrary: fc.constant<Sender>('caller') },
        { weight: 1, arbitrary: fc.constant<Sender>('stranger') }
      ),
      content_type: rarely(
        fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'x', ''),
        takesBytes ? 'application/octet-stream' : 'application/json',
        25
      ),
      accept: fc.constantFrom(
        undefined,
        'application/json',
        'text/event-stream',
        '*/*',
        'application/json, text/event-stream',
        'x'
      ),
      suffix: rarely(fc.constantFrom(...SUFFIXES), '', 25)
    })
    .map(({ changes, parts, body, ...rest }) => {
      const whole: Record<string, unknown> = { ...parts, ...(body !== undefined && { body }) }
      for (const each of changes) changePart(whole, each)
      const { body: changedBody, ...changedParts } = whole
      return {
        route,
        parts: toRecords(changedParts),
        ...('body' in whole && { body: changedBody }),
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
      } as FuzzRequest
    })
}

const toRecords = (parts: Record<string, unknown>) =>
  Object.fromEntries(
    ['path', 'query', 'header'].map(name => [
      name,
      typeof parts[name] === 'object' ? (parts[name] ?? {}) : { x: parts[name] }
    ])
  )

/** Requests to any route. Those that take tool calls come more often, since most code is behind them. */
export const anyRequest: Arbitrary<FuzzRequest> = fc.oneof(
  ...ROUTES.map(route => ({
    weight: route.path === '/calls' || route.path === '/calls/batch' ? 4 : 1,
    arbitrary: requestTo(route)
  }))
)
