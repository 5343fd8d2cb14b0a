// The requirements on every tool. A new tool needs one row in tool-examples.ts.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { Ajv, type SchemaObject } from 'ajv'
import formats from 'ajv-formats'
import type { Test } from 'tap'
import { connect } from '../../src/client/client.ts'
import type { CommandTool } from '../../src/config/custom-tools.ts'
import { defaultSettings } from '../../src/config/merge.ts'
import type { LookupContext } from '../../src/tool/contexts.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { TOOLS } from '../../src/tools/index.ts'
import { CALL_ID } from '../call-id.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import { createFakeNetwork, getPort, listen } from '../host/egress/fake-network.ts'
import { scriptedServer, withMcpServers } from '../host/mcp/scripted-settings.ts'
import { createScenario, runSteps } from '../scenario-fixture.ts'
import { snapshotFolder } from '../snapshot-folder.ts'
import { type Json, startApp, TOKEN } from '../start-app.ts'
import { NO_HISTORY } from '../tools/fixture.ts'
import { PAST_TIME, TASK, TOOL_EXAMPLES } from './tool-examples.ts'

/** A project with an unreachable registry. */
const PROJECT = { 'app/package.json': '{}', 'app/.npmrc': 'registry=http://127.0.0.1:1/\nfetch-retries=0\n' }

const FILES = {
  'a.txt': 'one\ntwo\n',
  'dir/b.txt': 'b\n',
  'dir/c.txt': 'c\n',
  'past.txt': 'later\n',
  '.gitignore': 'ignored\n',
  'notes.ipynb': JSON.stringify({ cells: [{ cell_type: 'raw', source: 'one' }], nbformat: 4, nbformat_minor: 4 }),
  'code.ts': 'const one = 1\nexport const two = one + one\n',
  ...PROJECT
}

/** A context in which every path names a file: enough for the names of a request. */
const NAMES_ONLY = {
  call: { id: CALL_ID, sessionId: 'conformance', workspace: { name: 'default', root: '/' } },
  history: NO_HISTORY,
  session: { read: () => undefined, shell: (name: string) => ({ name, cwd: '.', env: {} }) },
  host: {
    files: {
      accept: (path: string) => path,
      peek: (path: string) => ({ path, kind: 'file' }),
      peekEntry: (path: string) => ({ path, kind: 'file' })
    },
    languages: { isolationLevel: async () => undefined },
    mcp: { tool: async (server: string, name: string) => ({ server, name, effect: 'execute', definition: 'none' }) },
    processes: { hasLevel: async () => false }
  }
} as unknown as LookupContext

/** Custom tools have the same requirements: a module, and a command. */
const COUNT_WORDS = `
  import { readFileSync } from 'node:fs'
  export default {
    description: 'Count the words of a file.',
    effect: 'read',
    input: { type: 'object', properties: { file: { type: 'string', description: 'The file.' } }, required: ['file'] },
    output: { type: 'object', properties: { words: { type: 'integer', description: 'Its words.' } }, required: ['words'] },
    subject: { paths: { file: 'read' } },
    run: ({ file }) => ({ words: readFileSync(file, 'utf8').split(' ').length })
  }`
const LINE_COUNT: CommandTool = {
  description: 'Count the lines of files.',
  input: {
    type: 'object',
    properties: { files: { type: 'array', items: { type: 'string' }, description: 'The files.' } },
    required: ['files']
  },
  argv: ['wc', '-l', '{files}']
}

/** Valid params of each tool on these files. */
const PARAMS: Record<string, Record<string, unknown>> = {
  ...TOOL_EXAMPLES,
  count_words: { file: 'a.txt' },
  line_count: { files: ['a.txt'] }
}

/** Events that the server records while it works by itself, at any time, and that say where a stream begins. */
const OWN_EVENTS = new Set([
  'stream.snapshot',
  'index.changed',
  'diagnostics.changed',
  'workspace.changed',
  'mcp.changed',
  'tools.changed',
  'agent.state'
])

const ajv = () => formats.default(new Ajv({ strict: false, allErrors: true }))

/** Starts a server, with a folder beside the workspace that must stay unreachable. */
async function start(t: Test) {
  const gate = new Gate()
  // Without a sandbox, code still runs once approved.
  const sandbox = { ...defaultSettings().sandbox, level: 'none', run_code: 'ask' } as const
  const results = { results: [{ title: 'Found', url: 'https://example.com/', content: 'It.' }] }
  const site = createServer((_, response) => response.end(JSON.stringify(results)))
  const network = createFakeNetwork(await listen(t, site))
  const { web } = defaultSettings()
  const search = { ...web.search, provider: 'searxng', url: `http://127.0.0.1:${getPort(site)}` } as const
  const brings = withMcpServers({ scripted: scriptedServer() })
  const brought = [
    ...brings.brought,
    { trusted: true, mcp_servers: {}, hooks: [], command_tools: { line_count: LINE_COUNT } }
  ]
  const app = await startApp(t, FILES, {
    tools: gatedTools(gate),
    settings: { ...brings, brought, sandbox, web: { ...web, search } },
    network
  })
  const tools = path.join(app.folder, 'config/toolgate/tools')
  mkdirSync(tools, { recursive: true })
  writeFileSync(path.join(tools, 'count_words.ts'), COUNT_WORDS)
  const changes = await app.events('?types=tools.changed&after=0')
  await changes.type('tools.changed', ({ added }) => added.includes('count_words'))
  const outside = path.join(app.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'secret.txt'), 'secret')
  const repository = path.join(app.folder, 'repo')
  createScenario(repository, '', { 'a.txt': { text: 'one\n' } })
  const config = [
    ['init'],
    ['config', 'user.name', 'Ada'],
    ['config', 'user.email', 'ada@example.com'],
    ['init', '--bare', '.git/remote.git'],
    ['remote', 'add', 'origin', '.git/remote.git']
  ]
  runSteps(repository, [...config, ['add', '-A'], ['commit', '-m', 'First'], { 'a.txt': { text: 'one\ntwo\n' } }])
  const state = () => ({ inside: snapshotFolder(app.root), outside: snapshotFolder(outside) })
  /** Excludes git's own files, in which commit ids vary and unreachable objects may remain. */
  const files = () => {
    const { inside, outside } = state()
    return {
      outside,
      inside: Object.fromEntries(Object.entries(inside).filter(([name]) => !/\/\.git(?:\/|$)/.test(name)))
    }
  }
  /** Waits until earlier results are in the journal: reads are answered before that. */
  const settledHead = async () => {
    await app.call('todo_write', { todos: [] })
    return head()
  }
  const head = async () => (await app.get('/state')).head
  /** Returns the events that requests since then have caused: none of earlier calls, nor of the server's own work. */
  const causedSince = async (head: number): Promise<Json[]> => {
    const { tool_call_id: mark } = await app.call('todo_write', { todos: [] })
    const stream = await app.events(`?after=${head}`)
    const events = await stream.type('tool.result', ({ tool_call_id }) => tool_call_id === mark)
    stream.close()
    const begun = new Set(events.filter(({ event }) => event === 'tool.call').map(({ tool_call_id }) => tool_call_id))
    return events.filter(
      ({ event, tool_call_id: id }) => !OWN_EVENTS.has(event) && id !== mark && (id === undefined || begun.has(id))
    )
  }
  /** Restores the files and returns their snapshot. */
  const reset = () => {
    for (const name of readdirSync(app.root)) rmSync(path.join(app.root, name), { recursive: true })
    for (const [name, content] of Object.entries(FILES)) app.write(name, content)
    cpSync(repository, path.join(app.root, 'repo'), { recursive: true })
    return state()
  }
  const approve = ({ tool_call_id, approval }: Json, query = '') =>
    app.request('POST', `/approve${query}`, { tool_call_id, digest: approval.digest, confirm: true })
  /** Submits a call, approves it if required, and returns it once it has ended. */
  const run = async (tool: string, params: unknown, more: object = {}) => {
    const call = await app.call(tool, params, more)
    return call.status === 'awaiting_approval' ? (await approve(call, '?wait_ms=120000')).body : call
  }
  /** Submits a call, approves it if required, and returns it before it has ended. */
  const begin = async (tool: string, params: unknown, more: object = {}) => {
    const call = await app.post('/calls?wait_ms=0', { tool, params, ...more })
    if (call.status === 'awaiting_approval') await approve(call)
    return call.tool_call_id
  }
  return { ...app, gate, outside, state, files, settledHead, causedSince, reset, run, begin }
}

type World = Awaited<ReturnType<typeof startWithEditor>>

/** Starts a server in which the example call of every tool succeeds, with an editor for the tools that query one. */
async function startWithEditor(t: Test) {
  const app = await start(t)
  app.write('past.txt', 'before\n')
  await app.run('write_file', { path: 'past.txt', content: FILES['past.txt'] }, { tool_call_id: PAST_TIME })
  await app.run('shell_background', { command: 'cat > /dev/null', interactive: true }, { tool_call_id: TASK })

  const editor = connect({ url: app.url, token: TOKEN }).registerFrontEnd({
    'editor.open': () => {},
    'editor.diagnostics': () => ({
      diagnostics: [{ path: 'a.txt', line: 1, column: 1, severity: 'warning', message: 'one' }]
    }),
    'editor.show_diff': ({ after }) => ({ decision: 'accepted', content: `${after}four\n`, comment: 'and four' })
  })
  await editor.ready
  t.teardown(() => editor.close())

  const ownTools = ['count_words', 'line_count'].map(name => app.app.catalog.find(name, {})!)
  const tools = [...TOOLS, ...ownTools]
  t.strictSame(Object.keys(PARAMS).sort(), tools.map(({ name }) => name).sort(), 'every tool has a row')
  return { ...app, tools }
}

/** Checks that the example call of each tool of these categories succeeds, with the result that its schema describes. */
export async function checkExamples(t: Test, ...categories: Tool['category'][]) {
  const app = await startWithEditor(t)
  for (const tool of app.tools) if (categories.includes(tool.category)) await checkExample(t, app, tool, tool.name)
}

/** Checks every tool of these categories, built-in and custom, against all requirements. */
export async function checkTools(t: Test, ...categories: Tool['category'][]) {
  const app = await startWithEditor(t)
  const { tools } = app
  // Starts its server: without a sandbox none is started ahead of a call.
  if (categories.includes('code')) await app.run('diagnostics', PARAMS.diagnostics)
  for (const tool of tools.filter(({ category }) => categories.includes(category))) {
    const params = PARAMS[tool.name] ?? {}
    const properties = (tool.input as SchemaObject).properties as Record<string, SchemaObject>
    const request = await tool.request(params, NAMES_ONLY)
    const { paths = [], command } = request
    const { cwd } = command ?? {}
    const named = [...paths.map(({ path }) => path), cwd]
    /** Params that contain a path. */
    const pathParams = Object.keys(params).filter(name => named.includes(params[name] as string))
    const held = paths.find(({ access }) => access === 'write') ?? paths.find(({ access }) => access === 'read')
    const schemas = ajv()

    t.test(tool.name, async t => {
      const { status, ...job } = await app.get(`/jobs/${TASK}`)
      if ('task_id' in params && status !== 'running')
        t.fail(`The job of the examples has ended before ${tool.name}.`, { status, ...job })
      await t.test('is described, with every param', async t => {
        t.match(tool.name, /^[a-z][a-z0-9_]*$/)
        t.match(tool.description, /^[A-Z].*\.$/s)
        t.ok(tool.description.length <= 300)
        for (const schema of [tool.input, tool.output]) {
          t.ok(ajv().validateSchema(schema), 'a valid schema')
          for (const [name, property] of described(schema as SchemaObject))
            t.ok(typeof property.description === 'string' && property.description !== '', `${name} is described`)
        }
        // The listings for models leave out what the server checks anyway.
        const formats = { native: false, openai: true, anthropic: true, mcp: false }
        for (const [format, fitsUnknown] of Object.entries(formats)) {
          const listed = await app.get(`/tools/${tool.name}?format=${format}`)
          const inputs = listed.input ?? listed.function?.parameters ?? listed.input_schema ?? listed.inputSchema
          const fits = ajv().compile(inputs)
          t.equal(fits(params), true, `${format}: the params fit`)
          t.equal(fits({ ...params, unknown: 1 }), fitsUnknown, `${format}: an unknown param`)
        }
      })

      await t.test('rejects every params error, without a trace', async t => {
        const since = await app.settledHead()
        const before = app.reset()
        const refused = async (wrong: object, pointer: string) => {
          const answer = await app.request('POST', '/calls', { tool: tool.name, params: wrong })
          t.match(answer, { status: 400, body: { code: 'INVALID_PARAMS' } })
          t.ok(
            answer.body.errors?.some((fault: Json) => fault.pointer.startsWith(pointer)),
            `${pointer} is told`
          )
        }
        await refused({ ...params, no_such: 1 }, '/params/no_such')
        for (const name of (tool.input as SchemaObject).required ?? []) {
          const { [name]: _, ...rest } = params
          await refused(rest, `/params/${name}`)
        }
        for (const [name, schema] of Object.entries(properties)) {
          const { minimum = 0, maximum = 0 } = schema
          for (const value of [null, { a: 1 }, [[1]], '3', 3, 1.5, true, minimum - 1, maximum + 1])
            if (!schemas.validate(schema, value)) await refused({ ...params, [name]: value }, `/params/${name}`)
        }
        t.strictSame([await app.causedSince(since), app.state()], [[], before])
      })

      await t.test('changes nothing in a dry run', async t => {
        const since = await app.settledHead()
        const before = app.reset()
        const dry = await app.request('POST', '/calls', { tool: tool.name, params, dry_run: true })
        t.match(dry, { status: 200, body: { dry_run: true, tool: tool.name } })
        t.strictSame([await app.causedSince(since), app.state()], [[], before])
      })

      for (const name of pathParams)
        await t.test(`does not leave the workspace by ${name}`, async t => {
          app.reset()
          symlinkSync(app.outside, path.join(app.root, 'way-out'))
          symlinkSync('..', path.join(app.root, 'way-up'))
          const before = app.state()
          const outside = [
            '..',
            '../outside',
            '../outside/secret.txt',
            'dir/../../outside/secret.txt',
            path.join(app.outside, 'secret.txt'),
            '/etc/passwd',
            '/',
            `${app.root}/../outside/secret.txt`,
            `${app.root}-other/x`,
            'way-out/secret.txt',
            'way-out/new.txt',
            'way-up/outside/secret.txt',
            'a\0b'
          ]
          const malformed = [`${'x/'.repeat(3_000)}x`, 'x'.repeat(300)]
          for (const way of [...outside, ...malformed]) {
            const call = await app.run(tool.name, { ...params, [name]: way })
            t.equal(call.status, 'error', `${JSON.stringify(way.slice(0, 60))} ends with an error`)
            t.match(call.error?.code, malformed.includes(way) ? /^(INVALID_PATH|FILE_NOT_FOUND)$/ : 'INVALID_PATH')
            t.notMatch(JSON.stringify(call), /secret"/, 'nothing from there is shown')
          }
          t.strictSame(app.state(), before)
        })

      if (held && !tool.traits?.awaitsFrontEnd)
        await t.test('leaves everything unchanged when cancelled before its turn', async t => {
          const before = app.reset()
          const holder = app.call('held_create', { name: tool.name, path: held.path })
          await app.gate.waitForArrival(tool.name)
          const id = await app.begin(tool.name, params)
          t.match(await app.post(`/calls/${id}/cancel`, {}), { status: 'cancelled', attempts: 0 })
          t.strictSame(app.state(), before)
          app.gate.open(tool.name)
          await holder
          t.strictSame(app.state(), before)
        })

      await t.test('can be cancelled or rejected while pending', async t => {
        const before = app.reset()
        for (const route of ['cancel', 'reject']) {
          const call = await app.call(tool.name, params)
          if (call.status !== 'awaiting_approval') return
          const ended = await app.post(`/calls/${call.tool_call_id}/${route}`, {})
          t.equal(ended.status, route === 'cancel' ? 'cancelled' : 'rejected')
          t.strictSame(app.state(), before)
        }
      })

      await checkExample(t, app, tool, 'matches its preview, answers by its schema, and reports changes in order')

      await t.test('is atomic when stopped in the middle', async t => {
        app.reset()
        await app.run(tool.name, params)
        const done = app.files()
        for (const stop of ['cancel', 'time limit'] as const) {
          app.reset()
          const before = app.files()
          const id = await app.begin(tool.name, params, stop === 'time limit' ? { timeout_ms: 1 } : {})
          if (stop === 'cancel') await app.post(`/calls/${id}/cancel`, {})
          const ended = await app.get(`/calls/${id}?wait_ms=120000`)
          // Commands can change anything, and trees are changed step by step, as the call reports.
          if (command !== undefined || paths.some(({ tree }) => tree))
            t.match(ended.error?.code ?? ended.status, /^(TIMEOUT|cancelled|success)$/)
          else t.strictSame(app.files(), ended.status === 'success' ? done : before, `${stop}: ${ended.status}`)
        }
        for (const { task_id } of (await app.get('/jobs?status=running')).jobs)
          if (task_id !== TASK) await app.post(`/calls/${task_id}/cancel`, {})
      })
    })
  }
}

function checkExample(t: Test, app: World, tool: Tool, title: string) {
  const params = PARAMS[tool.name] ?? {}
  const schemas = ajv()
  return t.test(title, async t => {
    const before = app.reset()
    const call = await app.run(tool.name, params)
    t.equal(call.status, 'success')
    t.ok(schemas.validate(tool.output, call.result.data), schemas.errorsText())
    t.type(call.result.content, 'string')
    t.ok(call.result.title.length > 0)
    t.strictSame(await app.get(`/calls/${call.tool_call_id}`), call)
    if (tool.effect === 'read') t.strictSame(app.state(), before, 'it only read')
    const events = await app.events(`?after=0&tool_call_id=${call.tool_call_id}`)
    const told = (await events.type('tool.result')).slice(1).filter(({ event }) => event !== 'tool.progress')
    t.match(
      told.map(({ event }) => event).join(' '),
      /^tool\.call( tool\.decision)?( job\.started)?( job\.exited)?( tool\.delegate tool\.delegation_ended)?( file\.changed)* tool\.result$/
    )
    const changes = (list: Json[]) => list.map(({ path, operation }) => ({ path, operation }))
    t.strictSame(
      changes(told.filter(({ event }) => event === 'file.changed')),
      changes(call.changes ?? []),
      'every change is told, and stands with the call'
    )
    t.strictSame(told.at(-1).result, call.result)
  })
}

/** Lists every property of a schema, at any depth, by path. */
function described(schema: SchemaObject, at = ''): [string, SchemaObject][] {
  const own = Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>)
  const inner = [schema.items, ...(schema.anyOf ?? [])].filter(part => part?.properties !== undefined)
  return [
    ...own.flatMap(([name, property]): [string, SchemaObject][] => [
      [`${at}/${name}`, property],
      ...described(property, `${at}/${name}`)
    ]),
    ...inner.flatMap((part: SchemaObject) => described(part, at))
  ]
}
