// Tests of tools that the configuration defines as commands.
// tier: full
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { CommandTool } from '../../../src/config/custom-tools.ts'
import { quoteArgv } from '../../../src/text/shell-quote.ts'
import { startWithCustomTools } from './fixture.ts'

/** Prints its arguments and its standard input as JSON. */
const ECHO = `
const chunks = []
process.stdin.on('data', chunk => chunks.push(chunk)).on('end', () => {
  const stdin = Buffer.concat(chunks).toString()
  console.log(JSON.stringify({ words: process.argv.slice(2), stdin, of: process.env.OF ?? null, cwd: process.cwd() }))
})
`
const properties = {
  name: { type: 'string' },
  loud: { type: 'boolean' },
  others: { type: 'array', items: { type: 'string' } }
}
const GREET: CommandTool = {
  description: 'Greet somebody.',
  input: { type: 'object', properties, required: ['name'] },
  argv: ['node', 'echo.cjs', '--name={name}', { when: 'loud', words: ['--loud'] }, '{others}'],
  answer: 'json'
}

async function start(t: Parameters<typeof startWithCustomTools>[0], tools: Record<string, CommandTool>, more = {}) {
  const app = await startWithCustomTools(t, {}, {})
  app.write('echo.cjs', ECHO)
  app.brought.commands(tools, more)
  await app.changed().catch(() => {})
  return app
}

t.test('a command becomes a tool: its command line is evaluated and approved', async t => {
  const app = await start(t, { greet: GREET })
  t.match(await app.get('/tools/greet'), { category: 'custom', effect: 'execute', input: { required: ['name'] } })
  const call = await app.call('greet', { name: 'A "B"; $(x)', loud: true, others: ['C D'] })
  const line = quoteArgv(['node', 'echo.cjs', '--name=A "B"; $(x)', '--loud', 'C D'])
  t.match(call, {
    status: 'awaiting_approval',
    approval: { preview: { title: 'Run greet', text: `${line}\ncwd: .` } }
  })
  t.match(await app.run('greet', { name: 'A "B"; $(x)', loud: true, others: ['C D'] }), {
    status: 'success',
    result: {
      title: 'greet',
      data: { words: ['--name=A "B"; $(x)', '--loud', 'C D'], stdin: '', of: null, cwd: app.root },
      output_href: String
    }
  })
  t.match(await app.call('greet', { name: 'A', others: ['--force'] }), {
    status: 'error',
    error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/others' }] } }
  })
  await app.post('/rules', {
    effect: 'deny',
    scope: 'workspace',
    match: { tool: '*', command: 'node echo.cjs', mode: 'prefix' }
  })
  t.match(await app.call('greet', { name: 'A' }), { status: 'rejected' }, 'rules on commands hold for it')
})

t.test('passes only the given input', async t => {
  process.env.OF_THE_SERVER = 'from the server'
  t.teardown(() => delete process.env.OF_THE_SERVER)
  const app = await start(t, {
    given: { ...GREET, stdin: 'json', env: { OF: 'given' }, cwd: 'inner', argv: ['node', '../echo.cjs'] },
    allowed: { description: 'Tells.', argv: ['printenv', 'OF_THE_SERVER'], env_allow: ['OF_THE_SERVER', 'NOT_THERE'] },
    kept: { description: 'Tells.', argv: ['printenv', 'OF_THE_SERVER'] }
  })
  app.write('inner/x', '')
  t.match((await app.run('given', { name: 'A' })).result.data, {
    words: [],
    stdin: '{"name":"A"}',
    of: 'given',
    cwd: path.join(app.root, 'inner')
  })
  t.match((await app.run('allowed', {})).result, { data: { text: 'from the server\n' }, content: 'from the server\n' })
  t.match((await app.run('kept', {})).error, { code: 'EXECUTION_ERROR', message: 'kept ended with code 1.' })
})

t.test('reports errors and changes', async t => {
  const script = (code: string, more: Partial<CommandTool> = {}): CommandTool => ({
    description: 'A script.',
    argv: ['node', '-e', code.replaceAll('{', '{{').replaceAll('}', '}}')],
    ...more
  })
  const app = await start(t, {
    writes: script(`require('fs').writeFileSync('made.txt', 'x')`),
    fails: script(`console.log('out'); console.error('no such host'); process.exit(3)`),
    dies: script(`process.kill(process.pid, 'SIGTERM')`),
    waits: script('setTimeout(() => {}, 60_000)', { timeout_ms: 300 }),
    no_json: script(`console.log('no json')`, { answer: 'json' }),
    wrong: script(`console.log('{}')`, { answer: 'json', output: { type: 'object', required: ['version'] } }),
    large: script(`console.log('x'.repeat(5_000_000))`)
  })
  t.match(await app.run('writes', {}), { status: 'success', changes: [{ path: 'made.txt', operation: 'created' }] })
  t.ok(existsSync(path.join(app.root, 'made.txt')))
  const error = async (tool: string) => (await app.run(tool, {})).error
  t.match(await error('fails'), {
    code: 'EXECUTION_ERROR',
    message: 'fails ended with code 3: no such host',
    details: { exit_code: 3, stderr: 'no such host\n', stdout: 'out\n' }
  })
  t.match(await error('dies'), { message: 'dies was ended by SIGTERM.' })
  t.match(await error('waits'), { code: 'TIMEOUT', message: 'waits was ended at its time limit.' })
  t.match(await error('no_json'), { message: /^no_json printed no JSON/ })
  t.match(await error('wrong'), {
    message: 'wrong answered what its output schema does not allow: version is required.'
  })
  t.match(await error('large'), { code: 'TOO_LARGE' })
})

t.test('lists broken and untrusted tools, and picks up changes', async t => {
  const app = await start(t, {
    greet: GREET,
    no_param: { ...GREET, argv: ['echo', '{nome}'] },
    no_schema: { ...GREET, input: { type: 'array' } },
    read_file: GREET
  })
  const states = async () =>
    Object.fromEntries((await app.states()).map(({ name, state, reason }) => [name, reason ?? state]))
  t.match(await states(), {
    greet: 'served',
    no_param: 'argv: there is no param "nome".',
    no_schema: 'input: must be a schema of type object.',
    read_file: 'Another tool is called read_file already: take another name.'
  })
  app.brought.commands({ greet: { ...GREET, description: 'Greet them.' } })
  t.match(await app.changed(), { changed: ['greet'], removed: ['read_file'] })
  app.brought.commands({ hello: { ...GREET, description: 'Greet them.' } })
  t.match(await app.changed(), { added: ['hello'], removed: ['greet'] }, 'a tool that is only renamed')
  t.match(await app.run('hello', { name: 'you' }), { status: 'success', tool: 'hello' })
  app.brought.commands({ greet: GREET })
  await app.changed()
  app.brought.commands({ greet: GREET }, { trusted: false, workspace: app.root, file: '/repo/config.jsonc' })
  t.match(await app.changed(), { removed: ['greet'] })
  t.match(await states(), { greet: /^Not trusted in its current version.*\/repo\/config\.jsonc$/ })
  app.brought.commands({ greet: GREET }, { trusted: true, workspace: app.root, file: '/repo/config.jsonc' })
  t.match(await app.changed(), { source: 'custom:default', workspace: 'default', added: ['greet'] })
})
