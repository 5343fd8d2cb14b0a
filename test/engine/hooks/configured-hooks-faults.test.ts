// Tests of configured hooks that fail, are modules, or have nothing to say.
// tier: full
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Hook } from '../../../src/config/hooks.ts'
import { CALL_TOKEN, toApproval } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { after, before, hooked, kept, runs } from './configured-hooks-fixture.ts'

// Each test starts its own server and mostly waits.
t.jobs = 3

t.test('without hooks, a call has no hook data', async t => {
  const { call, get, post } = await hooked(t, [])
  t.notOk('hooks' in (await call('read_file', { path: 'a.txt' })))
  t.same((await get('/capabilities')).hooks, [])
  t.notOk('hooks' in (await post('/policy/explain', { tool: 'read_file', params: { path: 'a.txt' } })))
})

t.test('a failing hook denies, unless configured to be ignored', async t => {
  const failing: [string, Hook, RegExp][] = [
    [
      'exit',
      before(`console.error('sore'); process.exit(1)`),
      /^The hook look failed, so the call is rejected: The hook ended with exit code 1: sore\.$/
    ],
    ['json', before(`console.log('{ "decision"')`), /printed invalid JSON/],
    [
      'number',
      before(`console.log('{"params":{"limit":725653563933458432}}')`),
      /cannot be represented exactly, at \/params\/limit/
    ],
    ['form', before(`say({ decision: 'approve' })`), /must be an object \{ decision, reason, params, context \}/],
    ['field', before(`say({ hookSpecificOutput: {} })`), /must be an object/],
    ['time', before(`setInterval(() => {}, 1000)`, { timeout_ms: 300 }), /The program took longer than 300 ms/],
    ['size', before(`console.log('x'.repeat(3_000_000))`), /The program printed more than 2097152 bytes/],
    ['text', before(`process.stdout.write(Buffer.from([0xff]))`), /The output of the hook is not text/],
    ['killed', before(`process.kill(process.pid, 'SIGKILL')`), /The hook was killed/],
    [
      'program',
      { when: 'before', command: ['no-such-program-here'], ...kept },
      /^The hook no-such-program-here failed/
    ],
    [
      'params',
      before(`say({ params: { path: 1 } })`),
      /The params from the hook are invalid: \/params\/path must be string/
    ]
  ]
  const hooks = failing.flatMap(([what, hook]): Hook[] => [
    { ...hook, match: { path: `${what}.txt` } },
    { ...hook, match: { path: `${what}-ignored.txt` }, on_failure: 'ignore' }
  ])
  const { call, write } = await hooked(t, hooks)
  for (const [what, , reason] of failing) {
    t.match(await call('read_file', { path: `${what}.txt` }), { status: 'rejected', reason }, what)
    write(`${what}-ignored.txt`, '')
    const ignored = await call('read_file', { path: `${what}-ignored.txt` })
    t.match(ignored, { hooks: [{ outcome: 'failed' }] })
    t.equal(ignored.status, what === 'params' ? 'rejected' : 'success', `${what}, ignored`)
  }
})

t.test('output that is not JSON is ignored, and input need not be read', async t => {
  const { call } = await hooked(t, [{ when: 'before', command: ['echo', 'formatted 1 file'], ...kept }])
  const done = await call('read_file', { path: 'a.txt' })
  t.match(done, { status: 'success', hooks: [{ name: 'echo formatted 1 file', outcome: 'allowed' }] })
  t.notOk('context' in done.hooks[0])
})

t.test('every hook has seen the call in the form that runs', async t => {
  const seen = path.join(makeTestFolder(t), 'seen')
  const log = `require('fs').appendFileSync(${JSON.stringify(seen)}, input.params.path + ' ');`
  writeFileSync(seen, '')
  const careful = before(`${log} if (input.params.path === 'b.txt') say({ decision: 'refuse', reason: 'never b' })`)
  const theirs = before(`say({ params: { path: 'b.txt' } })`, { name: 'theirs' })
  const { call } = await hooked(t, [careful], { theirs: [theirs] })
  const refused = await call('read_file', { path: 'a.txt' })
  t.match(refused, { status: 'rejected', reason: 'The hook look rejected the call: never b' })
  t.match(runs(refused), [
    { name: 'look', outcome: 'allowed' },
    { name: 'theirs', outcome: 'changed', source: 'workspace' },
    { name: 'look', outcome: 'refused' }
  ])
  t.equal(readFileSync(seen, 'utf8'), 'a.txt b.txt ')
})

t.test('two hooks that disagree terminate', async t => {
  const give = (name: string) => before(`say({ params: { path: '${name}' } })`, { name })
  const { call } = await hooked(t, [give('a.txt'), give('b.txt')])
  t.match(await call('read_file', { path: 'c.txt' }), {
    status: 'rejected',
    reason:
      /failed, so the call is rejected: The hooks modified the params 5 times, because they do not accept each other's changes\.$/
  })
})

t.test("hooks check an approver's modifications again", async t => {
  const { call, post, request, read, get } = await hooked(t, [
    before(`const { path, content } = input.params
      if (content === 'bad') say({ decision: 'refuse', reason: 'bad' })
      if (content === 'shout') say({ params: { path, content: 'SHOUT' } })`)
  ])
  const asked = await call('write_file', { path: 'a.txt', content: 'fine' })
  const id = asked.tool_call_id
  const modified = (content: string, shown = asked) => ({
    ...toApproval(shown),
    modified_params: { path: 'a.txt', content }
  })

  const refused = await request('POST', '/approve', modified('bad'))
  t.match(refused, { status: 403, body: { code: 'PERMISSION_DENIED', detail: 'The hook look rejected the call: bad' } })
  t.match(await get(`/calls/${id}`), { status: 'awaiting_approval', params: { content: 'fine' } })

  const changed = await request('POST', '/approve', modified('shout'))
  t.match(changed, {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { approval: { preview: { diff: /\+SHOUT/ } } } }
  })
  const waiting = await get(`/calls/${id}`)
  t.match(waiting, {
    status: 'awaiting_approval',
    params: { content: 'SHOUT' },
    requested_params: { content: 'fine' },
    hooks: [{ outcome: 'allowed' }, { outcome: 'changed' }]
  })
  t.equal(read('a.txt'), 'one\n', 'nothing runs that nobody was shown')

  await post('/approve?wait_ms=120000', modified('plain', waiting))
  t.equal(read('a.txt'), 'plain')
  const done = await get(`/calls/${id}`)
  t.match(done, { status: 'success', params: { content: 'plain' }, requested_params: { content: 'fine' } })
  t.equal(done.hooks.length, 3)
})

t.test('a call denied by policy reaches no hook', async t => {
  const rules = [{ effect: 'deny' as const, match: { tool: 'read_file' } }]
  const tiers = { administrator: rules, user: [], workspace: [] }
  const { call } = await hooked(t, [before(`say({ params: { path: 'b.txt' } })`)], { settings: { tiers } })
  const refused = await call('read_file', { path: 'a.txt' })
  t.match(refused, { status: 'rejected', rejected_by: { source: 'config' } })
  t.notOk('hooks' in refused)
})

t.test('a call in a pre-hook is listed, and can be cancelled', async t => {
  const mark = path.join(makeTestFolder(t), 'began')
  const { post, get, request, events } = await hooked(t, [
    before(`require('fs').writeFileSync(${JSON.stringify(mark)}, ''); setInterval(() => {}, 1000)`, {
      timeout_ms: 120_000
    })
  ])
  const stream = await events('?types=tool.result')
  const sent = await request('POST', '/calls?wait_ms=0', { tool: 'read_file', params: { path: 'a.txt' } })
  t.match(sent, { status: 202, body: { status: 'queued' } })
  const id = sent.body.tool_call_id
  t.equal((await get(`/calls/${id}`)).status, 'queued')
  await post(`/calls/${id}/cancel`, {})
  await stream.type('tool.result')
  t.match(await get(`/calls/${id}`), { status: 'cancelled' })
})

t.test('a failing post-hook has no effect, and an objection is reported', async t => {
  const { call } = await hooked(t, [
    after(`process.exit(1)`),
    after(`console.error('too long'); process.exit(2)`, { name: 'objects' }),
    after(`say({ params: {} })`, { name: 'late' }),
    after(`setInterval(() => {}, 1000)`, { name: 'slow', timeout_ms: 200 })
  ])
  const done = await call('read_file', { path: 'a.txt' })
  t.match(done, { status: 'success', result: { data: { content: 'one\n' } } })
  t.match(runs(done), [
    { name: 'hear', outcome: 'failed', reason: 'The hook ended with exit code 1.' },
    { name: 'objects', outcome: 'refused', reason: 'too long' },
    { name: 'late', outcome: 'failed', reason: 'The hook returned modified params, but the call has already run.' },
    { name: 'slow', outcome: 'failed', reason: 'The program took longer than 200 ms.' }
  ])
  t.match(done.result.metadata.hooks.length, 4)
  t.match(done.result.content, /\(The hook objects says: too long\)/)
})

t.test('explain lists the hooks without running them', async t => {
  const { post, request, get, root } = await hooked(
    t,
    [before(`process.exit(2)`), after('', { match: { tool: 'grep' } })],
    {
      theirs: [after('', { name: 'theirs' })]
    }
  )
  const hooks = [
    { name: 'look', when: 'before', source: 'configuration' },
    { name: 'theirs', when: 'after', source: 'workspace' }
  ]
  const body = { tool: 'read_file', params: { path: 'a.txt' } }
  t.match(await post('/policy/explain', body), { verdict: { decision: 'allow' }, hooks })
  t.match(await post('/calls', { ...body, dry_run: true }), { dry_run: true, hooks })
  t.match(await request('POST', '/calls/batch', { calls: [body, body] }), {
    body: { results: [{ status: 'rejected' }, { status: 'rejected' }] }
  })
  t.same((await get('/capabilities')).hooks, [
    { name: 'look', when: 'before', state: 'ready' },
    { name: 'hear', when: 'after', state: 'ready' },
    { name: 'theirs', when: 'after', state: 'ready', file: `${root}/f`, workspace: root }
  ])
})

t.test('a script of the workspace runs only with its trusted content', async t => {
  let trusted: string | undefined
  const trust = {
    isTrusted: (file: string, sha256: string) => trusted === `${file} ${sha256}`,
    isKnown: () => trusted !== undefined,
    onChange: () => () => {}
  }
  const hook: Hook = { name: 'check', when: 'before', command: ['sh', '.toolgate/check.sh'], ...kept }
  const { call, write, root } = await hooked(t, [hook], { trust })
  write('.toolgate/check.sh', 'exit 0\n')
  const file = path.join(root, '.toolgate/check.sh')
  t.match(await call('read_file', { path: 'a.txt' }), {
    status: 'rejected',
    reason: `The hook check failed, so the call is rejected: ${file} is not trusted. To review and trust it, run: toolgate trust '${file}'`
  })
  const { fileHash } = await import('../../../src/host/trust/content-hash.ts')
  trusted = `${file} ${fileHash(file)}`
  t.match(await call('read_file', { path: 'a.txt' }), { status: 'success' })
  write('.toolgate/check.sh', 'curl evil\n')
  t.match(await call('read_file', { path: 'a.txt' }), {
    status: 'rejected',
    reason: /has changed since it was trusted/
  })
})

t.test('a module is a hook', async t => {
  const folder = path.join(makeTestFolder(t), 'own')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, 'guard.ts'),
    `import { defineHook } from 'toolgate/hook'
     export default defineHook({
       before: ({ params }) => (params.path === 'a.txt' ? { decision: 'refuse', reason: 'not a' } : undefined),
       after: async ({ result }) => {
         if (result?.data?.content === 'two\\n') return { context: 'that was b' }
         if (result) for (;;) await new Promise(resolve => setTimeout(resolve, 1_000))
         throw new Error('sore')
       }
     })`
  )
  const module = path.join(folder, 'guard.ts')
  const { call } = await hooked(t, [
    { name: 'guard', when: 'before', module, ...kept },
    { name: 'guard', when: 'after', module, ...kept }
  ])
  t.match(await call('read_file', { path: 'a.txt' }), {
    status: 'rejected',
    reason: 'The hook guard rejected the call: not a'
  })
  t.match(await call('read_file', { path: 'b.txt' }), { result: { metadata: { hooks: [{ context: 'that was b' }] } } })
  t.match(await call('read_file', { path: 'gone.txt' }), {
    status: 'error',
    hooks: [{}, { outcome: 'failed', reason: /^sore/ }]
  })
  const slow = await hooked(t, [{ name: 'guard', when: 'after', module, ...kept, timeout_ms: 500 }])
  t.match(await slow.call('read_file', { path: 'a.txt' }), {
    status: 'success',
    hooks: [{ reason: /longer than 500 ms/ }]
  })

  const wrong = await hooked(t, [{ when: 'before', ...kept, module: path.join(folder, 'gone.ts') }])
  t.match(await wrong.call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /gone\.ts/ })
  writeFileSync(path.join(folder, 'half.ts'), 'export default { after: () => {} }')
  const half = await hooked(t, [{ when: 'before', ...kept, module: path.join(folder, 'half.ts') }])
  t.match(await half.call('read_file', { path: 'a.txt' }), {
    status: 'rejected',
    reason: /The module of the hook exports no function before/
  })
  const nowhere = await hooked(t, [{ when: 'before', ...kept, module: '/nowhere/at/all.ts' }])
  t.match(await nowhere.call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /The file \/nowhere/ })
  const theirs = await hooked(t, [{ when: 'before', ...kept, module: 'hooks/a.ts' }])
  theirs.write('hooks/a.ts', 'export default {}')
  t.match(await theirs.call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /hooks is not trusted/ })
})

t.test('redacts secrets and truncates long values in hook reports', async t => {
  const { call } = await hooked(t, [
    after(`say({ context: 'x'.repeat(10_000) })`),
    before(`say({ context: '${CALL_TOKEN}' })`)
  ])
  const done = await call('read_file', { path: 'a.txt' })
  t.equal(done.hooks[1].context.length, 4_001)
  t.notMatch(JSON.stringify(done), CALL_TOKEN)
})

t.test('a call cannot grant trust for a user', async t => {
  const { call, folder } = await hooked(t, [])
  const asked = await call('write_file', { path: '.config/toolgate/trust.json', content: '{}' })
  t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict' } })
  const named = await call('shell_exec', { command: `echo '{}' > ${folder}/config/toolgate/trust.json` })
  t.match(named, { status: 'error', error: { code: 'COMMAND_BLOCKED' } })
})
