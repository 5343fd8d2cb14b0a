// Tests that no caller can make a preview, a result or a list that cannot be sent, read or stored: each answer is bounded, and an
// approver can still decide.
// tier: full
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, startApp, TOKEN } from '../start-app.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Bytes that a list, an event and an answer about one call may have. */
const MAX_PAGE = 2.5 * MIB
const MAX_EVENT = 64 * KIB + 100
const MAX_CALL = 2.5 * MIB
/** One line of 8 MB. */
const ONE_LINE = `${'x'.repeat(4 * MIB - 10)}abc${'y'.repeat(4 * MIB - 10)}`
const NUMBERS = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('')
const OTHER_NUMBERS = NUMBERS.replaceAll('line', 'row')
const SCRIPT = `${Array.from({ length: 20_000 }, (_, i) => `: step ${i}\n`).join('')}echo the end\n`

const restricted = { authorization: `Bearer ${CALL_TOKEN}` }

type App = Awaited<ReturnType<typeof startApp>>

/** Requests an answer and checks its size, which headers need not state. */
async function fetchBounded(t: Test, app: App, target: string, maxBytes = MAX_PAGE): Promise<Json> {
  const response = await fetch(app.url + target, { headers: { authorization: `Bearer ${TOKEN}` } })
  const text = await response.text()
  t.equal(response.status, 200, target)
  t.ok(Buffer.byteLength(text) <= maxBytes, `${target} has ${Buffer.byteLength(text)} bytes`)
  return JSON.parse(text)
}

/** Follows the pages of a list. */
async function fetchAll(t: Test, app: App, target: string, name: string): Promise<Json[]> {
  const all: Json[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Json = await fetchBounded(t, app, `${target}${cursor && `?cursor=${cursor}`}`)
    all.push(...page[name])
    cursor = page.cursor ?? null
  }
  return all
}

/** Reads the first frames of the event stream, from the beginning of the journal. */
async function fetchEvents(t: Test, app: App, until: (event: Json) => boolean): Promise<Json[]> {
  const response = await fetch(`${app.url}/events?after=0`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const events: Json[] = []
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const frames = text.split('\n\n')
    text = frames.pop()!
    for (const frame of frames) {
      t.ok(Buffer.byteLength(frame) <= MAX_EVENT, `a frame has ${Buffer.byteLength(frame)} bytes`)
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (data) events.push(JSON.parse(data))
    }
    if (events.some(until)) break
  }
  return events
}

const submitRestricted = async (app: App, tool: string, params: object) =>
  (await app.request('POST', '/calls?wait_ms=0', { tool, params }, restricted)).body

t.test('one line of 8 MB is shown by what changes in it, and approved', async t => {
  const app = await startApp(t, { 'big.txt': ONE_LINE })
  const asked = await submitRestricted(app, 'edit_file', { path: 'big.txt', old: 'abc', new: 'abd' })
  const { diff, cut, information } = asked.approval.preview
  t.equal(cut, undefined)
  const around = `${'x'.repeat(98)}ab`
  t.strictSame(diff.split('\n'), [
    '--- a/big.txt',
    '+++ b/big.txt',
    '@@ -1 +1 @@',
    `-[… ${4 * MIB - 108} characters …]${around}c${'y'.repeat(100)}[… ${4 * MIB - 110} characters …]`,
    '\\ No newline at end of file',
    `+[… ${4 * MIB - 108} characters …]${around}d${'y'.repeat(100)}[… ${4 * MIB - 110} characters …]`,
    '\\ No newline at end of file',
    ''
  ])
  t.match(information, ['Long lines of the diff are shortened to the changes and some characters around them.'])
  const done = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest: asked.approval.digest })
  t.match(done, { status: 'success', result: { data: { diff, applied: true } } })
  t.ok(JSON.stringify(done.result).length <= 50 * KIB)
  t.equal(readFileSync(path.join(app.root, 'big.txt'), 'utf8'), ONE_LINE.replace('abc', 'abd'))
})

t.test('several such edits, and other large previews, leave all lists and events readable', async t => {
  const app = await startApp(t, { 'big.txt': ONE_LINE, 'numbers.txt': NUMBERS, 'big.sh': SCRIPT })
  for (let n = 0; n < 4; n++)
    t.match(await submitRestricted(app, 'edit_file', { path: 'big.txt', old: 'abc', new: `${n}` }), {
      status: 'awaiting_approval'
    })
  for (let n = 0; n < 2; n++) {
    await submitRestricted(app, 'edit_file', { path: 'numbers.txt', old: 'line', new: `row${n}`, replace_all: true })
    await submitRestricted(app, 'write_file', { path: 'numbers.txt', content: OTHER_NUMBERS.slice(0, 190 * KIB + n) })
    await submitRestricted(app, 'shell_exec', { command: `sh big.sh ${n}; : ${'z'.repeat(60 * KIB)}` })
    await submitRestricted(app, 'shell_exec', { command: `: ${'\u{202e}'.repeat(60 * KIB)} > ${n}` })
  }
  for (let n = 0; n < 40; n++) await submitRestricted(app, 'shell_exec', { command: `touch small-${n}` })

  const approvals = await fetchAll(t, app, '/approvals', 'approvals')
  t.equal(approvals.length, 4 + 8 + 40)
  t.equal(new Set(approvals.map(({ tool_call_id }) => tool_call_id)).size, approvals.length)
  const { pending, pending_cursor } = await fetchBounded(t, app, '/state', 2 * MAX_PAGE)
  t.strictSame(pending, approvals.slice(0, pending.length))
  const rest = pending_cursor === undefined ? [] : (await app.get(`/approvals?cursor=${pending_cursor}`)).approvals
  t.strictSame(rest, approvals.slice(pending.length, pending.length + rest.length))
  t.equal((await fetchAll(t, app, '/calls', 'calls')).length, approvals.length)
  await fetchBounded(t, app, '/approvals?toolset=opencode')
  await fetchBounded(t, app, '/approvals?limit=500', MAX_PAGE)
  await fetchBounded(t, app, '/calls?limit=500', MAX_PAGE)
  const last = approvals.at(-1).tool_call_id
  const events = await fetchEvents(t, app, ({ type, tool_call_id }) => type === 'tool.call' && tool_call_id === last)
  t.match(events[0], { type: 'stream.snapshot', truncated: true, href: '/state', pending: [] })

  const large = approvals.filter(({ approval }) => approval.preview.cut)
  t.equal(large.length, 8)
  for (const listed of [approvals[0], ...large.slice(0, 4), approvals.at(-1)]) {
    const { tool_call_id } = listed
    const { approval } = await fetchBounded(t, app, `/calls/${tool_call_id}`, MAX_CALL)
    t.strictSame(approval, listed.approval)
    const whole = await app.get(`/calls/${tool_call_id}/preview`)
    const { digest, preview } = approval
    const decision = { digest, confirm: true, ...(preview.cut && { whole_digest: whole.whole_digest }) }
    if (preview.cut) {
      const refused = await app.request('POST', `/calls/${tool_call_id}/approve`, { digest, confirm: true })
      t.match(refused.body, { errors: [{ pointer: '/whole_digest' }] })
    }
    const decided = await app.request('POST', `/calls/${tool_call_id}/approve?wait_ms=120000`, decision)
    // An approved one has changed what others show.
    const isStale = whole.code === 'PREVIEW_CHANGED'
    t.equal(decided.status, isStale && preview.cut ? 400 : isStale ? 409 : 200, listed.tool)
  }
  for (const { tool_call_id } of approvals)
    await app.request('POST', `/calls/${tool_call_id}/reject`, { reason: 'Enough.' })
  t.strictSame((await app.get('/approvals')).approvals, [])
  await fetchAll(t, app, '/calls', 'calls')
})

t.test('a large change is cut in the call, and whole by reference', async t => {
  const app = await startApp(t, { 'numbers.txt': NUMBERS })
  const asked = await submitRestricted(app, 'edit_file', {
    path: 'numbers.txt',
    old: 'line',
    new: 'row',
    replace_all: true
  })
  const { preview, digest } = asked.approval
  t.match(preview, {
    cut: true,
    notes: [/preview is shortened/],
    information: [/lines of the diff are missing/]
  })
  t.ok(JSON.stringify(preview.diff).length <= 33 * KIB)
  t.match(preview.diff, /^--- a\/numbers.txt\n\+\+\+ b\/numbers.txt\n@@ -1,\d+ \+0,0 @@\n-line 0\n/)
  const whole = await app.get(`/calls/${asked.tool_call_id}/preview`)
  t.match(whole.preview.diff, /\n\+row 19999\n$/)
  t.match(whole.files, [{ path: 'numbers.txt', before: NUMBERS, after: OTHER_NUMBERS }])
  const { whole_digest } = whole
  const done = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, whole_digest })
  t.match(done, { status: 'success', result: { data: { replacements: 20_000, diff_truncated: true } } })
  t.match(done.result.content, /\(The diff is truncated. Read the file.\)$/)
  t.ok(JSON.stringify(done.result).length <= 50 * KIB, `${JSON.stringify(done.result).length}`)
})

t.test('what any edit answers is small', async t => {
  const app = await startApp(t, { 'a.txt': NUMBERS.slice(0, 200 * KIB), 'b.txt': ONE_LINE.slice(0, 512 * KIB) })
  const lines = NUMBERS.slice(0, 200 * KIB)
    .split('\n')
    .slice(0, 5_000)
  const changed = lines.flatMap(line => [`-${line}`, `+${line}!`])
  const patch = ['*** Begin Patch', '*** Update File: a.txt', ...changed, '*** End Patch'].join('\n')
  const edits = Array.from({ length: 200 }, (_, i) => ({ old: `line ${i}\n`, new: `"${i}" \\${'q'.repeat(500)}\n` }))
  const calls = [
    ['apply_patch', { patch }],
    [
      'multi_edit',
      { path: 'a.txt', edits: edits.map(({ old, new: to }) => ({ old: old.replace('\n', '!\n'), new: to })) }
    ],
    ['edit_file', { path: 'b.txt', old: 'x'.repeat(200 * KIB), new: 'z' }]
  ] as const
  for (const [tool, params] of calls) {
    const asked = await app.call(tool, params)
    if (asked.status !== 'awaiting_approval') {
      t.ok(JSON.stringify(asked.error).length <= 50 * KIB, `${tool}: ${asked.error.message}`)
      continue
    }
    const { whole_digest } = await app.get(`/calls/${asked.tool_call_id}/preview`)
    const { digest } = asked.approval
    const decision = { digest, ...(whole_digest !== undefined && { whole_digest }) }
    const done = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, decision)
    t.match(done, { status: 'success' }, tool)
    t.ok(Buffer.byteLength(done.result.content) <= 50 * KIB, tool)
    t.ok(Buffer.byteLength(JSON.stringify(done.result.data.diff ?? done.result.data.files[0].diff)) <= 50 * KIB, tool)
    t.match(await app.post(`/calls/${asked.tool_call_id}/undo?wait_ms=0`, {}), { tool: 'undo' })
  }
  const failed = await app.call('edit_file', { path: 'b.txt', old: `x${'y'.repeat(200 * KIB)}`, new: '' })
  t.match(failed, { status: 'error' })
  t.ok(JSON.stringify(failed.error).length <= 100 * KIB, `${JSON.stringify(failed.error).length}`)
  const stale = await app.call('write_file', {
    path: 'a.txt',
    content: 'n\n'.repeat(300 * KIB),
    if_match: '0'.repeat(64)
  })
  t.ok(JSON.stringify(stale.error).length <= 200 * KIB)
})

t.test('what waits in a journal of an earlier version is served, too', async t => {
  const first = await startApp(t, { 'big.txt': ONE_LINE })
  const folder = path.dirname(first.root)
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push((await submitRestricted(first, 'edit_file', { path: 'big.txt', old: 'abc', new: `${n}` })).tool_call_id)
  await first.close()
  const db = new DatabaseSync(path.join(folder, 'state', 'journal.db'))
  const line = ONE_LINE.slice(0, 2 * MIB)
  const diff = `--- a/big.txt\n+++ b/big.txt\n@@ -1 +1 @@\n-${line}\n+${line}\n`
  db.prepare(`UPDATE calls SET head = json_set(head, '$.approval.preview.diff', ?)`).run(diff)
  db.prepare(`UPDATE events SET data = json_set(data, '$.approval.preview.diff', ?) WHERE type = 'tool.call'`).run(diff)
  db.close()

  const app = await startApp(t, {}, { folder })
  const approvals = await fetchAll(t, app, '/approvals', 'approvals')
  t.strictSame(
    approvals.map(({ tool_call_id }) => tool_call_id),
    ids
  )
  t.strictSame((await fetchBounded(t, app, '/state')).pending, approvals)
  t.equal((await fetchAll(t, app, '/calls', 'calls')).length, ids.length)
  await fetchEvents(t, app, ({ type, tool_call_id }) => type === 'tool.call' && tool_call_id === ids.at(-1))
  const { tool_call_id, approval } = approvals[0]
  const { whole_digest, preview } = await app.get(`/calls/${tool_call_id}/preview`)
  t.match(preview.diff, '-[… ')
  const decision = { digest: approval.digest, ...(approval.preview.cut && { whole_digest }) }
  const done = await app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, decision)
  t.match(done, { status: 'success' })
  for (const id of ids.slice(1)) await app.post(`/calls/${id}/reject`, {})
  await fetchBounded(t, app, `/calls/${ids[1]}`)
})

t.test('a call with large params is abbreviated in lists, and whole by itself', async t => {
  const app = await startApp(t)
  const content = 'c'.repeat(900 * KIB)
  const params = { server: 's', tool: 't', arguments: { content, list: Array.from({ length: 5_000 }, () => 'item') } }
  writeFileSync(path.join(app.root, 'a.txt'), 'a\n')
  const asked = await app.call('write_file', { path: 'a.txt', content })
  t.equal(asked.params.content, content)
  const [listed] = (await app.get('/approvals')).approvals
  t.match(listed, {
    status: 'awaiting_approval',
    params: { path: 'a.txt', content: /^c{2048}… \d+ more characters$/ },
    truncated: true,
    href: `/calls/${asked.tool_call_id}`
  })
  t.strictSame(listed.approval, asked.approval)
  t.equal((await app.get(listed.href)).params.content, content)
  await app.call('mcp_tool', params)
  for (const call of (await app.get('/calls')).calls) t.ok(JSON.stringify(call).length <= 256 * KIB)
})
