// Tests of `toolgate call` at a real terminal: it prompts in place and continues to the result.
// tier: full
// run: waiting (for a terminal)
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { runInPty } from '../../pty.ts'
import { CALL_ID_PATTERN, normalizeOutput, servedIn, UNSANDBOXED } from '../../toolgate.ts'

const { client, call_token, commandOf, folder, project, server } = await servedIn(t, UNSANDBOXED, { 'a.txt': 'one\n' })
const READY = /\? \[y yes.*\] $/m
const EDIT = ['call', 'edit_file', 'path=a.txt', 'old=one', 'new=two']
const read = () => readFileSync(path.join(project, 'a.txt'), 'utf8')

t.test('a call that waits', needs('node-pty'), async t => {
  const call = (more: readonly string[] = [], env: Record<string, string> = {}) =>
    runInPty(t, commandOf([...EDIT, ...more], { LESS: 'RX', ...env }))
  t.beforeEach(() => writeFileSync(path.join(project, 'a.txt'), 'one\n'))

  t.test('shows it, approves it with y, and prints its result', async t => {
    const person = await call()
    t.match(await person.sees(READY), /^Edit a\.txt {2}tc_.*\n.*\n-one\n\+two\n/s)
    person.press('y')
    t.match(await person.ended(), { code: 0, rest: /^y\n.*a\.txt/ })
    t.equal(read(), 'two\n')
  })

  t.test('rejects it with n', async t => {
    const person = await call()
    await person.sees(READY)
    person.press('n')
    t.match(await person.ended(), { code: 5, rest: /toolgate: edit_file rejected/ })
    t.equal(read(), 'one\n')
  })

  t.test('leaves it pending with q', async t => {
    const person = await call()
    const [id] = (await person.sees(READY)).match(CALL_ID_PATTERN)!
    person.press('q')
    t.match(await person.ended(), {
      code: 0,
      rest: `The call still waits for approval. To decide later: toolgate approve ${id}\n`
    })
    t.equal((await client.get(id!)).status, 'awaiting_approval')
    await client.cancel(id!)
  })

  t.test('cancels it with Ctrl+C', async t => {
    const person = await call()
    const [id] = (await person.sees(READY)).match(CALL_ID_PATTERN)!
    person.press('\u0003')
    t.match(await person.ended(), { code: 130 })
    t.equal((await client.get(id!)).status, 'cancelled')
  })

  t.test('continues when someone else has approved it', async t => {
    const person = await call()
    const [id] = (await person.sees(READY)).match(CALL_ID_PATTERN)!
    const waiting = await client.get(id!)
    if (waiting.status !== 'awaiting_approval') throw new Error(waiting.status)
    await client.approve(id!, { digest: waiting.approval.digest })
    t.match(await person.ended(), { code: 0 })
    t.equal(read(), 'two\n')
  })

  t.test('does not prompt with a call-only token, nor with --no-input', async t => {
    const token = path.join(folder, 'call-token')
    writeFileSync(token, call_token, { mode: 0o600 })
    const only = await call([], { TOOLGATE_URL: server.url, TOOLGATE_TOKEN_FILE: token })
    const silent = await call(['--no-input'])
    for (const person of [only, silent]) {
      const shown = normalizeOutput(await person.sees(/toolgate approve tc_\w+\n/))
      t.equal(shown, 'The call waits for approval. To decide: toolgate approve ID\n')
      person.press('\u0003')
      t.match(await person.ended(), { code: 130 })
    }
  })
})
