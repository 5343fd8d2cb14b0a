// Tests of web_fetch with many hosts and bodies: approval, rules, bombs, broken servers.
// tier: full
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { createPdf } from '../../pdf.ts'
import type { Json } from '../../start-app.ts'
import { htmlResponse, startFakeWeb } from './fixture.ts'

t.test('rules name hosts, and the method to allow sending', async t => {
  const rule = (effect: string, match: object) => ({ effect, match })
  const tiers = {
    administrator: [rule('deny', { host: 'never.test' })],
    user: [rule('allow', { host: '*.test.example' }), rule('allow', { host: 'api.test', method: 'POST' })],
    workspace: []
  } as Json
  const { call } = await startFakeWeb(t, { '/': htmlResponse('<p>ok') }, {}, { settings: { tiers } })
  const status = async (url: string, more: object = {}) => (await call('web_fetch', { url, ...more })).status
  const post = { method: 'POST', body: 'x' }
  t.equal(await status('http://a.test.example/'), 'success')
  t.equal(await status('http://a.test.example/', post), 'awaiting_approval')
  t.equal(await status('http://api.test/', post), 'success')
  t.equal(await status('http://api.test/'), 'awaiting_approval')
  t.equal(await status('http://never.test/'), 'rejected')
})

t.test('evaluates each redirect again', async t => {
  const to = (location: string, status = 302) => ({ status, headers: { location } })
  const { fetched, failure, call, post, requests } = await startFakeWeb(t, {
    '/': htmlResponse('<p>end'),
    '/near': to('/?q=1#part'),
    '/?q=1': htmlResponse('<p>near'),
    'a.test/far': to('http://b.test/'),
    'a.test/strange': to('http://c.test/?code=1'),
    'a.test/www': to('http://www.a.test/'),
    'c.test/www': to('http://www.c.test/'),
    '/scheme': to('ftp://a.test/'),
    '/broken': to('http://[/'),
    '/round': to('/round'),
    'a.test/post': to('/', 303),
    'a.test/again': to('/took', 307),
    'a.test/away': to('http://b.test/took', 307),
    '/took': (request, response) => response.end(`${request.method} ${request.body}`)
  })
  t.match((await fetched('http://a.test/near')).data, {
    body: 'near',
    final_url: 'http://a.test/?q=1#part',
    redirects: ['http://a.test/near']
  })
  t.match((await fetched('http://a.test/far')).data, { body: 'end', final_url: 'http://b.test/' })
  t.match(await failure('http://a.test/strange'), {
    code: 'PERMISSION_DENIED',
    message: 'a.test redirects to http://c.test/?code=1, which is not allowed. To follow the redirect, fetch that URL.',
    details: { reason: 'redirect', redirect: 'http://c.test/?code=1' }
  })
  t.match(await failure('http://a.test/www'), { code: 'PERMISSION_DENIED' }, 'a list means what stands on it')
  t.match(await failure('http://a.test/scheme'), { code: 'URL_BLOCKED', message: /URLs with ftp are not supported/ })
  t.match(await failure('http://a.test/broken'), { code: 'URL_BLOCKED' })
  t.match(await failure('http://a.test/round'), { code: 'EXECUTION_ERROR', message: /more than 5 redirects/ })

  const approved = async (params: object) => {
    const { tool_call_id, approval } = await call('web_fetch', params)
    return post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest })
  }
  t.match(await approved({ url: 'http://c.test/www' }), { result: { data: { final_url: 'http://www.c.test/' } } })
  const sent = { method: 'POST', body: 'x', headers: { authorization: 'Bearer q', 'content-type': 'text/plain' } }
  t.match(await approved({ url: 'http://a.test/post', ...sent }), { result: { data: { body: 'end' } } })
  t.match(requests.at(-1), { method: 'GET', body: '' }, '303 is read, and sends nothing')
  t.match(await approved({ url: 'http://a.test/again', ...sent }), { result: { data: { body: 'POST x' } } })
  t.match(await approved({ url: 'http://a.test/away', ...sent }), { error: { code: 'PERMISSION_DENIED' } })
  const own = { headers: { authorization: 'Bearer q', 'accept-language': 'de' } }
  t.match(await approved({ url: 'http://a.test/far', ...own }), { status: 'success' })
  t.match(requests.at(-1)!.headers, { authorization: undefined, 'accept-language': 'de', host: 'b.test' })
})

t.test('decodes compressed bodies, and rejects bombs early', async t => {
  const text = 'Dough rises. '.repeat(50)
  const packed = (encoding: string, body: Buffer) => ({
    headers: { 'content-encoding': encoding, 'content-type': 'text/plain' },
    body
  })
  const bomb = gzipSync(gzipSync(Buffer.alloc(50 * 1024 * 1024)))
  const { fetched, failure } = await startFakeWeb(t, {
    '/gzip': packed('gzip', gzipSync(text)),
    '/x-gzip': packed('x-gzip', gzipSync(text)),
    '/deflate': packed('deflate', deflateSync(text)),
    '/raw-deflate': packed('deflate', deflateRawSync(text)),
    '/br': packed('br', brotliCompressSync(text)),
    '/zstd': packed('zstd', zstdCompressSync(text)),
    '/five': packed(
      'gzip, gzip, br, identity, gzip, gzip',
      [gzipSync, gzipSync, brotliCompressSync, gzipSync, gzipSync].reduce<Buffer>(
        (body, pack) => pack(body),
        Buffer.from(text)
      )
    ),
    '/six': packed('gzip, gzip, gzip, gzip, gzip, gzip', Buffer.alloc(0)),
    '/empty': packed('gzip', Buffer.alloc(0)),
    '/unknown': packed('lzw', Buffer.from('x')),
    '/no-gzip': packed('gzip', Buffer.from('this is no gzip at all')),
    '/half': packed('gzip', gzipSync(text).subarray(0, -8)),
    '/bomb': packed('gzip, gzip', bomb),
    '/empty-members': packed('gzip, gzip', gzipSync(Buffer.alloc(20 * 600_000, gzipSync(''))))
  })
  for (const way of ['gzip', 'x-gzip', 'deflate', 'raw-deflate', 'br', 'zstd', 'five', 'half'])
    t.equal((await fetched(`http://a.test/${way}`)).data.body, text, way)
  t.equal((await fetched('http://a.test/empty')).data.body, '')
  t.match((await fetched('http://a.test/bomb')).data, { size: 5_242_880, truncated: true })
  t.match(await failure('http://a.test/six'), { code: 'TOO_LARGE' })
  t.match(await failure('http://a.test/empty-members'), { code: 'TOO_LARGE' })
  t.match(await failure('http://a.test/unknown'), { code: 'EXECUTION_ERROR', message: /"lzw"/ })
  t.match(await failure('http://a.test/no-gzip'), { code: 'EXECUTION_ERROR', message: /cannot be decompressed/ })
})

t.test('handles content that is no page', async t => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAEklEQVR4nGP8z8DwnwEJMCFzAFV1BwGD5CdgAAAAAElFTkSuQmCC',
    'base64'
  )
  const at = (body: string | Buffer, type?: string) => ({
    body,
    headers: type === undefined ? {} : { 'content-type': type }
  })
  const document = createPdf(['First page', 'Second page'])
  const { fetched } = await startFakeWeb(t, {
    '/json': at('{"a":[1,{"b":"ö"}]}', 'application/vnd.api+json'),
    '/no-json': at('{"a":', 'application/json'),
    '/png': at(png, 'text/html'),
    '/zip': at(Buffer.from('PK\x03\x04\0\0\0'), 'application/zip'),
    '/untold': at('<!doctype html><main><p>page'),
    '/untold-text': at('plain enough'),
    '/pdf': at(document, 'application/pdf'),
    '/no-pdf': at('%PDF-1.4 and nothing', 'application/pdf'),
    '/escapes': at('\u001b]0;pwn\u0007\u202etxt', 'text/plain'),
    '/scripts': htmlResponse('<div id=app></div><script>start()</script>'),
    '/gone': { status: 404, ...htmlResponse('<p>Nothing here') },
    '/empty': { status: 204 }
  })
  const get = (way: string, more: object = {}) => fetched(`http://a.test/${way}`, more)
  t.equal((await get('json')).data.body, '{\n  "a": [\n    1,\n    {\n      "b": "ö"\n    }\n  ]\n}')
  t.equal((await get('json', { format: 'raw' })).data.body, '{"a":[1,{"b":"ö"}]}')
  t.match((await get('no-json')).data, {
    body: '{"a":',
    notes: ['The response is declared as JSON, but is not valid JSON.']
  })
  t.match(await get('png'), {
    content: /\(\d+ bytes, image\/png\.\)/,
    data: { media_type: 'image/png', encoding: 'base64', body: png.toString('base64'), width: 2, height: 3 },
    attachments: [
      { media_type: 'image/png', width: 2, height: 3, data_url: `data:image/png;base64,${png.toString('base64')}` }
    ]
  })
  t.match((await get('zip')).data, { body: '', notes: [/`format` raw/] })
  t.match((await get('zip', { format: 'raw' })).data, { body: 'UEsDBAAAAA==', encoding: 'base64' })
  t.match((await get('untold')).data, { body: 'page', media_type: 'text/html' })
  t.match((await get('untold-text')).data, { body: 'plain enough', media_type: 'text/plain' })
  t.match((await get('pdf')).data.body, /--- Page 1 of 2 ---\n.*\n--- Page 2 of 2 ---/s)
  t.equal((await get('pdf', { format: 'raw' })).data.body, document.toString('base64'))
  t.match((await get('no-pdf')).data, { body: '', notes: [/The PDF is broken/] })
  const escapes = await get('escapes')
  t.equal(escapes.data.body, '\u001b]0;pwn\u0007\u202etxt', 'the data is what came')
  t.ok(escapes.content.endsWith('\\u{1b}]0;pwn\\u{7}\\u{202e}txt'), 'what is shown cannot steer a screen')
  t.match((await get('scripts')).data.notes, [/without its scripts/])
  t.match(await get('gone'), { content: /returned 404/, data: { status: 404, body: 'Nothing here' } })
  t.match((await get('empty')).data, { status: 204, body: '' })
})

t.test('a server that disconnects, sends nonsense or never ends', async t => {
  const { failure, call, post, asked } = await startFakeWeb(t, {
    '/off': request => void request.socket.destroy(),
    '/short': (_, response) =>
      void response.writeHead(200, { 'content-length': '100' }).write('short', () => response.destroy()),
    '/nonsense': request => void request.socket.end('this is no HTTP\r\n\r\n'),
    '/forever': (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('and '),
    '/silent': () => {}
  })
  t.match(await failure('http://a.test/off'), { code: 'NETWORK_ERROR' })
  t.match(await failure('http://a.test/short'), { code: 'NETWORK_ERROR' })
  t.match(await failure('http://a.test/nonsense'), { code: 'EXECUTION_ERROR', message: /not HTTP/ })
  t.match(await failure('http://a.test/forever', { timeout_ms: 200 }), { code: 'TIMEOUT' })
  const silent = await post('/calls?wait_ms=0', { tool: 'web_fetch', params: { url: 'http://a.test/silent' } })
  t.match(await post(`/calls/${silent.tool_call_id}/cancel`, {}), { status: 'cancelled' })
  const before = asked.length
  const { tool_call_id, approval } = await call('web_fetch', { url: 'http://a.test/off', method: 'POST', body: 'x' })
  t.match(await post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest }), {
    error: { code: 'NETWORK_ERROR' }
  })
  t.equal(asked.length, before + 1, 'what may have had an effect is not sent twice')
})
