// Tests of errors for a file that has changed since the caller read it, or since the approver saw it.
// tier: quick
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../../src/tool/tool.ts'
import { Gate, gatedTools } from '../../gated-tools.ts'
import { type Json, startApp } from '../../start-app.ts'

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

t.test('a stale write gets the diff since the read, and its current effect', async t => {
  const app = await startApp(t, { 'a.txt': 'one\ntwo\n' })
  const { hash } = (await app.call('read_file', { path: 'a.txt' })).result.data
  app.write('a.txt', 'one\nTWO\nthree\n')
  const edit = { path: 'a.txt', old: 'one', new: '1', if_match: hash }
  const stale = await app.call('edit_file', edit)
  t.same(stale.error, {
    code: 'STALE_FILE',
    message: 'a.txt has changed since it was read. Read it again.',
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
