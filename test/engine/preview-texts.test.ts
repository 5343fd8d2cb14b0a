// tier: quick
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { CALL_TOKEN, type Json, startApp, TOKEN } from '../start-app.ts'

t.test('serves each text of a preview separately, while it is current', async t => {
  const app = await startApp(t, { 'a.txt': 'eins\nzwei ä\n', 'b.txt': 'b\n' })
  const patch =
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-eins\n+one\n zwei ä\n' +
    '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n'
  const call = await app.call('apply_patch', { patch })
  const client = connect({ url: app.url, token: TOKEN })
  const { files, digest } = await client.preview(call.tool_call_id)
  t.equal(digest, call.approval.digest)
  const id = call.tool_call_id
  t.strictSame(await client.digest(id), { tool_call_id: id, digest }, 'by itself too')
  const named = files.map(({ before: _, after: __, ...hrefs }) => hrefs)
  t.strictSame(call.approval.files, named, 'whoever is told that it waits is told where they are')
  const events = await app.events(`?after=0&tool_call_id=${call.tool_call_id}&types=tool.call`)
  t.strictSame((await events.type('tool.call')).at(-1).approval.files, named)
  events.close()
  const texts = []
  for (const { path, before_href, after_href } of files)
    texts.push([
      path,
      before_href && (await client.previewText(before_href)),
      after_href && (await client.previewText(after_href))
    ])
  t.strictSame(texts, [
    ['a.txt', 'eins\nzwei ä\n', 'one\nzwei ä\n'],
    ['new.txt', undefined, 'new\n'],
    ['b.txt', 'b\n', undefined]
  ])

  const href = files[0]!.after_href!
  const ask = (target: string, token = TOKEN) =>
    app.request('GET', target, undefined, { authorization: `Bearer ${token}` })
  const { headers } = await ask(href)
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.match(await ask(href, CALL_TOKEN), { status: 403 })
  t.match(await ask(href.replace('/0/after', '/9/after')), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await ask(href.replace('/0/after', '/1/before')), { status: 404 })
  t.match(await ask(href.replace('after', 'both')), { status: 400 })
  t.match(await ask(href.split('?')[0]!), { status: 400 }, 'not without the digest')
  t.match(await ask(href.replace(digest, '0'.repeat(64))), { status: 409, body: { code: 'PREVIEW_CHANGED' } })

  app.write('a.txt', 'eins\nzwei ä\ndrei\n')
  t.match(await ask(href), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  const now = await client.digest(id)
  t.not(now.digest, digest)
  t.match(now.preview?.diff, /^ zwei ä\n drei$/m, 'what it would do now')
  app.write('a.txt', 'vier\n')
  t.match(await client.digest(id), { reason: /a\.txt/, digest: undefined, preview: undefined }, 'it can do nothing now')
  t.equal((await app.get(`/calls/${id}`)).approval.digest, digest, 'asking changes nothing of the call')
  await app.post(`/calls/${call.tool_call_id}/reject`, {})
  await t.rejects(client.digest(id), { code: 'CONFLICT' })
  t.match(await ask(href), { status: 409, body: { code: 'CONFLICT' } })
})

t.test('binary content has no address', async t => {
  const app = await startApp(t, {})
  app.write('a.bin', Buffer.from([0, 1, 2, 255]))
  const call = await app.call('write_file', { path: 'a.bin', content: 'text\n' })
  const { files } = await app.get(`/calls/${call.tool_call_id}/preview`)
  for (const file of files) t.strictSame(Object.keys(file), ['path', 'withheld'])
})

t.test('the addresses change with the preview, and are omitted beyond a limit', async t => {
  const app = await startApp(t, { 'a.txt': 'eins\n', '.env': 'KEY=x\n' })
  const call = await app.call('edit_file', { path: 'a.txt', old: 'eins', new: 'one' })
  app.write('a.txt', 'null\neins\n')
  const { details } = await app.post(`/calls/${call.tool_call_id}/approve`, { digest: call.approval.digest })
  const { files, digest } = details.approval
  t.match(files, [{ path: 'a.txt', before_href: digest, after_href: digest }])
  t.not(digest, call.approval.digest)

  const secret = await app.call('write_file', { path: '.env', content: 'KEY=y\n' })
  t.notOk(
    secret.approval.files?.some((file: Json) => 'before_href' in file),
    'what may not be read has none'
  )
  const added = (n: number) => `--- /dev/null\n+++ b/${n}.txt\n@@ -0,0 +1 @@\n+new\n`
  const edited = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n-null\n eins\n'
  const patch = (count: number) => edited + Array.from({ length: count - 1 }, (_, n) => added(n)).join('')
  const most = await app.call('apply_patch', { patch: patch(32) })
  t.equal(most.approval.files.length, 32)
  const more = await app.call('apply_patch', { patch: patch(33) })
  t.equal(more.status, 'awaiting_approval')
  t.notOk('files' in more.approval)
})
