// Tests of a first session with curl alone.
// tier: full
import t from 'tap'
import { connectWithCurl, createLargeRepository } from './fixture.ts'

t.test('list, read, grep, edit, approve by digest, and follow it all on an open stream', async t => {
  const at = createLargeRepository(t, { 'hello.txt': 'Hello, world\n', 'notes/needle.md': 'one\nthe needle is here\n' })
  const server = connectWithCurl(await at.serve())

  const { tools } = await server.get('/tools')
  const names = tools.map(({ name }: { name: string }) => name)
  for (const name of ['read_file', 'edit_file', 'grep', 'shell_exec', 'todo_write']) t.ok(names.includes(name), name)

  const stream = server.listen(t)
  const [snapshot] = await stream.until(({ type }) => type === 'stream.snapshot')
  t.match(snapshot, { head: 0, pending: [], running: [] })

  const read = await server.call('read_file', { path: 'hello.txt' })
  t.equal(read.status, 200)
  t.match(read.body, {
    status: 'success',
    tool: 'read_file',
    approved_by: { source: 'auto' },
    result: { content: '     1\tHello, world', data: { content: 'Hello, world\n', size: 13, total_lines: 1 } }
  })

  const grep = await server.call('grep', { pattern: 'needle', literal: true })
  t.same(grep.body.result.data, {
    matches: [{ path: 'notes/needle.md', line: 2, column: 5, text: 'the needle is here', before: [], after: [] }],
    total: 1,
    truncated: false,
    missed: []
  })

  const asked = await server.call('edit_file', { path: 'hello.txt', old: 'world', new: 'Toolgate' })
  t.equal(asked.status, 202)
  const { tool_call_id, approval } = asked.body
  t.equal(asked.body.status, 'awaiting_approval')
  t.equal(approval.preview.diff, '--- a/hello.txt\n+++ b/hello.txt\n@@ -1 +1 @@\n-Hello, world\n+Hello, Toolgate\n')
  t.equal(at.read('hello.txt'), 'Hello, world\n', 'nothing has happened yet')
  const told = (await stream.until(({ type, tool }) => type === 'tool.call' && tool === 'edit_file')).at(-1)
  t.match(told, { tool_call_id, requires_approval: true, approval })
  t.same((await server.get('/approvals')).approvals, [asked.body])

  const wrong = await server.post(`/calls/${tool_call_id}/approve`, { digest: '0'.repeat(64) })
  t.match(wrong, { status: 409, body: { code: 'PREVIEW_CHANGED', details: { approval: { digest: approval.digest } } } })

  const done = await server.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest })
  t.equal(done.status, 200)
  t.match(done.body, {
    status: 'success',
    approved_by: { source: 'user', digest: approval.digest },
    result: { data: { path: 'hello.txt', applied: true, replacements: 1, match: 'exact' } },
    changes: [{ path: 'hello.txt', operation: 'modified', added: 1, removed: 1 }]
  })
  t.equal(at.read('hello.txt'), 'Hello, Toolgate\n')

  const since = await stream.until(({ type, tool_call_id: id }) => type === 'tool.result' && id === tool_call_id)
  const ours = since.filter(({ tool_call_id: id }) => id === tool_call_id)
  t.same(
    ours.map(({ type }) => type),
    ['tool.decision', 'file.changed', 'tool.result']
  )
  t.match(ours[1], {
    path: 'hello.txt',
    operation: 'modified',
    after_hash: done.body.result.data.hash,
    by: { tool_call_id }
  })
  t.match(ours[2], { status: 'success', result: done.body.result })
  t.equal(at.git('status', '--porcelain'), ' M hello.txt\n', 'and nothing else is in the repository')

  const again = await server.post(`/calls/${tool_call_id}/reject`, {})
  t.match(again, { status: 409, body: { code: 'CONFLICT', details: { decision: 'approved' } } })
  t.same(await server.get(`/calls/${tool_call_id}`), done.body)
})
