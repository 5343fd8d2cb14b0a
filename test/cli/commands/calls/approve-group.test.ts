// Tests of decisions on groups: calls that wait for the same reason are shown together, and decided at once.
// tier: full
// run: waiting (for a terminal)
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { runInPty } from '../../pty.ts'
import { normalizeOutput, servedIn, UNSANDBOXED } from '../../toolgate.ts'

const { client, commandOf, project, toolgate } = await servedIn(t, UNSANDBOXED, {})
const READY = /\? \[y approve all · n reject all · r reject… · o one by one · q quit\] $/m
const PAGE = /-- line \d+ of \d+ -- \[space next page · n reject all .*\] $/m

const write = (name: string, text: string) => writeFileSync(path.join(project, name), text)
const read = (name: string) => readFileSync(path.join(project, name), 'utf8')

async function waits(tool: string, params: Record<string, unknown>) {
  const call = await client.call(tool, params)
  if (call.status !== 'awaiting_approval') throw new Error(JSON.stringify(call))
  return call
}
/** Sends edits of files that contain `one`. */
async function edits(...names: string[]) {
  for (const name of names) write(name, 'one\n')
  const calls = []
  for (const name of names) calls.push(await waits('edit_file', { path: name, old: 'one', new: 'two' }))
  return { calls, ids: calls.map(({ tool_call_id }) => tool_call_id), key: calls[0]!.approval.group! }
}
const statusOf = async (id: string, wait_ms = 0) => (await client.get(id, { wait_ms })).status
const rejectAll = async () =>
  client.rejectAll((await client.approvals()).map(({ tool_call_id }) => tool_call_id)).catch(() => {})

t.afterEach(rejectAll)

t.test('the list shows the calls of a group together, with its key', async t => {
  write('c.txt', 'one\n')
  const first = await edits('a.txt')
  const command = await waits('shell_exec', { command: 'touch x' })
  const second = await waits('write_file', { path: 'c.txt', content: 'two\n' })
  const { stdout } = await toolgate(['approvals'])
  const rows = stdout.trimEnd().split('\n')
  t.match(rows[0], /^GROUP +CALL +AGE +LEVEL +TOOL +TITLE$/)
  const RULE = /^ {2}would not ask with: allow /
  t.match(rows.slice(1), [
    new RegExp(`^${first.key} +${first.ids[0]} `),
    RULE,
    new RegExp(`^${first.key} +${second.tool_call_id} `),
    RULE,
    new RegExp(`^ +${command.tool_call_id} `),
    RULE
  ])
})

t.test('--yes prints all previews, and approves no call whose preview has changed', async t => {
  const { ids, key } = await edits('a.txt', 'b.txt', 'c.txt')
  const strict = await waits('delete_file', { path: 'c.txt' })
  write('b.txt', 'zero\none\n')
  const { code, stdout, stderr } = await toolgate(['approve', '--group', key, '--yes'])
  t.equal(code, 6)
  t.match(stderr, /^3 edits in 3 files\n.*1 of 3\nEdit a\.txt.*2 of 3\nEdit b\.txt.*3 of 3\nEdit c\.txt/s)
  t.equal(stdout, `${ids[0]} approved\n${ids[2]} approved\n`)
  t.match(stderr, `${ids[1]} not approved: PREVIEW_CHANGED: `)
  for (const id of [ids[0]!, ids[2]!]) t.equal(await statusOf(id, 120_000), 'success')
  for (const id of [ids[1]!, strict.tool_call_id]) t.equal(await statusOf(id), 'awaiting_approval')
  t.same(['a.txt', 'b.txt', 'c.txt'].map(read), ['two\n', 'zero\none\n', 'two\n'])
})

t.test('refuses an unknown group, ids beside it, and a prompt without a terminal', async t => {
  const { ids, key } = await edits('a.txt', 'b.txt')
  t.match(await toolgate(['approve', '--group', '0000', '--yes']), {
    code: 6,
    stderr: /^toolgate: No calls of the group 0000 are waiting for approval\. See: toolgate approvals\n/
  })
  t.match(await toolgate(['approve', ids[0]!, '--group', key, '--yes']), { code: 2 })
  t.match(await toolgate(['approve', '--group', key]), { code: 2, stderr: /Cannot prompt/ })
})

t.test('at a terminal', needs('node-pty'), async t => {
  const decide = (...argv: string[]) => runInPty(t, commandOf(['approve', ...argv]))

  t.test('y approves the calls that were shown, and none that came later', async t => {
    const { ids } = await edits('a.txt', 'b.txt')
    const person = await decide()
    const shown = await person.sees(READY)
    t.match(shown, /2 edits in 2 files\n.*Edit a\.txt.*\n-one\n\+two\n.*Edit b\.txt.*\n-one\n\+two\n/s)
    const late = await edits('c.txt')
    person.press('y')
    t.match(normalizeOutput((await person.ended()).rest), /ID approved\n.*ID approved\n/s)
    for (const id of ids) t.equal(await statusOf(id, 120_000), 'success')
    t.equal(await statusOf(late.ids[0]!), 'awaiting_approval')
  })

  t.test('nothing can be approved before the last page', async t => {
    write('long.txt', 'old\n'.repeat(100))
    const long = await waits('write_file', { path: 'long.txt', content: 'new\n'.repeat(100) })
    const { key } = await edits('a.txt')
    const person = await decide('--group', key)
    await person.sees(PAGE)
    person.press('y')
    await person.sees(new RegExp(String.fromCharCode(7)))
    t.equal(await statusOf(long.tool_call_id), 'awaiting_approval')
    for (let page = 0; page < 10; page += 1) {
      person.press(' ')
      if (READY.test(await person.sees(/\[[^\]]*quit\] $/m))) break
    }
    person.press('n')
    t.equal((await person.ended()).code, 0)
    t.equal(await statusOf(long.tool_call_id, 120_000), 'rejected')
  })

  t.test('o shows the calls one by one; r rejects all with a reason', async t => {
    const { ids, key } = await edits('a.txt', 'b.txt')
    const person = await decide('--group', key)
    await person.sees(READY)
    person.press('o')
    await person.sees(/Edit a\.txt\? \[y yes.*\] $/m)
    person.press('q')
    await person.ended()
    const again = await decide('--group', key)
    await again.sees(READY)
    again.press('r')
    await again.sees(/Reason.*: $/m)
    again.press('not today\r')
    await again.ended()
    for (const id of ids) t.match(await client.get(id), { status: 'rejected', reason: 'not today' })
  })
})
