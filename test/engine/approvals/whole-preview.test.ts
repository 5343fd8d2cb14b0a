// Tests that nothing is approved that its preview left out, and that titles show that there is more.
// tier: quick
import t from 'tap'
import { startApp } from '../../start-app.ts'

const BIG = `${Array.from({ length: 6_000 }, (_, i) => `: line ${i}\n`).join('')}echo the end\n`

t.test('a cut preview is approved only with the digest of the whole', async t => {
  const { call, get, post, request } = await startApp(t, { 'big.sh': BIG })
  const { tool_call_id, approval } = await call('shell_exec', { command: 'sh big.sh' })
  const { digest, preview } = approval
  t.equal(preview.cut, true)
  t.match(preview.text, /: line 0\n[\s\S]*\n {4}\[\d+ more lines of big.sh are not shown\]$/)
  t.notMatch(preview.text, 'the end')
  t.match(preview.notes[0], `To approve the call, review the whole preview: \`toolgate approve ${tool_call_id}\``)

  const whole = await get(`/calls/${tool_call_id}/preview`)
  t.match(whole, { digest, preview: { title: 'sh big.sh', text: /\n {4}echo the end$/ } })
  t.equal(whole.preview.cut, undefined)
  t.notMatch(whole.preview.notes, [/shortened/])
  const wrong = [{ digest }, { digest, whole_digest: digest }]
  for (const decision of wrong) {
    const refused = await request('POST', `/calls/${tool_call_id}/approve`, decision)
    t.match(refused, { status: 400, body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/whole_digest' }] } })
    t.match(refused.body.detail, `toolgate approve ${tool_call_id}`)
  }
  const { results } = await post('/approve', { calls: [{ tool_call_id, digest }] })
  t.match(results, [{ problem: { code: 'INVALID_PARAMS', errors: [{ pointer: '/whole_digest' }] } }])
  const { whole_digest } = whole
  const done = await post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest, whole_digest })
  t.match(done, { status: 'success', result: { data: { stdout: 'the end\n' } } })

  const dry = await post('/calls', { tool: 'shell_exec', params: { command: 'sh big.sh 1' }, dry_run: true })
  t.match(dry.preview, { cut: undefined, information: [/big.sh, unchanged/] })
})

t.test('modified params whose preview is cut are approved only as a dry run showed them', async t => {
  const { call, post, request } = await startApp(t, { 'big.sh': BIG })
  const { tool_call_id, approval } = await call('shell_exec', { command: 'sh big.sh' })
  const { digest } = approval
  for (const command of ['sh big.sh', 'sh big.sh 1']) {
    const refused = await request('POST', `/calls/${tool_call_id}/approve`, { digest, modified_params: { command } })
    t.match(refused, { status: 400, body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/modified_digest' }] } })
  }
  const modified_params = { command: 'sh big.sh 1' }
  const dry = await post('/calls', { tool: 'shell_exec', params: modified_params, dry_run: true })
  t.match(dry.preview.text, /\n {4}echo the end$/)
  const decision = { digest, modified_params, modified_digest: dry.digest }
  t.match(await post(`/calls/${tool_call_id}/approve?wait_ms=120000`, decision), { status: 'success' })
})

t.test('a preview that is not cut needs no second digest', async t => {
  const { call, get } = await startApp(t, { 'a.sh': 'echo a\n' })
  const { tool_call_id, approval } = await call('shell_exec', { command: 'sh a.sh' })
  t.equal(approval.preview.cut, undefined)
  t.equal((await get(`/calls/${tool_call_id}/preview`)).whole_digest, undefined)
})

t.test('titles are one line, and show that there is more', async t => {
  const { call } = await startApp(t, { 'a\nb.txt': 'one\n' })
  const title = async (tool: string, params: object) => (await call(tool, params)).approval.preview.title
  t.equal(await title('shell_exec', { command: 'npm test\ntouch x' }), 'npm test ⏎ touch x (+1 line)')
  t.equal(await title('shell_exec', { command: '\n touch a\r\n\n  touch b\n' }), 'touch a ⏎ touch b (+2 lines)')
  t.equal(await title('shell_background', { command: 'a\nb\nc' }), 'a ⏎ b ⏎ c (+2 lines)')
  const long = await title('shell_exec', { command: `touch ${'x'.repeat(300)}\ntouch y` })
  t.match(long, /^touch x{194}… \(\+1 line\)$/)
  t.equal(await title('edit_file', { path: 'a\nb.txt', old: 'one', new: 'two' }), 'Edit a ⏎ b.txt')
})
