// Tests of ids abbreviated to an unambiguous prefix on the command line.
// tier: full
import { createInterface } from 'node:readline'
import t from 'tap'
import { within } from '../support/wait.ts'
import { servedIn, UNSANDBOXED } from './toolgate.ts'

const { begin, client, toolgate } = await servedIn(t, UNSANDBOXED, { 'a.txt': 'one\n' })
const ONE = 'tc_01M83ZAZG3E2TQ6CJ5V42RXE6F'
const OTHER = 'tc_01M83ZAZG3E2TQ7WBH3X8KSN9D'
const submit = (tool_call_id: string, tool: string, params: Record<string, unknown>) =>
  client.call(tool, params, { tool_call_id })
await submit(ONE, 'read_file', { path: 'a.txt' })
await submit(OTHER, 'edit_file', { path: 'a.txt', old: 'one', new: 'two' })
const idOf = (stdout: string) => JSON.parse(stdout).tool_call_id

t.test('accepts an unambiguous prefix of an id, with or without the common prefix', async t => {
  for (const prefix of [ONE, ONE.slice(0, -1), 'tc_01M83ZAZG3E2TQ6', '01M83ZAZG3E2TQ6', '01m83zazg3e2tq6']) {
    const { code, stdout } = await toolgate(['show', prefix, '--json'])
    t.same([code, idOf(stdout)], [0, ONE], prefix)
  }
  t.match(await toolgate(['show', '01M83ZAZG3E2TQ7', '--json']), { code: 0, stdout: OTHER })
})

t.test('rejects an ambiguous prefix and lists its ids', async t => {
  const stderr = `toolgate: 01M83ZAZG3 is the beginning of several ids: ${OTHER}, ${ONE}. Type more characters of the id.\n`
  t.same(await toolgate(['show', '01M83ZAZG3']), { code: 2, stdout: '', stderr })
  t.same(await toolgate(['approve', '--yes', OTHER, '01M83ZAZG3']), { code: 2, stdout: '', stderr })
  t.equal((await client.get(OTHER)).status, 'awaiting_approval', 'nothing is decided')
})

t.test('treats anything else as an unknown id', async t => {
  for (const prefix of ['01M83ZAZG3E2TQ8', 'tc_*', '01M83ZAZG3E2TQ6CJ5V42RXE6FF'])
    t.match(await toolgate(['show', prefix]), { code: 1, stderr: `There is no call ${prefix}` }, prefix)
})

t.test('rejects a prefix that is too short', async t => {
  for (const prefix of ['01M', 'tc_0']) {
    const stderr = `toolgate: ${prefix} is too short for an id. Type at least 4 characters of the id.\n`
    t.same(await toolgate(['show', prefix]), { code: 2, stdout: '', stderr })
  }
})

t.test('every verb with an id accepts a prefix', async t => {
  t.match(await toolgate(['approve', '01M83ZAZG3E2TQ7', '--yes', '--json']), { code: 0, stdout: OTHER })
  t.equal((await client.get(OTHER, { wait_ms: 10_000 })).status, 'success')
  t.match(await toolgate(['undo', '01M83ZAZG3E2TQ7', '--yes']), { code: 0 })
  const job = await client.call('shell_background', { command: 'echo ready' })
  if (job.status === 'awaiting_approval') await client.approve(job.tool_call_id, { digest: job.approval.digest })
  t.match(await toolgate(['logs', job.tool_call_id.slice(0, -1), '--follow']), { code: 0, stdout: 'ready\n' })

  const { stdout } = await toolgate(['rules', 'add', 'deny', '--prefix', 'echo'])
  const rule = stdout.trim()
  t.same(await toolgate(['rules', 'revoke', rule.slice(0, -1)]), { code: 0, stdout: `${rule} revoked\n`, stderr: '' })

  const { token_id } = await client.issueToken({ name: 'ci', rights: ['call'], expires_in_ms: 60_000 })
  const revoked = { code: 0, stdout: `${token_id} revoked\n`, stderr: '' }
  t.same(await toolgate(['token', 'revoke', token_id.slice(0, -1)]), revoked)
})

t.test('every option with an id accepts a prefix', async t => {
  const { stdout } = begin(['tail', '--since', '0', '--call', '01M83ZAZG3E2TQ7', '--json'])
  const firstResult = async () => {
    for await (const line of createInterface({ input: stdout }))
      if (JSON.parse(line).type === 'tool.result') return idOf(line)
    return undefined
  }
  t.equal(await within('the result of the call', firstResult()), OTHER)
})
