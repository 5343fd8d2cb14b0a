// Tests of web_fetch through a real server, with a fake web behind a fake resolver.
// tier: full
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { createPdf } from '../../pdf.ts'
import type { Json } from '../../start-app.ts'
import { htmlResponse, startFakeWeb } from './fixture.ts'

const PAGE =
  '<title>Bread</title><nav><a href=/>Home</a></nav><main><h1>Bread</h1><p>Flour, water &amp; <b>salt</b>.</main>'

t.test('a page is Markdown, and raw, in the other forms', async t => {
  const { fetched, requests } = await startFakeWeb(t, { '/bread': htmlResponse(PAGE, { 'cache-control': 'no-store' }) })
  const bodies: Record<string, string> = {}
  for (const format of ['markdown', 'text', 'html', 'raw'])
    bodies[format] = (await fetched('http://a.test/bread', { format })).data.body
  t.strictSame(bodies, {
    markdown: '# Bread\n\nFlour, water & **salt**.',
    text: 'Bread\n\nFlour, water & salt.',
    html: PAGE,
    raw: PAGE
  })
  const { title, content, data, metadata } = await fetched('http://a.test/bread')
  t.equal(title, 'Bread')
  t.equal(
    content,
    'http://a.test/bread answered 200, text/html. What follows is what stands there, and no word of the user:\n# Bread\n\nFlour, water & **salt**.'
  )
  t.match(data, { status: 200, final_url: 'http://a.test/bread', media_type: 'text/html', charset: 'utf-8', total: 33 })
  t.match(metadata, { untrusted: true, status: 200 })
  t.match(requests[0]!.headers, { 'user-agent': 'toolgate/0.0.0-test', 'accept-encoding': 'gzip, deflate, br, zstd' })
})

t.test('requires approval for other hosts, and previews the request', async t => {
  const { call, post, fetched, events, requests, outside } = await startFakeWeb(
    t,
    { '/': htmlResponse('<p>here'), '/form': (request, response) => response.end(`got ${request.body}`) },
    { allow: ['a.test', 'dear.test:8443'], contact: 'https://example.com/about' }
  )
  t.match(await fetched('http://a.test/'), { data: { body: 'here' } }, 'a host on the list is read at once')
  t.equal(requests[0]!.headers['user-agent'], 'toolgate/0.0.0-test (+https://example.com/about)')
  t.match(await fetched('https://dear.test:8443/').catch(error => error.message), /NETWORK_ERROR|EXECUTION_ERROR/)
  t.equal(outside.dialled.at(-1), '93.184.215.14 8443')

  const asked = await call('web_fetch', { url: 'http://xn--bcher-kva.test/a?b=1' })
  t.match(asked.approval, {
    level: 'ask',
    reason: 'Accesses the network.',
    preview: {
      title: 'GET xn--bcher-kva.test',
      text: 'GET http://xn--bcher-kva.test/a?b=1\nhost: xn--bcher-kva.test, at 93.184.215.14',
      notes: [
        'xn--bcher-kva.test is written bücher.test.',
        'It goes without TLS: anybody on the way can read and change it.'
      ]
    },
    always_options: [
      { id: 'host:session', rule: { effect: 'allow', match: { tool: 'web_fetch', host: 'xn--bcher-kva.test' } } },
      { id: 'host:workspace' }
    ]
  })
  const strange = await call('web_fetch', { url: 'https://раураl.test/' })
  t.match(strange.approval.preview.notes, [/is written раураl\.test/, /mixes Latin and Cyrillic letters/])

  const secret = `ghp_${'a1B2'.repeat(9)}`
  const params = {
    url: `http://a.test/form?api_key=${secret}`,
    method: 'POST',
    body: 'x=1',
    headers: { 'X-Token': secret }
  }
  const sending = await call('web_fetch', params)
  t.match(sending.approval, {
    reason: 'It sends a POST, the header X-Token, a body.',
    preview: {
      notes: [
        'The address may hold a secret: api_key.',
        'It sends what may be a credential: X-Token.',
        'It goes without TLS: anybody on the way can read and change it.'
      ]
    }
  })
  const redacted = {
    ...params,
    url: 'http://a.test/form?api_key=[masked: credentials]',
    headers: { 'X-Token': '[masked: credentials]' }
  }
  t.strictSame(sending.params, redacted)
  const stream = await events(`?after=0&tool_call_id=${sending.tool_call_id}`)
  const told = await stream.type('tool.call')
  t.notMatch(JSON.stringify(told), secret)
  const named = await call('web_fetch', { ...params, timeout: 5 }, { toolset: 'workspace' })
  t.match(named, { requested_params: { headers: redacted.headers } }, 'also by the names of a toolset')
  const stranger = await events(`?after=0&tool_call_id=${named.tool_call_id}`)
  t.notMatch(JSON.stringify(await stranger.type('tool.call')), secret)
  stranger.close()
  const done = await post('/approve', {
    tool_call_id: sending.tool_call_id,
    digest: sending.approval.digest,
    always: 'host:session'
  })
  const ended = (await stream.type('tool.result')).at(-1)
  t.match(ended, { status: 'success', result: { data: { body: 'got x=1' } } }, JSON.stringify(done))
  t.equal(requests.at(-1)!.headers['x-token'], secret, 'it was sent all the same')
  t.match(await call('web_fetch', params), { status: 'success' }, 'always means by that method')
  t.match(await call('web_fetch', { url: 'http://a.test/', headers: { 'x-own': '1' } }), {
    status: 'awaiting_approval'
  })
  t.match(await call('web_fetch', { url: 'http://a.test/', headers: { 'Accept-Language': 'de' } }), {
    status: 'success'
  })
})

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
    message:
      'a.test sends it on to http://c.test/?code=1, where nobody has allowed it to go. To go there, fetch that address itself.',
    details: { reason: 'redirect', redirect: 'http://c.test/?code=1' }
  })
  t.match(await failure('http://a.test/www'), { code: 'PERMISSION_DENIED' }, 'a list means what stands on it')
  t.match(await failure('http://a.test/scheme'), { code: 'URL_BLOCKED', message: /no ftp/ })
  t.match(await failure('http://a.test/broken'), { code: 'URL_BLOCKED' })
  t.match(await failure('http://a.test/round'), { code: 'EXECUTION_ERROR', message: /more than 5 times/ })

  const approved = async (params: object) => {
    const { tool_call_id, approval } = await call('web_fetch', params)
    return post('/approve?wait_ms=20000', { tool_call_id, digest: approval.digest })
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
  t.match(await failure('http://a.test/no-gzip'), { code: 'EXECUTION_ERROR', message: /cannot be unpacked/ })
})

t.test('decodes text in its encoding', async t => {
  const at = (body: Buffer, type: string) => ({ body, headers: { 'content-type': type } })
  const { fetched } = await startFakeWeb(t, {
    '/told': at(Buffer.from('Br\xf6t', 'latin1'), 'text/plain; charset="ISO-8859-1"'),
    '/meta': at(Buffer.from('<meta charset=windows-1251><p>\xf5\xeb\xe5\xe1', 'latin1'), 'text/html'),
    '/xml': at(Buffer.from('<?xml version="1.0" encoding="shift_jis"?><a>\x83p\x83\x93</a>', 'latin1'), 'text/xml'),
    '/bom': at(Buffer.from('\ufeffBröt', 'utf16le'), 'text/plain; charset=utf-8'),
    '/bom8': at(Buffer.from('\ufeffBröt'), 'text/plain; charset=latin1'),
    '/lie': at(Buffer.from('<meta charset=utf-16><p>Br\u00f6t'), 'text/html; charset=no-such'),
    '/unsaid': at(Buffer.from('Br\x94t\xf6', 'latin1'), 'text/plain'),
    '/utf8': at(Buffer.from('Bröt'), 'text/plain')
  })
  const found: Record<string, string[]> = {}
  for (const way of ['told', 'meta', 'xml', 'bom', 'bom8', 'lie', 'unsaid', 'utf8']) {
    const { body, charset } = (await fetched(`http://a.test/${way}`)).data
    found[way] = [body, charset]
  }
  t.strictSame(found, {
    told: ['Bröt', 'windows-1252'],
    meta: ['хлеб', 'windows-1251'],
    xml: ['<?xml version="1.0" encoding="shift_jis"?><a>パン</a>', 'shift_jis'],
    bom: ['Bröt', 'utf-16le'],
    bom8: ['Bröt', 'utf-8'],
    lie: ['Bröt', 'utf-8'],
    unsaid: ['Br”tö', 'windows-1252'],
    utf8: ['Bröt', 'utf-8']
  })
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
  t.match((await get('no-json')).data, { body: '{"a":', notes: ['It says that it is JSON, and is none.'] })
  t.match(await get('png'), {
    content: /\(\d+ bytes, image\/png\.\)/,
    data: { media_type: 'image/png', encoding: 'base64', body: png.toString('base64'), width: 2, height: 3 },
    attachments: [
      { media_type: 'image/png', width: 2, height: 3, data_url: `data:image/png;base64,${png.toString('base64')}` }
    ]
  })
  t.match((await get('zip')).data, { body: '', notes: [/format raw/] })
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
  t.match(await get('gone'), { content: /answered 404/, data: { status: 404, body: 'Nothing here' } })
  t.match((await get('empty')).data, { status: 204, body: '' })
})

t.test('continues a long page without fetching it again', async t => {
  const lines = Array.from({ length: 3_000 }, (_, i) => `<p>Line ${i} of the page.`).join('\n')
  const { fetched, requests } = await startFakeWeb(t, {
    '/long': htmlResponse(lines),
    '/secret': htmlResponse(lines, { 'cache-control': 'no-store' })
  })
  const parts: string[] = []
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const { data, content, truncated }: Json = await fetched('http://a.test/long', { offset, limit: 20_000 })
    parts.push(data.body)
    t.equal(truncated, data.next_offset !== undefined)
    if (truncated) t.ok(content.endsWith(`Read on with offset ${data.next_offset}.)`))
    offset = data.next_offset
  }
  t.ok(parts.length > 3)
  t.ok(
    parts.slice(0, -1).every(part => part.endsWith('\n')),
    'cut between lines'
  )
  const whole = (await fetched('http://a.test/long', { limit: 500_000 })).data
  t.equal(parts.join(''), whole.body)
  t.equal(requests.length, 2, 'once to read it all, and once since it may have changed')
  await fetched('http://a.test/secret')
  await fetched('http://a.test/secret', { offset: 100 })
  t.equal(requests.length, 4, 'what is not to be kept is not')
  t.equal((await fetched('http://a.test/long', { offset: 10_000_000 })).data.body, '')
})

t.test('revalidates cached pages, and reuses fresh ones', async t => {
  let version = 1
  const tagged = (request: Json, response: Json) => {
    const etag = `"v${version}"`
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
    response.writeHead(200, { etag, 'content-type': 'text/plain' }).end(`version ${version}`)
  }
  const { fetched, requests, call, post } = await startFakeWeb(t, {
    '/tagged': tagged,
    '/to-tagged': { status: 301, headers: { location: '/tagged' } },
    '/dated': (request, response) => {
      const modified = 'Sun, 22 Nov 2026 10:00:00 GMT'
      if (request.headers['if-modified-since'] === modified) return response.writeHead(304).end()
      response.writeHead(200, { 'last-modified': modified, 'content-type': 'text/plain' }).end('dated')
    },
    '/fresh': { headers: { 'cache-control': 'max-age=60', 'content-type': 'text/plain' }, body: 'fresh' },
    '/old': { headers: { 'cache-control': 'max-age=60', age: '60', 'content-type': 'text/plain' }, body: 'old' },
    '/expires': {
      headers: { date: 'Sun, 22 Nov 2026 10:00:00 GMT', expires: 'Sun, 22 Nov 2026 11:00:00 GMT' },
      body: 'expires'
    },
    '/no-cache': { headers: { 'cache-control': 'max-age=60, no-cache' }, body: 'no-cache' },
    '/vary': { headers: { 'cache-control': 'max-age=60', vary: '*' }, body: 'vary' }
  })
  const twice = async (way: string) => {
    const from: string[] = []
    for (const _ of [1, 2]) from.push((await fetched(`http://a.test/${way}`)).data.from)
    return from
  }
  t.strictSame(await twice('tagged'), ['network', 'unchanged'])
  t.match((await fetched('http://a.test/tagged')).data, { status: 200, body: 'version 1' })
  t.strictSame(await twice('to-tagged'), ['network', 'unchanged'])
  version = 2
  t.match((await fetched('http://a.test/tagged')).data, { from: 'network', body: 'version 2' })
  t.strictSame(await twice('dated'), ['network', 'unchanged'])
  t.strictSame(await twice('fresh'), ['network', 'cache'])
  t.strictSame(await twice('expires'), ['network', 'cache'])
  t.strictSame(await twice('old'), ['network', 'network'])
  t.strictSame(await twice('no-cache'), ['network', 'network'])
  t.strictSame(await twice('vary'), ['network', 'network'])
  const before = requests.length
  const { tool_call_id, approval } = await call('web_fetch', {
    url: 'http://a.test/fresh',
    headers: { authorization: 'Bearer x' }
  })
  t.match(await post('/approve?wait_ms=20000', { tool_call_id, digest: approval.digest }), {
    result: { data: { from: 'network' } }
  })
  t.equal(requests.length, before + 1, 'what is asked for with a credential is not what others get')
})

t.test('respects robots.txt', async t => {
  const rules = 'User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: toolgate\nDisallow: /ours\n'
  const site = {
    'a.test/robots.txt': { body: 'User-agent: toolgate\nDisallow: /ours\nAllow: /ours/open\n' },
    'b.test/robots.txt': { body: rules.split('\n\n')[0]! },
    'down.test.example/robots.txt': { status: 503 },
    'moved.test.example/robots.txt': { status: 301, headers: { location: 'http://elsewhere.test/robots.txt' } },
    '/ours': htmlResponse('<p>ours'),
    '/ours/open': htmlResponse('<p>open'),
    '/private': htmlResponse('<p>private'),
    '/private/open': htmlResponse('<p>open'),
    '/to-private': { status: 302, headers: { location: 'http://b.test/private' } },
    '/': htmlResponse('<p>root')
  }
  const { fetched, failure, asked, call, post } = await startFakeWeb(t, site)
  t.match(await failure('http://a.test/ours'), {
    code: 'URL_BLOCKED',
    message: /a\.test asks programs to stay away from there \(line 2 of http:\/\/a\.test\/robots\.txt\)/,
    details: { reason: 'robots', line: 2 }
  })
  t.equal((await fetched('http://a.test/ours/open')).data.body, 'open')
  t.match(await failure('http://b.test/private'), { code: 'URL_BLOCKED' })
  t.equal((await fetched('http://b.test/private/open')).data.body, 'open')
  t.match(await failure('http://a.test/to-private'), { code: 'URL_BLOCKED', message: /b\.test asks/ })
  t.match(await failure('http://down.test.example/'), { code: 'NETWORK_ERROR', message: /answers 503/ })
  t.equal((await fetched('http://moved.test.example/')).data.body, 'root')
  t.match((await fetched('http://a.test/robots.txt')).data.body, /Disallow: \/ours/)
  t.equal(asked.filter(one => one === 'GET b.test/robots.txt').length, 1, 'asked once')
  const { tool_call_id, approval } = await call('web_fetch', { url: 'http://a.test/ours', method: 'POST', body: '' })
  t.match(
    await post('/approve?wait_ms=20000', { tool_call_id, digest: approval.digest }),
    { status: 'success' },
    'it is about reading'
  )

  const careless = await startFakeWeb(t, site, { allow: ['a.test'], robots: 'ignore' })
  t.equal((await careless.fetched('http://a.test/ours')).data.body, 'ours')
  t.notOk(careless.asked.some(one => one.includes('robots')))
})

t.test('never sends forbidden headers, and rejects invalid requests', async t => {
  const { failure, requests } = await startFakeWeb(t, { '/': htmlResponse('<p>x') })
  const fault = async (params: object) => (await failure('http://a.test/', params)).message
  for (const name of [
    'Host',
    'user-agent',
    'Metadata-Flavor',
    'X-aws-ec2-metadata-token',
    'connection',
    'proxy-authorization'
  ])
    t.equal(
      await fault({ headers: { [name]: 'x' } }),
      `/params/headers: ${name.toLowerCase()} is never taken from a caller.`
    )
  t.match(await fault({ headers: { 'a b': 'x' } }), /no name of a header/)
  t.match(await fault({ headers: { a: 'x\r\nb: y' } }), /what no header may/)
  t.match(await fault({ headers: { a: 'x', A: 'y' } }), /a stands twice/)
  t.match(
    await fault({ headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, '1'])) }),
    /the most are 50/
  )
  t.match(await fault({ body: 'x' }), /is sent by POST only/)
  t.match(await failure(`http://a.test/${'x'.repeat(5_000)}`), { code: 'INVALID_PARAMS', message: /the most are 4096/ })
  t.strictSame(requests, [])
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
  t.match(await post('/approve?wait_ms=20000', { tool_call_id, digest: approval.digest }), {
    error: { code: 'NETWORK_ERROR' }
  })
  t.equal(asked.length, before + 1, 'what may have had an effect is not sent twice')
})

t.test('permits local hosts configured by the operator', async t => {
  const { call, failure, post, outside } = await startFakeWeb(
    t,
    { '/': htmlResponse('<p>own') },
    { allow: ['own.test:3000'], local: ['own.test:3000', 'box.test', 'meta.test'] },
    {
      dns: {
        'own.test': [['127.0.0.1']],
        'box.test': [['10.0.0.7']],
        'meta.test': [['169.254.169.254']],
        'other.test': [['10.0.0.7']]
      }
    }
  )
  t.match(await call('web_fetch', { url: 'http://own.test:3000/' }), { result: { data: { body: 'own' } } })
  const { tool_call_id, approval } = await call('web_fetch', { url: 'http://box.test/' })
  t.match(approval.preview.text, /at 10\.0\.0\.7/)
  t.match(await post('/approve?wait_ms=20000', { tool_call_id, digest: approval.digest }), {
    result: { data: { body: 'own' } }
  })
  t.match(await failure('http://meta.test/'), { code: 'URL_BLOCKED', message: /cloud metadata/ })
  t.match(await failure('http://other.test/'), {
    code: 'URL_BLOCKED',
    message: 'other.test leads to a private address.'
  })
  t.match(await failure('http://own.test:3001/'), {
    code: 'URL_BLOCKED',
    message: /put own\.test:3001 into web\.allow/
  })
  t.strictSame([...new Set(outside.dialled)], ['127.0.0.1 3000', '10.0.0.7 80'])
})
