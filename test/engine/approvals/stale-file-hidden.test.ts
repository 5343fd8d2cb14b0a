// Tests that errors about stale files, hashes and digests reveal nothing of files that the caller may not read.
// tier: quick
import { createHash } from 'node:crypto'
import path from 'node:path'
import t from 'tap'
import { CALL_TOKEN, type Json, startApp } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

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

t.test('a hash reveals only versions of the file that it is of', async t => {
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
