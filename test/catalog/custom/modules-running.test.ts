// Tests of custom tools in modules that ask, change files, or take long.
// tier: full
import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { needs } from '../../support/needs.ts'
import { startWithCustomTools } from './fixture.ts'

t.test('a tool asks by its effect, previews and reports its changes', async t => {
  const deploy = `
    import { writeFileSync } from 'node:fs'
    import { defineTool, Type } from 'toolgate/tool'
    export default defineTool({
      name: 'deploy_app',
      description: 'Deploy the application.',
      input: Type.Object({ environment: Type.String(), file: Type.Optional(Type.String()) }),
      output: Type.Object({ version: Type.Integer(), file: Type.String() }),
      subject: { paths: { file: 'write' } },
      preview: ({ environment }) => ({ title: 'Deploy to ' + environment, text: 'version 7', notes: ['Takes a while.'] }),
      run({ environment, file = 'deployed.txt' }, ctx) {
        console.log('building')
        ctx.progress({ progress: 0.5, message: 'uploading' })
        ctx.log('for', environment)
        if (environment === 'nowhere') throw new Error('There is no such place.')
        if (environment === 'odd') return { version: 'seven' }
        writeFileSync(file, environment)
        return { version: 7, file }
      },
      present: ({ version }, { environment }) => ({ title: 'Deployed', content: environment + ' has ' + version, metadata: { version } })
    })`
  const app = await startWithCustomTools(t, { 'deploy.ts': deploy })
  await app.trustTools()
  await app.changed()
  const waiting = await app.call('deploy_app', { environment: 'staging' })
  t.match(waiting, {
    status: 'awaiting_approval',
    approval: { level: 'ask', preview: { title: 'Deploy to staging', text: 'version 7' } }
  })
  t.ok(waiting.approval.preview.notes.includes('Takes a while.'))
  t.notOk(existsSync(path.join(app.root, 'deployed.txt')), 'nothing has happened')

  const done = await app.run('deploy_app', { environment: 'staging' })
  t.match(done, {
    status: 'success',
    result: {
      title: 'Deployed',
      content: 'staging has 7',
      data: { version: 7, file: 'deployed.txt' },
      metadata: { version: 7 }
    },
    changes: [{ path: 'deployed.txt', operation: 'created' }]
  })
  const events = await app.events(`?after=0&tool_call_id=${done.tool_call_id}`)
  const told = (await events.type('tool.result')).filter(({ event }) => event === 'tool.progress')
  t.ok(
    told.some(({ delta }) => delta?.text === 'building\n'),
    'what it prints'
  )
  t.ok(told.some(({ progress, message }) => progress === 0.5 && message === 'uploading'))

  const failed = (environment: string, file?: string) =>
    app.run('deploy_app', { environment, ...(file && { file }) }).then(({ error }) => error)
  t.match(await failed('nowhere'), {
    code: 'EXECUTION_ERROR',
    message: 'There is no such place. (deploy.ts:15)',
    details: { module: 'deploy.ts', where: 'deploy.ts:15', printed: 'building' }
  })
  t.match(await failed('odd'), {
    code: 'EXECUTION_ERROR',
    message: 'deploy_app returned data that does not match its output schema: file is required.'
  })
  t.match(await failed('staging', '../out.txt'), { code: 'INVALID_PATH' })
  t.match(await app.call('deploy_app', { environment: 'staging', file: '.envrc' }), {
    approval: { level: 'strict' }
  })

  const { tool_call_id, approval } = waiting
  app.writeTool('deploy.ts', deploy.replace('version 7', 'version 8'))
  await app.changed()
  await app.trustTools()
  await app.changed()
  t.match(await app.request('POST', '/approve', { tool_call_id, digest: approval.digest }), {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { approval: { preview: { text: 'version 8' } } } }
  })
})

t.test(
  'a read-only tool can change nothing, is reused for the next call, and gets no secrets',
  needs('sandbox'),
  async t => {
    const sandbox = { ...defaultSettings().sandbox, level: 'auto' } as const
    const custom_tools = { ...defaultSettings().custom_tools, env: { look: ['LANG', 'TOKEN_OF_LOOK'] } }
    process.env.TOKEN_OF_LOOK = 'a-token-that-nobody-should-see'
    t.teardown(() => delete process.env.TOKEN_OF_LOOK)
    const look = (effect: string) => `
    import { writeFileSync } from 'node:fs'
    let calls = 0
    export default {
      description: 'Looks.', effect: '${effect}', input: { type: 'object' },
      run(input, ctx) {
        calls += 1
        let wrote = true
        try { writeFileSync('made.txt', 'x'); writeFileSync('.envrc', 'x') } catch { wrote = false }
        return { wrote, calls, pid: process.pid, level: ctx.isolation.level, token: process.env.TOKEN_OF_LOOK ?? null }
      }
    }`
    const app = await startWithCustomTools(
      t,
      { 'look.ts': look('read'), 'act.ts': look('write') },
      { settings: { sandbox, custom_tools } }
    )
    await app.trustTools()
    await app.changed()
    const [first, second] = [await app.run('look', {}), await app.run('look', {})]
    t.match(first.result.data, { wrote: false, calls: 1, level: 'read-only' })
    t.match(second.result.data, { wrote: false, calls: 2, level: 'read-only' })
    t.match(first.result.data.token, /^\[|…|\*/, 'it has it, and it is masked')
    t.notMatch(JSON.stringify(await app.get('/calls')), process.env.TOKEN_OF_LOOK)
    t.notOk(existsSync(path.join(app.root, 'made.txt')))

    const acted = await app.run('act', {})
    t.match(acted.result.data, { wrote: true, calls: 1, level: 'workspace', token: null })
    t.match(acted.changes, [{ path: 'made.txt', operation: 'created' }])
    t.match(acted.result.content, /Moved out of the workspace.*\.envrc/)
    t.match((await app.run('act', {})).result.data, { calls: 1 }, 'one that may write ends with its call')
  }
)

t.test('a call is cancelled, or ends at its time limit, with its process', async t => {
  const hang = (more: string) => `
    export default {
      description: 'Hangs.', ${more} input: { type: 'object', properties: { how: { type: 'string' } } },
      run({ how }, ctx) {
        ctx.progress({ message: 'on' })
        if (how === 'loop') for (;;);
        if (how === 'exit') process.exit(5)
        return new Promise(() => {})
      }
    }`
  const app = await startWithCustomTools(t, { 'hang.ts': hang(''), 'brief.ts': hang('timeout_ms: 300,') })
  await app.trustTools()
  await app.changed()
  t.match(await app.run('brief', {}), {
    error: { code: 'TIMEOUT', message: 'The module did not answer within 300 ms.' }
  })
  t.match(await app.run('hang', { how: 'exit' }), {
    error: { code: 'EXECUTION_ERROR', message: 'The module hang.ts does not answer: the module exited with code 5.' }
  })
  const { tool_call_id, approval } = await app.call('hang', { how: 'loop' })
  const events = await app.events(`?tool_call_id=${tool_call_id}`)
  await app.post('/approve?wait_ms=0', { tool_call_id, digest: approval.digest })
  await events.type('tool.progress', ({ message }) => message === 'on')
  t.match(await app.post(`/calls/${tool_call_id}/cancel`, {}), { status: 'cancelled' })
})
