// Tests of which tools implemented as modules are served: broken, of the user, of a workspace, after a restart.
// tier: full
// run: waiting (for processes to be ended)
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Json } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { GREET_TOOL, startWithCustomTools } from './fixture.ts'

const names = (states: Json[]) => Object.fromEntries(states.map(({ name, state }) => [name, state]))

t.test('reports a broken tool and serves the others', async t => {
  const plain = (more: string) =>
    `export default { description: 'One.', input: { type: 'object' }, run: () => 1, ${more} }`
  const app = await startWithCustomTools(t, {
    'good.ts': plain(''),
    'syntax.ts': 'export default {\n  run( }\n',
    'empty.ts': 'export {}',
    'typo.ts': plain('efect: "read"'),
    'extra.ts': plain('undo() {}'),
    'list.ts': `export default { description: 'One.', input: { type: 'array' }, run: () => 1 }`,
    'text.ts': `export default { description: 'One.', input: 'object', run: () => 1 }`,
    'schema.ts': plain(`output: { type: 'object', properties: { a: { type: 'strin' } } }`),
    'subject.ts': plain(`subject: { paths: { file: 'read' } }`),
    'hosts.ts': plain(`effect: 'read', network: ['example.com']`),
    'read_file.ts': plain(''),
    'Bad-Name.ts': plain(''),
    'twin.ts': plain(`name: 'good'`),
    'long.ts': plain(`output: { type: 'object', description: 'x'.repeat(70_000) }`)
  })
  await app.trustTools()
  t.match(await app.changed(), { added: ['good', 'read_file'] })
  const states = await app.states()
  const reasons = Object.fromEntries(states.map(({ file, state, reason }) => [path.basename(file), reason ?? state]))
  t.match(reasons, {
    'good.ts': 'served',
    'syntax.ts': /\(syntax\.ts:2\)$/,
    'empty.ts': 'The module has no default export.',
    'typo.ts': 'efect is unknown',
    'extra.ts': 'undo is not a function of a tool; allowed: run, preview, present.',
    'list.ts': 'input: must be a schema of type object.',
    'text.ts': 'input: must be a JSON Schema.',
    'schema.ts': /^output: is not a supported schema: .*type/,
    'subject.ts': 'subject: there is no param "file".',
    'hosts.ts': 'network: a tool with effect read cannot access hosts',
    'read_file.ts': 'Another tool has the name read_file: choose another name.',
    'Bad-Name.ts': '"Bad-Name" is not a valid tool name: use lower-case letters, digits and _.',
    'twin.ts': 'Another tool has the name good: choose another name.',
    'long.ts': 'output: must not be longer than 65536 characters.'
  })
  t.match(await app.run('good', {}), { result: { data: { value: 1 } } })
})

t.test('reports a rejected folder and accepts it once fixed', async t => {
  const app = await startWithCustomTools(t, { 'greet.ts': GREET_TOOL })
  await app.trustTools()
  await app.changed()
  writeFileSync(path.join(app.folder, 'large.bin'), Buffer.alloc(9 * 1024 * 1024))
  t.match(await app.changed(), { removed: ['greet'] })
  t.match(await app.states(), [{ state: 'broken', reason: /has more than 8388608 bytes/ }])
  rmSync(path.join(app.folder, 'large.bin'))
  t.match(await app.changed(), { added: ['greet'] })
  renameSync(app.folder, `${app.folder}-gone`)
  t.match(await app.changed(), { removed: ['greet'] })
  t.same(await app.states(), [])
})

t.test("the user's own tools need no trust, serve every workspace, and come and go", async t => {
  const app = await startWithCustomTools(t, {})
  app.writeUserTool('greet.ts', GREET_TOOL)
  t.match(await app.changed(), { source: 'custom', added: ['greet'] })
  t.match(await app.run('greet', { name: 'Bo' }), { result: { content: 'Hello, Bo' } })
  app.writeUserTool('greet.ts', GREET_TOOL.replace('Hello', 'Good day'))
  t.match(await app.changed(), { changed: ['greet'] })
  t.match(await app.run('greet', { name: 'Bo' }), { result: { content: 'Good day, Bo' } })
  app.writeUserTool('greet.ts', 'no module')
  t.match(await app.changed(), { removed: ['greet'] }, 'the old one is not used instead')
  t.match(await app.states(), [{ name: 'greet', state: 'broken' }])
})

t.test('the tools of a workspace are only for calls there', async t => {
  const folder = makeTestFolder(t, { ws: { '.toolgate': { tools: { 'greet.ts': GREET_TOOL } } }, other: {} })
  const roots = ['ws', 'other'].map(name => ({ name, path: path.join(folder, name) }))
  const app = await startWithCustomTools(t, {}, { folder, settings: { roots } })
  await app.trustTools()
  t.match(await app.changed(), { source: 'custom:ws', workspace: 'ws' })
  t.match(await app.run('greet', { name: 'Ada' }, { workspace: 'ws' }), { status: 'success' })
  const elsewhere = { tool: 'greet', params: { name: 'Ada' }, workspace: 'other' }
  t.match(await app.request('POST', '/calls', elsewhere), { status: 404, body: { code: 'UNKNOWN_TOOL' } })
  t.match(await app.request('GET', '/tools/greet?workspace=other'), { status: 404 })
})

t.test('an unchanged tool is in the first response after a restart', async t => {
  const folder = makeTestFolder(t)
  const first = await startWithCustomTools(t, { 'greet.ts': GREET_TOOL }, { folder })
  await first.trustTools()
  await first.changed()
  await first.close()
  const { trust } = first
  const again = await startWithCustomTools(t, {}, { folder, trust })
  const { result, error } = await again.run('greet', { name: 'Ada' })
  t.match(result ?? error, { content: 'Hello, Ada' })
  await again.close()
  writeFileSync(path.join(folder, 'state/modules.json'), 'no JSON')
  const last = await startWithCustomTools(t, {}, { folder, trust })
  if (names(await last.states()).greet !== 'served') await last.changed()
  t.match(await last.run('greet', { name: 'Ada' }), { result: { content: 'Hello, Ada' } })
})

t.test('an unchanged tool is in the first response after a restart, however long its folder takes to read', async t => {
  const folder = makeTestFolder(t)
  const library = Array.from({ length: 480 }, (_, i) => [`lib/${i}.ts`, `// ${'x'.repeat(15_000)}\n`])
  const first = await startWithCustomTools(t, { 'greet.ts': GREET_TOOL, ...Object.fromEntries(library) }, { folder })
  await first.trustTools()
  await first.changed()
  await first.close()
  const again = await startWithCustomTools(t, {}, { folder, trust: first.trust })
  t.match(await again.states(), [{ name: 'greet', state: 'served' }])
  const events = await again.events('?types=tools.changed&after=0')
  again.writeUserTool('late.ts', GREET_TOOL)
  const changes = await events.type('tools.changed', ({ added }) => added.includes('late'))
  t.same(
    changes.slice(1).map(({ added, changed }) => [added, changed]),
    [
      [['greet'], []],
      [['late'], []]
    ],
    'it changes neither as it is served nor as its folder is read again'
  )
})

t.test('ignores tools if they are switched off', async t => {
  const custom_tools = { ...defaultSettings().custom_tools, enabled: false }
  const app = await startWithCustomTools(t, { 'greet.ts': GREET_TOOL }, { settings: { custom_tools } })
  t.same(await app.states(), [])
})
