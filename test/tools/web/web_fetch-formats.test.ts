// Tests of how web_fetch reads pages: their encodings, JSON, and pages that lead on to others.
// tier: quick
import t from 'tap'
import { htmlResponse, startFakeWeb } from './fixture.ts'

t.test('indents JSON without changing its values', async t => {
  const json =
    '{"b":1,"10":2,"2":3,"id":725653563933458432,"price":1.10,"dup":1,"dup":2,"huge":1e400,"text":"a \\"{,} b","none":[ ],"empty":{},"list":[-0,[true]]}'
  const { fetched } = await startFakeWeb(t, {
    '/a.json': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/vnd.api+json' }).end(json),
    '/text.json': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(' "a  b" '),
    '/broken.json': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":}')
  })
  t.equal(
    (await fetched('http://a.test/a.json')).data.body,
    `{
  "b": 1,
  "10": 2,
  "2": 3,
  "id": 725653563933458432,
  "price": 1.10,
  "dup": 1,
  "dup": 2,
  "huge": 1e400,
  "text": "a \\"{,} b",
  "none": [],
  "empty": {},
  "list": [
    -0,
    [
      true
    ]
  ]
}`
  )
  t.equal((await fetched('http://a.test/text.json')).data.body, '"a  b"')
  t.equal((await fetched('http://a.test/broken.json')).data.body, '{"a":}')
})

t.test('reads pages that do not declare their encoding, or declare it late or oddly', async t => {
  const text = 'Федеральный закон о государственной службе'
  const cyrillic = Buffer.from([...text].map(letter => (letter === ' ' ? 0x20 : letter.charCodeAt(0) - 0x350)))
  const page = (...parts: (string | Buffer)[]) => Buffer.concat(parts.map(part => Buffer.from(part)))
  const filler = `<!--${'x'.repeat(2_000)}-->`
  const meta = '<meta charset="windows-1251">'
  const pages: [name: string, bytes: Buffer, type: string, expected: object][] = [
    ['none', page('<p>', cyrillic), 'text/html', { charset: 'windows-1251', notes: [/windows-1251 was guessed/] }],
    ['late', page(filler, meta, '<p>', cyrillic), 'text/html', { charset: 'windows-1251', notes: [] }],
    ['quoted', page('<p>', cyrillic), 'text/html; charset="windows-1251"', { charset: 'windows-1251', notes: [] }],
    ['single', page('<p>', cyrillic), "text/html; Charset='cp1251'", { charset: 'windows-1251', notes: [] }],
    ['plain', cyrillic, 'text/plain', { charset: 'windows-1251', notes: [/guessed/] }],
    ['mark', page('\uFEFF<p>', text), 'text/html; charset=windows-1251', { charset: 'utf-8', notes: [] }],
    ['utf8-late', page(filler, meta, '<p>', text), 'text/html', { charset: 'utf-8', notes: [] }],
    ['unknown', page('<p>', cyrillic), 'text/html; charset=x-none', { charset: 'windows-1251', notes: [/guessed/] }]
  ]
  const japanese = Buffer.from([
    0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xcc, 0x83, 0x65, 0x83, 0x4c, 0x83, 0x58, 0x83, 0x67
  ])
  const { fetched } = await startFakeWeb(t, {
    ...Object.fromEntries(
      pages.map(([name, bytes, type]) => [
        `/${name}`,
        (_request: unknown, response: import('node:http').ServerResponse) =>
          void response.writeHead(200, { 'content-type': type }).end(bytes)
      ])
    ),
    '/japanese': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page('<p>', japanese)),
    '/wrong': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page('<p>', cyrillic))
  })
  for (const [name, , , expected] of pages)
    t.match((await fetched(`http://a.test/${name}`)).data, { body: text, ...expected }, name)
  t.match((await fetched('http://a.test/japanese')).data, { body: '日本語のテキスト', charset: /shift_jis/i })
  t.match((await fetched('http://a.test/wrong')).data, { charset: 'utf-8', notes: [/bytes are not valid utf-8/] })
})

t.test('says where a page leads on to that holds nothing itself', async t => {
  const { fetched, requests } = await startFakeWeb(t, {
    '/refresh': htmlResponse('<meta http-equiv="refresh" content="0; url=latest/">'),
    '/quoted': htmlResponse(
      `<head><base href="/docs/"><META HTTP-EQUIV='Refresh' CONTENT="5;URL='v2/index.html'"></head>`
    ),
    '/noscript': htmlResponse(
      '<noscript><meta http-equiv=refresh content="0;url=https://a.test/plain"></noscript><script>1</script>'
    ),
    '/reload': htmlResponse('<meta http-equiv=refresh content=30><p>News'),
    '/header': htmlResponse('<p>', { refresh: '0; url=/there' }),
    '/frames': htmlResponse(
      '<frameset><frame src="menu.html"><frame src="/main.html"><frame src="javascript:x"></frameset>'
    ),
    '/umlaut': (_request, response) =>
      response.writeHead(302, { location: Buffer.from('/zürich').toString('latin1') }).end(),
    '/latin': (_request, response) => response.writeHead(302, { location: '/z\xfcrich' }).end(),
    '/z%C3%BCrich': htmlResponse('<p>Zürich')
  })
  const notes = async (path: string) => (await fetched(`http://a.test/${path}`)).data.notes
  const leads = (address: string) => [`The page redirects browsers to ${address}: fetch this URL to read the content.`]
  t.same(await notes('refresh'), leads('http://a.test/latest/'))
  t.same(await notes('quoted'), leads('http://a.test/docs/v2/index.html'))
  t.match(await notes('noscript'), leads('https://a.test/plain'))
  t.same(await notes('reload'), [])
  t.same(await notes('header'), leads('http://a.test/there'))
  t.same(await notes('frames'), [
    'The page consists of frames, which were not fetched: http://a.test/menu.html, http://a.test/main.html.'
  ])
  for (const path of ['umlaut', 'latin'])
    t.match(
      (await fetched(`http://a.test/${path}`)).data,
      { body: 'Zürich', final_url: 'http://a.test/z%C3%BCrich' },
      path
    )
  t.equal(requests.at(-1)?.url, '/z%C3%BCrich')
})
