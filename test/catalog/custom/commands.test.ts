// Tests of tools that the configuration defines as commands.
// tier: quick
import t from 'tap'
import { quoteArgv } from '../../../src/text/shell-quote.ts'
import { GREET, start } from './commands-fixture.ts'

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
    read_file: 'Another tool has the name read_file: choose another name.'
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
