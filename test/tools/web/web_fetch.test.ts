// Tests of web_fetch through a real server, with a fake web behind a fake resolver.
// tier: quick
import t from 'tap'
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
    `http://a.test/bread returned 200, text/html. The text below is from this page, not from the user:\n# Bread\n\nFlour, water & **salt**.`
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
        'xn--bcher-kva.test is displayed as bücher.test.',
        'The connection is not encrypted (no TLS): anyone on the network path can read and change the request and the response.'
      ]
    },
    always_options: [
      { id: 'host:session', rule: { effect: 'allow', match: { tool: 'web_fetch', host: 'xn--bcher-kva.test' } } },
      { id: 'host:workspace' }
    ]
  })
  const strange = await call('web_fetch', { url: 'https://раураl.test/' })
  t.match(strange.approval.preview.notes, [
    /^Look-alike letters: \\u\{440\}/,
    /is displayed as раураl\.test/,
    /mixes Latin and Cyrillic letters/
  ])

  const secret = `ghp_${'a1B2'.repeat(9)}`
  const params = {
    url: `http://a.test/form?api_key=${secret}`,
    method: 'POST',
    body: 'x=1',
    headers: { 'X-Token': secret }
  }
  const sending = await call('web_fetch', params)
  t.match(sending.approval, {
    reason: 'Sends a POST, the header X-Token, a body.',
    preview: {
      notes: [
        'The URL may contain a secret: api_key.',
        'The request may contain credentials: X-Token.',
        'The connection is not encrypted (no TLS): anyone on the network path can read and change the request and the response.'
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
    if (truncated) t.ok(content.endsWith(`Continue with offset ${data.next_offset}.)`))
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
  t.match(await post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest }), {
    result: { data: { from: 'network' } }
  })
  t.equal(requests.length, before + 1, 'what is asked for with a credential is not what others get')
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
      `/params/headers: ${name.toLowerCase()} cannot be set by callers.`
    )
  t.match(await fault({ headers: { 'a b': 'x' } }), /not a valid header name/)
  t.match(await fault({ headers: { a: 'x\r\nb: y' } }), /invalid characters/)
  t.match(await fault({ headers: { a: 'x', A: 'y' } }), /contains the header a twice/)
  t.match(
    await fault({ headers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`x-${i}`, '1'])) }),
    /the maximum is 50/
  )
  t.match(await fault({ body: 'x' }), /requires `method` POST/)
  t.match(await failure(`http://a.test/${'x'.repeat(5_000)}`), {
    code: 'INVALID_PARAMS',
    message: /the maximum is 4096/
  })
  t.strictSame(requests, [])
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
  t.match(await post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest }), {
    result: { data: { body: 'own' } }
  })
  t.match(await failure('http://meta.test/'), { code: 'URL_BLOCKED', message: /cloud metadata/ })
  t.match(await failure('http://other.test/'), {
    code: 'URL_BLOCKED',
    message: 'other.test resolves to a private address.'
  })
  t.match(await failure('http://own.test:3001/'), {
    code: 'URL_BLOCKED',
    message: /add own\.test:3001 to web\.allow/
  })
  t.strictSame([...new Set(outside.dialled)], ['127.0.0.1 3000', '10.0.0.7 80'])
})
