// Tests that one token cannot fill the disks: what it writes without approval has a share, and stops while people can still decide.
// tier: full
import { globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import type { Settings } from '../../src/config/settings.ts'
import { startTransfers } from '../routes/transfer-fixture.ts'
import { agentToken, type Json, startApp } from '../start-app.ts'
import { needs } from '../support/needs.ts'

const MB = 1_000_000

/** Starts a server with small disks on some of its folders. */
async function startOnDisks(t: Test, sizes: Record<string, string>, settings: Partial<Settings> = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-disks-')))
  const mounted: string[] = []
  for (const [name, size] of Object.entries(sizes)) {
    mkdirSync(path.join(folder, name), { recursive: true })
    execaSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path.join(folder, name)])
    mounted.unshift(path.join(folder, name))
  }
  const app = await startTransfers(t, { 'a.txt': 'a\n' }, { folder, settings })
  t.teardown(async () => {
    await app.close()
    for (const each of mounted) execaSync('umount', ['-l', each])
    rmSync(folder, { recursive: true, force: true })
  })
  const headers = (agent: string) => ({ authorization: `Bearer ${agentToken(agent)}` })
  const submit = (agent: string, tool: string, params: object) =>
    app.request('POST', '/calls', { tool, params }, headers(agent))
  /** Writes files until one is refused. */
  async function fill(agent: string, content: string): Promise<{ refused: Json; count: number }> {
    for (let count = 0; ; count++) {
      const { status, body } = await submit(agent, 'write_file', { path: `${agent}/${count}.txt`, content })
      if (status >= 400) return { refused: { status, body }, count }
      if (body.status !== 'success') return { refused: body.error, count }
    }
  }
  const freeOf = (name: string) => {
    const { bavail, bsize } = statfsSync(path.join(folder, name))
    return bavail * bsize
  }
  return { ...app, folder, headers, submit, fill, freeOf }
}

t.test('files that a token writes unasked stop at its share, and at the reserve', needs('mount'), async t => {
  const { submit, fill, get, post, freeOf } = await startOnDisks(t, { '.': '120m' })
  const waiting = (await submit('alice', 'shell_exec', { command: 'touch made' })).body
  t.equal(waiting.status, 'awaiting_approval')
  const alice = await fill('alice', 'x'.repeat(900_000))
  t.match(JSON.stringify(alice.refused), /QUOTA_EXCEEDED/)
  t.match(JSON.stringify(alice.refused), /"limit":"unasked_bytes_per_token"/)
  t.ok(alice.count >= 5, `${alice.count} are written`)
  t.ok(freeOf('.') > 40 * MB, `${freeOf('.')} bytes are left for others`)
  const bob = await fill('bob', 'y'.repeat(900_000))
  t.ok(bob.count >= 3, `${bob.count} are written by the other`)
  for (const agent of ['carl', 'dora', 'emil', 'fred', 'gus', 'hans']) await fill(agent, 'z'.repeat(900_000))
  t.ok(freeOf('.') >= 10 * MB, `${freeOf('.')} bytes are left`)
  t.match((await get('/approvals')).approvals, [{ tool_call_id: waiting.tool_call_id }])
  const decided = await post(`/calls/${waiting.tool_call_id}/approve?wait_ms=120000`, {
    digest: waiting.approval.digest
  })
  t.match(decided, { status: 'success' })
  t.match(await post('/calls', { tool: 'write_file', params: { path: 'own.txt', content: 'mine' } }), {
    status: 'success'
  })
})

t.test('output of commands leaves the reserve to decisions', needs('mount'), async t => {
  const { call, post, freeOf, folder } = await startOnDisks(t, { '.': '60m' })
  const journalBytes = () =>
    globSync(path.join(folder, 'state/journal.db*')).reduce((sum, file) => sum + statSync(file).size, 0)
  const journalBefore = journalBytes()
  const run = async (command: string) => {
    const { tool_call_id, approval } = await call('shell_exec', { command })
    return post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  }
  const printed = await run("echo begin; head -c 90000000 /dev/zero | tr '\\0' x; echo; echo end; touch made")
  t.match(printed, { status: 'success', result: { data: { exit_code: 0, truncated: true } } })
  t.match(printed.result.data.stdout, /^begin\n[\s\S]*\nend\n$/)
  // The journal may grow into the reserve, more on a slow machine, which reports more progress.
  const left = freeOf('.') + journalBytes() - journalBefore
  t.ok(left > 5 * MB, `${left} bytes are left beside what the journal took`)
  t.match(await run('touch more; echo more'), { status: 'success', result: { data: { stdout: 'more\n' } } })
})

t.test('one token cannot have the history and the undo of others dropped', async t => {
  const base = defaultSettings()
  const limits = { journal: { ...base.journal, max_bytes: 4 * MB }, undo: { ...base.undo, max_bytes: 4 * MB } }
  const app = await startApp(t, { 'a.txt': 'a\n' }, { settings: limits })
  const submit = (agent: string, tool: string, params: object) =>
    app.request('POST', '/calls', { tool, params }, { authorization: `Bearer ${agentToken(agent)}` })
  const own = (await submit('bob', 'write_file', { path: 'bob.txt', content: 'bob' })).body
  const content = 'x'.repeat(500_000)
  const made: Json[] = []
  for (let n = 0; n < 8; n++) made.push((await submit('alice', 'write_file', { path: `${n}.txt`, content })).body)
  const refusals = made.filter(call => call.status !== 'success')
  t.ok(refusals.length > 0)
  for (const call of refusals)
    t.match(
      JSON.stringify(call),
      /With \d+ more, it would exceed its share of (?:the undo store|the journal), which is 2000000/
    )
  t.match(JSON.stringify(refusals), /"limit":"unasked_bytes_per_token","max":2000000/)
  t.match((await submit('bob', 'read_file', { path: 'a.txt' })).body, { status: 'success' })
  t.match(await app.get(`/calls/${own.tool_call_id}/undo`), { available: true })
})

t.test('output of unasked commands counts in the share of their token', needs('mount'), async t => {
  const user = [{ effect: 'allow' as const, match: { command: 'seq 1 1300000' } }]
  const { submit } = await startOnDisks(t, { '.': '120m' }, { tiers: { administrator: [], user, workspace: [] } })
  const print = () => submit('alice', 'shell_exec', { command: 'seq 1 1300000' })
  const replies: Json[] = []
  while (replies.length < 12 && replies.at(-1)?.status !== 429) replies.push(await print())
  t.match(replies[0].body, { status: 'success' })
  t.match(replies.at(-1), {
    status: 429,
    body: { code: 'QUOTA_EXCEEDED', detail: /its share of the disk of the state folder/ }
  })
  t.match((await submit('bob', 'read_file', { path: 'a.txt' })).body, { status: 'success' })
})

t.test('uploads stop before the disk is full, waiting ones too', needs('mount'), async t => {
  const user = [{ effect: 'ask' as const, match: { path: 'asked/**' } }]
  const tiers = { administrator: [], user, workspace: [] }
  const { send, get, post, submit, freeOf, staged } = await startOnDisks(t, { '.': '100m' }, { tiers })
  const token = agentToken('alice')
  const first = await send('PUT', '/files/one.bin', Buffer.alloc(20 * MB), { token })
  t.equal(first.status, 201)
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) {
    const { status, json } = await send('PUT', `/files/asked/${n}.bin`, Buffer.alloc(6 * MB), { token })
    statuses.push(status)
    if (status !== 202) t.match(json, { code: 'QUOTA_EXCEEDED', details: { limit: 'unasked_bytes_per_token' } })
  }
  const accepted = statuses.filter(status => status === 202).length
  t.ok(accepted > 0)
  t.equal(statuses.at(-1), 429)
  t.ok(freeOf('.') >= 25 * MB, `${freeOf('.')} bytes are left`)
  t.equal(staged().length, 2 * accepted)
  t.match(await submit('bob', 'write_file', { path: 'b.txt', content: 'b' }), { body: { status: 'success' } })
  t.match(await post('/calls', { tool: 'read_file', params: { path: 'a.txt' } }), { status: 'success' })
  t.equal((await get('/approvals')).approvals.length, accepted)
})

t.test('a disk that others fill refuses only those who may not approve', needs('mount'), async t => {
  const { submit, get, post, send, write, freeOf } = await startOnDisks(t, { '.': '64m', ws: '32m' })
  const waiting = (await submit('alice', 'edit_file', { path: 'a.txt', old: 'a', new: 'b' })).body
  const command = (await submit('alice', 'shell_exec', { command: 'touch made' })).body
  write('huge.bin', Buffer.alloc(freeOf('ws') - 2 * MB))
  const inWorkspace = await submit('alice', 'write_file', { path: 'b.txt', content: 'b' })
  t.match(inWorkspace.body, {
    status: 'error',
    error: { code: 'OVERLOADED', message: /^The disk of the workspace default has \d+ bytes left/ }
  })
  t.match((await submit('alice', 'read_file', { path: 'a.txt' })).body, { status: 'success' })
  t.match(await post('/calls', { tool: 'write_file', params: { path: 'c.txt', content: 'c' } }), { status: 'success' })

  write('../ballast.bin', Buffer.alloc(freeOf('.') - 3 * MB))
  for (const refused of [
    await submit('alice', 'read_file', { path: 'a.txt' }),
    await submit('bob', 'shell_exec', { command: 'touch x' })
  ])
    t.match(refused, {
      status: 503,
      body: {
        code: 'OVERLOADED',
        detail: /^The disk of the state folder of the server has \d+ bytes left\. They are reserved for tokens/,
        details: { retry_after_s: 60 }
      }
    })
  const upload = await send('PUT', '/files/up.bin', Buffer.alloc(100), { token: agentToken('alice') })
  t.equal(upload.status, 503)
  t.strictSame(
    (await get('/approvals')).approvals.map((call: Json) => call.tool_call_id),
    [waiting.tool_call_id, command.tool_call_id]
  )
  for (const { tool_call_id, approval } of [waiting, command]) {
    const { digest } = approval
    t.match(await post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest }), { status: 'success' })
  }
})
