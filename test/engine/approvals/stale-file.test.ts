// Tests of errors for a file that has changed since the caller read it, or since the approver saw it.
// tier: quick
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../../src/tool/tool.ts'
import { Gate, gatedTools } from '../../gated-tools.ts'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

t.test('a stale write gets the diff since the read, and its current effect', async t => {
  const app = await startApp(t, { 'a.txt': 'one\ntwo\n' })
  const { hash } = (await app.call('read_file', { path: 'a.txt' })).result.data
  app.write('a.txt', 'one\nTWO\nthree\n')
  const edit = { path: 'a.txt', old: 'one', new: '1', if_match: hash }
  const stale = await app.call('edit_file', edit)
  t.same(stale.error, {
    code: 'STALE_FILE',
    message: 'a.txt has changed since it was read: read it again.',
    recoverable: false,
    details: {
      path: 'a.txt',
      if_match: hash,
      found: sha256('one\nTWO\nthree\n'),
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+three\n',
      preview: {
        title: 'Edit a.txt',
        diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n TWO\n three\n'
      }
    }
  })
  t.equal(app.read('a.txt'), 'one\nTWO\nthree\n')
  const dry = await app.request('POST', '/calls', { tool: 'edit_file', params: edit, dry_run: true })
  t.match(dry, { status: 409, body: { code: 'STALE_FILE', details: stale.error.details } })

  const unread = await app.call('write_file', { path: 'a.txt', content: 'x\n', if_match: sha256('never seen') })
  t.match(unread.error.details, { found: sha256('one\nTWO\nthree\n'), preview: { title: 'Overwrite a.txt' } })
  t.equal(unread.error.details.diff, undefined, 'of a version that nobody knows')
  const gone = await app.call('edit_file', { ...edit, path: 'none.txt' })
  t.same(gone.error.details, { path: 'none.txt', if_match: hash, found: 'absent' })
})

t.test('knows the content left by a call, also after a restart', async t => {
  const app = await startApp(t)
  const { hash } = (await app.call('write_file', { path: 'a.txt', content: 'ours\n' })).result.data
  await app.close()
  const again = await startApp(t, {}, { folder: app.folder })
  again.write('a.txt', 'theirs\n')
  const stale = await again.call('write_file', { path: 'a.txt', content: 'x\n' }, { if_match: hash })
  t.match(stale.error.details.diff, /^-ours\n\+theirs$/m)
})

t.test('reveals nothing of a file to callers who may not read it', async t => {
  const rules = [
    { effect: 'deny' as const, match: { path: 'denied.txt' } },
    { effect: 'ask' as const, match: { path: 'asked.txt' } }
  ]
  const files = { '.env': 'TOKEN=CANARY\n', 'denied.txt': 'CANARY\n', 'asked.txt': 'CANARY\n' }
  const app = await startApp(t, files, { settings: { tiers: { administrator: [], user: rules, workspace: [] } } })
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const stale = { if_match: sha256('before') }
  const tries: [string, object][] = [
    ['write_file', { content: 'new\n' }],
    ['edit_file', { old: 'CANAR', new: 'new' }]
  ]
  for (const name of Object.keys(files))
    for (const [tool, params] of tries) {
      const call = await app.post('/calls', { tool, params: { ...params, path: name, ...stale } }, agent)
      t.notMatch(JSON.stringify(call), /CANARY/, `${tool} ${name}`)
      if (call.error?.code === 'STALE_FILE') t.same(Object.keys(call.error.details), ['path', 'if_match'])
    }
  t.match(await app.call('write_file', { path: 'denied.txt', content: 'x', ...stale }), { status: 'rejected' })
})

t.test('a hash reveals only versions of its own file', async t => {
  const rules = [{ effect: 'ask' as const, match: { path: 'asked.txt' } }]
  const files = { '.env': 'KEY=CANARY\n', 'asked.txt': 'CANARY\n', 'b.txt': 'CANARY\n', 'a.txt': 'one\n' }
  const folder = makeTestFolder(t, { default: files, second: { 'a.txt': 'CANARY of another workspace\n' } })
  const roots = ['default', 'second'].map(name => ({ name, path: path.join(folder, name) }))
  const app = await startApp(
    t,
    {},
    {
      settings: { roots, tiers: { administrator: [], user: rules, workspace: [] } }
    }
  )
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const approved = async (tool: string, params: object, more: object = {}) => {
    const call = await app.call(tool, params, more)
    if (call.status !== 'awaiting_approval') return call
    const { tool_call_id, approval } = call
    return app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  }
  const hashes: Record<string, string> = {}
  for (const name of Object.keys(files)) hashes[name] = (await approved('read_file', { path: name })).result.data.hash
  const elsewhere = { workspace: 'second' }
  hashes.elsewhere = (await app.call('read_file', { path: 'a.txt' }, elsewhere)).result.data.hash
  for (const name of ['.env', 'asked.txt', 'b.txt'])
    hashes[`${name} that was deleted`] = (await approved('delete_file', { path: name })).changes[0].before_hash
  const write = await approved('write_file', { path: 'a.txt', content: 'CANARY written there\n' }, elsewhere)
  hashes['written elsewhere'] = write.changes[0].after_hash
  const tries = Object.entries(hashes).filter(([name]) => name !== 'a.txt')
  for (const [name, hash] of tries)
    for (const more of [{}, { dry_run: true }]) {
      const params = { path: 'a.txt', content: 'x\n', if_match: hash }
      const { body } = await app.request('POST', '/calls', { tool: 'write_file', params, ...more }, agent)
      t.same(Object.keys((body.error ?? body).details), ['path', 'if_match', 'found', 'preview'], name)
      t.notMatch(JSON.stringify(body), /CANARY/, name)
    }
})

t.test('before a decision no answer confirms the hash of a file that may not be shown', async t => {
  const rules = [
    { effect: 'ask' as const, match: { path: 'asked.txt', tool: 'read_file' } },
    { effect: 'allow' as const, match: { tool: 'write_file' } }
  ]
  const hidden = { '.env': 'PIN=4711\n', 'a.pem': 'PIN=4711\n', 'asked.txt': 'PIN=4711\n' }
  const app = await startApp(t, hidden, { settings: { tiers: { administrator: [], user: rules, workspace: [] } } })
  const patch = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1,1 +1,1 @@\n-PIN=4711\n+x\n`
  const calls = (name: string, hash: string): object[] => [
    { tool: 'write_file', params: { path: name, content: 'x\n', if_match: hash } },
    { tool: 'write_file', params: { path: name, content: 'x\n' }, if_match: hash },
    { tool: 'edit_file', params: { path: name, old: 'PIN=4711', new: 'x', if_match: hash } },
    { tool: 'apply_patch', params: { patch: patch(name), if_match: { [name]: hash } } }
  ]
  const [right, wrong] = [sha256('PIN=4711\n'), sha256('PIN=4712\n')]
  /** Leaves out what is different for each call, and the hash that was sent. */
  const comparable = (body: Json) =>
    JSON.stringify(body)
      .replaceAll(/"(?:tool_call_id|digest|whole_digest|created_at|expires_at|title_id)":"[^"]*"/g, '')
      .replaceAll(/\b(?:sha256:)?[0-9a-f]{64}\b/g, 'HASH')
      .replaceAll(/\btc_\w+|\b20\d\d-[^"]*Z/g, '')
  for (const headers of [{ authorization: `Bearer ${CALL_TOKEN}` }, {}])
    for (const name of Object.keys(hidden))
      for (const [i, guess] of calls(name, right).entries()) {
        const miss = calls(name, wrong)[i]!
        for (const [url, more] of [
          ['/calls', { dry_run: true }],
          ['/policy/explain', {}],
          ['/calls', {}]
        ] as const) {
          const found = await app.request('POST', url, { ...guess, ...more }, headers)
          const missed = await app.request('POST', url, { ...miss, ...more }, headers)
          t.equal(found.status, missed.status)
          t.equal(
            comparable(found.body),
            comparable(missed.body),
            `${name} ${url} ${JSON.stringify({ ...guess, ...more })}`
          )
          if (url === '/calls' && !('dry_run' in more))
            t.match(found.body.error?.code ?? found.body.status, /^(awaiting_approval|SENSITIVE_PATH)$/)
        }
      }
  const decide = async (call: object) => {
    const { tool_call_id, approval } = await app.post('/calls', call)
    return app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  }
  for (const name of Object.keys(hidden)) {
    const [missed] = calls(name, wrong)
    const details = { path: name, if_match: wrong }
    t.strictSame((await decide(missed!)).error?.details, details, 'only that it is stale')
    t.match(await decide(calls(name, right)[0]!), { status: 'success' })
    t.equal(app.read(name), 'x\n')
  }
})

t.test('digests of two servers are different, and stay what they are when a server starts again', async t => {
  const digestOf = async ({ post }: Pick<Awaited<ReturnType<typeof startApp>>, 'post'>) =>
    (await post('/calls', { tool: 'write_file', params: { path: '.env', content: 'x' } })).approval.digest
  const [one, other] = [await startApp(t, { '.env': 'PIN=4711\n' }), await startApp(t, { '.env': 'PIN=4711\n' })]
  const digest = await digestOf(one)
  t.not(await digestOf(other), digest)
  await one.close()
  t.equal(await digestOf(await startApp(t, {}, { folder: one.folder })), digest)
})

/** Adds a line, based on the content at run time; `meanwhile` runs between the last check and that. */
const addLine = (meanwhile: () => void) =>
  defineTool({
    name: 'add_line',
    category: 'custom',
    description: 'Adds a line.',
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'write',
    request: () => ({ paths: [{ path: 'a.txt', access: 'write' as const }] }),
    async plan(_, { host }) {
      const title = `After ${(await host.files.snapshot('a.txt'))?.bytes}`
      return { state: undefined, preview: () => ({ title }) }
    },
    async run(_, { host }) {
      meanwhile()
      const was = await host.files.snapshot('a.txt')
      const content = Buffer.from(`${was?.bytes ?? ''}line\n`)
      await (was ? host.files.replace('a.txt', was, content) : host.files.create('a.txt', content))
      return {}
    },
    present: () => ({ title: 'added', content: 'added' })
  })

t.test('an approved write to a changed file returns to the approver with the new preview', async t => {
  const gate = new Gate()
  let meanwhile = () => {}
  const app = await startApp(t, { 'a.txt': 'one\n' }, { tools: [...gatedTools(gate), addLine(() => meanwhile())] })
  const approve = (call: Json, query = '') =>
    app.request('POST', `/calls/${call.tool_call_id}/approve${query}`, { digest: call.approval.digest })
  const stream = await app.events('?types=tool.call')
  await stream.type('stream.snapshot')
  const waitsAgain = async (call: Json) =>
    (await stream.type('tool.call', event => event.tool_call_id === call.tool_call_id && event.requires_approval)).at(
      -1
    )

  const atApprove = await app.call('add_line', {})
  await waitsAgain(atApprove)
  app.write('a.txt', 'two\n')
  t.match(await approve(atApprove), {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { approval: { preview: { title: 'After two' } } } }
  })
  t.match(await waitsAgain(atApprove), { approval: { preview: { title: 'After two' } } })

  const inQueue = await app.get(`/calls/${atApprove.tool_call_id}`)
  const holder = app.call('held_create', { name: 'first', path: 'a.txt' })
  await gate.waitForArrival('first')
  t.match((await approve(inQueue)).body, { status: 'queued' })
  app.write('a.txt', 'three\n')
  gate.open('first')
  await holder
  t.match(await waitsAgain(inQueue), { approval: { preview: { title: 'After three' } } })
  t.equal(app.read('a.txt'), 'three\n')

  const atTurn = await app.get(`/calls/${inQueue.tool_call_id}`)
  t.match(atTurn, { status: 'awaiting_approval', approved_by: undefined })
  meanwhile = () => writeFileSync(path.join(app.root, 'a.txt'), 'four\n')
  t.match((await approve(atTurn)).status, 202)
  t.match(await waitsAgain(atTurn), { approval: { preview: { title: 'After four' } } })
  t.equal(app.read('a.txt'), 'four\n')

  meanwhile = () => {}
  const last = await app.get(`/calls/${atTurn.tool_call_id}`)
  t.match(last, { status: 'awaiting_approval', started_at: undefined })
  t.match((await approve(last, '?wait_ms=120000')).body, { status: 'success' })
  t.equal(app.read('a.txt'), 'four\nline\n')
})
