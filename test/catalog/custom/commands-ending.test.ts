// Tests of command tools: their input, errors and changes.
// tier: full
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { CommandTool } from '../../../src/config/custom-tools.ts'
import { GREET, start } from './commands-fixture.ts'

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
    long_id: script(`console.log('{"id":725653563933458432,"n":1.5}')`, { answer: 'json' }),
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
  t.match(await error('dies'), { message: 'dies was killed by SIGTERM.' })
  t.match(await error('waits'), { code: 'TIMEOUT', message: 'waits exceeded its time limit.' })
  t.same((await app.run('long_id', {})).result.data, { id: '725653563933458432', n: 1.5 })
  t.match(await error('no_json'), { message: /^no_json printed invalid JSON/ })
  t.match(await error('wrong'), {
    message: 'wrong returned data that does not match its output schema: version is required.'
  })
  t.match(await error('large'), { code: 'TOO_LARGE' })
})
