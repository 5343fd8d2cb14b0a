// Tests of tools implemented as modules: trusted or not, listed, called, changed, broken.
// tier: quick
// run: waiting (for processes to be ended)
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'
import { GREET_TOOL, startWithCustomTools } from './fixture.ts'

const names = (states: Json[]) => Object.fromEntries(states.map(({ name, state }) => [name, state]))

t.test("lists a repository's tools, and serves them once their content is trusted", async t => {
  const app = await startWithCustomTools(t, { 'greet.ts': GREET_TOOL, '_help.ts': '', 'lib/words.ts': '' })
  // The server responds while it still inspects the folder.
  const state = await waitUntil('the tool to be listed', async () => (await app.states())[0])
  t.strictSame(state, {
    name: 'greet',
    kind: 'module',
    file: `${app.folder}/greet.ts`,
    workspace: 'default',
    state: 'untrusted',
    reason: `Not trusted in its current version: review it, then run toolgate trust ${app.folder}`
  })
  t.match(await app.request('POST', '/calls', { tool: 'greet', params: { name: 'Ada' } }), { status: 404 })

  await app.trustTools()
  t.match(await app.changed(), { source: 'custom:default', workspace: 'default', added: ['greet'] })
  t.match(await app.get('/tools/greet'), { category: 'custom', effect: 'read', description: 'Greet somebody.' })
  t.match(await app.run('greet', { name: 'Ada' }), {
    status: 'success',
    approved_by: { source: 'auto' },
    result: { title: 'greet', content: 'Hello, Ada', data: { text: 'Hello, Ada' } }
  })
  t.match(await app.request('POST', '/calls', { tool: 'greet', params: { nome: 'Ada' } }), {
    status: 400,
    body: { errors: [{ pointer: '/params/name' }, { pointer: '/params/nome' }] }
  })

  app.writeTool('lib/words.ts', '// another')
  t.match(await app.changed(), { removed: ['greet'] }, 'a change of any file of the folder ends the trust')
  t.match(names(await app.states()), { greet: 'untrusted' })
  await app.trustTools()
  await app.changed()
  app.trust.set(app.folder, undefined)
  t.match(await app.changed(), { removed: ['greet'] })
})

t.test('answers of any form become data with a text', async t => {
  const app = await startWithCustomTools(t, {
    'answer.mjs': `
      const answers = { list: [1, 2], none: undefined, number: 4, object: { a: 1 }, long: 'x'.repeat(60_000), two: { text: 'a', b: 1 } }
      export default {
        description: 'Answers.', effect: 'read',
        input: { type: 'object', properties: { what: { type: 'string', format: 'word' } }, required: ['what'] },
        run: ({ what }) => answers[what],
        present: (output, { what }) => (what === 'number' ? 'four' : undefined)
      }`
  })
  await app.trustTools()
  await app.changed()
  const answer = async (what: string) => (await app.run('answer', { what })).result
  t.match(await answer('list'), { data: { value: [1, 2] }, content: '{\n  "value": [\n    1,\n    2\n  ]\n}' })
  t.match(await answer('none'), { data: { value: null } })
  t.match(await answer('number'), { data: { value: 4 }, content: 'four', title: 'answer' })
  t.match(await answer('object'), { data: { a: 1 } })
  t.match(await answer('two'), { content: '{\n  "text": "a",\n  "b": 1\n}' })
  const long = await answer('long')
  t.equal(long.data.text.length, 60_000)
  t.match(long, { truncated: true, content: /The call's data has \d+ more characters\.\]$/ })
})
