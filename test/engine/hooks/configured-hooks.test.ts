// tier: full
// run: waiting (for hooks to take too long)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Hook } from '../../../src/config/hooks.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp, toApproval } from '../../start-app.ts'

// Each test starts its own server and mostly waits.
t.jobs = 3

/** A Node program as a hook: `say(answer)` prints it, `input` is its input. */
const script = (body: string) => [
  process.execPath,
  '-e',
  `const input = JSON.parse(require('fs').readFileSync(0, 'utf8'))
   const say = answer => console.log(JSON.stringify(answer));
   { ${body} }`
]
/** Only one test is about the sandbox of hooks, and one about their timeout. */
const kept = { isolation: 'none', timeout_ms: 120_000 } as const
const before = (body: string, more: Partial<Hook> = {}): Hook => ({
  name: 'look',
  when: 'before',
  command: script(body),
  ...kept,
  ...more
})
const after = (body: string, more: Partial<Hook> = {}): Hook => ({
  name: 'hear',
  when: 'after',
  command: script(body),
  ...kept,
  ...more
})

/** Starts a server with these hooks of its user, and of the workspace. */
function hooked(t: Test, hooks: Hook[], { theirs = [], ...options }: StartOptions & { theirs?: Hook[] } = {}) {
  const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' }
  const none = { mcp_servers: {}, command_tools: {} }
  const of_workspace = (root: string) => ({ ...none, hooks: theirs, workspace: root, file: `${root}/f`, trusted: true })
  let root = ''
  const current = () => [{ ...none, hooks, trusted: true }, ...(root ? [of_workspace(root)] : [])]
  const started = startApp(t, files, { brought: { current, onChange: () => () => {} }, ...options })
  return started.then(server => {
    root = server.root
    return server
  })
}

const runs = ({ hooks = [] }: Json) => hooks.map(({ ms, ...run }: Json) => (typeof ms === 'number' ? run : { ms }))

t.test('without hooks, a call has no hook data', async t => {
  const { call, get, post } = await hooked(t, [])
  t.notOk('hooks' in (await call('read_file', { path: 'a.txt' })))
  t.same((await get('/capabilities')).hooks, [])
  t.notOk('hooks' in (await post('/policy/explain', { tool: 'read_file', params: { path: 'a.txt' } })))
})

t.test('a pre-hook receives the call, and without output leaves it to policy', async t => {
  const { call, root } = await hooked(t, [
    before(`say({ decision: 'allow', context: JSON.stringify(input) })`, { match: { tool: 'write_file' } })
  ])
  t.notOk('hooks' in (await call('read_file', { path: 'a.txt' })), 'it does not look at other calls')
  const more = { session_id: 's', agent: 'bot', context: 'why' }
  const asked = await call('write_file', { path: './a.txt', content: 'new' }, more)
  t.equal(asked.status, 'awaiting_approval', 'a hook approves nothing')
  t.match(runs(asked), [{ name: 'look', when: 'before', source: 'configuration', outcome: 'allowed' }])
  t.same(JSON.parse(asked.hooks[0].context), {
    event: 'before',
    tool_call_id: asked.tool_call_id,
    tool: 'write_file',
    params: { path: './a.txt', content: 'new' },
    session_id: 's',
    workspace: { name: 'default', root },
    client: asked.client,
    agent: 'bot',
    context: 'why',
    effect: 'write',
    paths: [{ path: 'a.txt', access: 'write' }],
    verdict: { decision: 'ask', reason: asked.approval.reason }
  })
  t.match(asked.approval.preview.notes, [/^The hook look says: \{/], 'the approver is shown what it says')
})

t.test('a hook denies by its answer, or by exit code 2', async t => {
  const { call, read, events, get } = await hooked(t, [
    before(`if (input.params.path === 'a.txt') say({ decision: 'refuse', reason: 'not a.txt' })`),
    before(`if (input.params.path === 'b.txt') { console.error('b is mine\\u001b[2J'); process.exit(2) }`, {
      name: 'second'
    })
  ])
  const stream = await events('?types=tool.call,tool.result,tool.decision')
  const first = await call('read_file', { path: 'a.txt' })
  t.match(first, {
    status: 'rejected',
    reason: 'The hook look refuses it: not a.txt',
    rejected_by: { source: 'hook', hook: 'look' }
  })
  t.same(runs(first), [
    { name: 'look', when: 'before', source: 'configuration', outcome: 'refused', reason: 'not a.txt' }
  ])
  const told = await stream.type('tool.result')
  t.match(
    told.filter(({ event }) => event !== 'stream.snapshot'),
    [
      { event: 'tool.call', hooks: [{ outcome: 'refused' }] },
      { event: 'tool.decision', decision: 'rejected', by: { hook: 'look' } },
      { event: 'tool.result', status: 'rejected', hooks: [{ name: 'look', outcome: 'refused' }] }
    ]
  )
  const second = await call('write_file', { path: 'b.txt', content: 'x' })
  t.match(second, { status: 'rejected', reason: 'The hook second refuses it: b is mine' })
  t.equal(read('b.txt'), 'two\n')
  t.match(await get(`/calls/${second.tool_call_id}`), { hooks: [{ outcome: 'allowed' }, { outcome: 'refused' }] })
})

t.test('a failing hook denies, unless configured to be ignored', async t => {
  const failing: [string, Hook, RegExp][] = [
    [
      'exit',
      before(`console.error('sore'); process.exit(1)`),
      /^The hook look failed, so it is refused: It ended with 1: sore\.$/
    ],
    ['json', before(`console.log('{ "decision"')`), /begins as JSON, but is none/],
    ['form', before(`say({ decision: 'approve' })`), /is not of the form \{ decision, reason, params, context \}/],
    ['field', before(`say({ hookSpecificOutput: {} })`), /is not of the form/],
    ['time', before(`setInterval(() => {}, 1000)`, { timeout_ms: 300 }), /It took longer than 300 ms/],
    ['size', before(`console.log('x'.repeat(3_000_000))`), /It printed more than 2097152 bytes/],
    ['text', before(`process.stdout.write(Buffer.from([0xff]))`), /What it printed is no text/],
    ['killed', before(`process.kill(process.pid, 'SIGKILL')`), /It was killed/],
    [
      'program',
      { when: 'before', command: ['no-such-program-here'], ...kept },
      /^The hook no-such-program-here failed/
    ],
    ['params', before(`say({ params: { path: 1 } })`), /It gave params that do not fit: \/params\/path must be string/]
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

t.test('modified params are validated, evaluated and shown like requested ones', async t => {
  const change = before(`say({ params: { ...input.params, path: 'b.txt' }, reason: 'b it is' })`)
  const { call, get, post, read, write, events } = await hooked(t, [change])
  const asked = await call('write_file', { path: 'a.txt', content: '2\n' })
  t.match(asked, {
    status: 'awaiting_approval',
    params: { path: 'b.txt' },
    requested_params: { path: 'a.txt' },
    hooks: [{ outcome: 'changed' }],
    approval: { preview: { diff: /b\.txt/, notes: ['The hook look has changed the params.'] } }
  })
  const told = await events(`?after=0&tool_call_id=${asked.tool_call_id}`)
  t.match(
    (await told.type('tool.call')).at(-1),
    { params: { path: 'b.txt' }, requested_params: { path: 'a.txt' } },
    'readers of events are told both too'
  )
  told.close()
  t.equal(asked.hooks.length, 1, 'it is not asked about what it gave itself')
  await post('/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest: asked.approval.digest })
  t.equal(read('b.txt'), '2\n')
  t.equal(read('a.txt'), 'one\n')

  const { tool_call_id, approval } = await call('write_file', { path: 'a.txt', content: '3\n' })
  write('b.txt', '1\n')
  t.match(
    await get(`/calls/${tool_call_id}/digest`),
    { preview: { diff: /-1/, notes: approval.preview.notes } },
    'nobody who is shown what it would do by now misses what a hook has said'
  )

  const outside = await hooked(t, [before(`say({ params: { path: '/etc/passwd' } })`)])
  t.match(await outside.call('read_file', { path: 'a.txt' }), { status: 'error', error: { code: 'INVALID_PATH' } })
})

t.test('every hook has seen the call in the form that runs', async t => {
  const seen = path.join(t.testdir({}), 'seen')
  const log = `require('fs').appendFileSync(${JSON.stringify(seen)}, input.params.path + ' ');`
  writeFileSync(seen, '')
  const careful = before(`${log} if (input.params.path === 'b.txt') say({ decision: 'refuse', reason: 'never b' })`)
  const theirs = before(`say({ params: { path: 'b.txt' } })`, { name: 'theirs' })
  const { call } = await hooked(t, [careful], { theirs: [theirs] })
  const refused = await call('read_file', { path: 'a.txt' })
  t.match(refused, { status: 'rejected', reason: 'The hook look refuses it: never b' })
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
    reason: /failed, so it is refused: Hooks have given other params 5 times and do not come to an end\.$/
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
  t.match(refused, { status: 403, body: { code: 'PERMISSION_DENIED', detail: 'The hook look refuses it: bad' } })
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
  const mark = path.join(t.testdir({}), 'began')
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

t.test('post-hooks receive the outcome, and their output is part of the result', async t => {
  const { call, root } = await hooked(t, [after(`say({ context: JSON.stringify(input) })`)])
  const done = await call('read_file', { path: 'a.txt' })
  t.match(runs(done), [{ name: 'hear', when: 'after', outcome: 'allowed' }])
  const told = JSON.parse(done.hooks[0].context)
  t.match(told, {
    event: 'after',
    params: { path: 'a.txt' },
    workspace: { root },
    status: 'success',
    result: { title: done.result.title, data: { content: 'one\n' } },
    changes: []
  })
  t.type(told.execution_time_ms, 'number')
  t.match(done.result.content, /\n\(The hook hear says: \{/)
  t.match(done.result.metadata.hooks, [{ name: 'hear', context: /^\{/ }])
  t.notOk((await call('read_file', { path: 'a.txt' })).cached, 'whoever wants to hear of a call wants it run')

  const failed = await call('read_file', { path: 'gone.txt' })
  t.match(failed, { status: 'error', hooks: [{ outcome: 'allowed' }] })
  t.match(JSON.parse(failed.hooks[0].context), { status: 'error', error: { code: 'FILE_NOT_FOUND' } })
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
    { name: 'hear', outcome: 'failed', reason: 'It ended with 1.' },
    { name: 'objects', outcome: 'refused', reason: 'too long' },
    { name: 'late', outcome: 'failed', reason: 'It gave other params for a call that has run.' },
    { name: 'slow', outcome: 'failed', reason: 'It took longer than 200 ms.' }
  ])
  t.match(done.result.metadata.hooks.length, 4)
  t.match(done.result.content, /\(The hook objects says: too long\)/)
})

t.test("a hook's file changes belong to the call, and are undone with it", async t => {
  const format = `const fs = require('fs')
    for (const { path } of input.changes) fs.writeFileSync(path, fs.readFileSync(path, 'utf8').toUpperCase())`
  const { call, post, read } = await hooked(t, [after(format, { match: { tool: 'write_file', path: '**/*.txt' } })])
  const asked = await call('write_file', { path: 'a.txt', content: 'new\n' })
  const done = await post('/approve?wait_ms=120000', toApproval(asked))
  t.match(done.status ?? done.call?.status, 'success')
  t.equal(read('a.txt'), 'NEW\n')
  const { changes } = await call('read_file', { path: 'b.txt' }).then(() => done.call ?? done)
  t.same(
    changes.map(({ path, operation }: Json) => [path, operation]),
    [['a.txt', 'modified']]
  )
  const undone = await post(`/calls/${asked.tool_call_id}/undo?wait_ms=0`, {})
  t.match(undone, { status: 'awaiting_approval' })
  await post('/approve?wait_ms=120000', {
    tool_call_id: undone.tool_call_id,
    digest: undone.approval.digest,
    confirm: true
  })
  t.equal(read('a.txt'), 'one\n')
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
    reason: `The hook check failed, so it is refused: ${file} is not trusted: see toolgate trust '${file}'.`
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
  const folder = path.join(t.testdir({}), 'own')
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
    reason: 'The hook guard refuses it: not a'
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
  t.match(await half.call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /It has no function before/ })
  const nowhere = await hooked(t, [{ when: 'before', ...kept, module: '/nowhere/at/all.ts' }])
  t.match(await nowhere.call('read_file', { path: 'a.txt' }), { status: 'rejected', reason: /There is no \/nowhere/ })
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
