// Tests that an odd answer or definition of an MCP server costs that call or that tool alone, and that numbers keep their digits.
// tier: full
// run: cheap

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Json, startApp, type TestApp, TOKEN } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { once } from '../../support/wait.ts'
import { getServerState, waitUntilReady, withMcpServers } from './scripted-settings.ts'

const RAW_SERVER = path.resolve('test/host/mcp/raw-server.ts')
const tool = (name: string, input: unknown = { type: 'object' }, more: object = {}) =>
  JSON.stringify({ name, inputSchema: input, ...more })

/** Starts an app with a raw server of these tools and results. Its log holds the requests as they arrived. */
async function startRaw(t: Test, tools: readonly string[], results: Record<string, string>) {
  const folder = makeTestFolder(t)
  const [answers, requests] = [path.join(folder, 'answers.json'), path.join(folder, 'requests')] as const
  writeFileSync(answers, JSON.stringify({ tools, results }))
  const settings = withMcpServers({
    one: { command: process.execPath, args: [RAW_SERVER, answers, requests], effects: { '*': 'read' } }
  })
  const app = await startApp(t, {}, { settings })
  await waitUntilReady(app, 'one')
  const use = async (name: string, params: object = {}) => {
    const { status, result, error } = await app.call(`mcp:one:${name}`, params)
    return status === 'success' ? result : error
  }
  return { app, use, requests: () => (existsSync(requests) ? readFileSync(requests, 'utf8') : '') }
}

const names = async (app: TestApp) =>
  (await app.get('/tools')).tools.map(({ name }: Json) => name).filter((name: string) => name.startsWith('mcp:one:'))

t.test('an odd definition costs that tool', async t => {
  const { app, use } = await startRaw(
    t,
    [
      tool('good'),
      tool('empty', {}),
      '{"name":"absent"}',
      '{"name":"null_schema","inputSchema":null,"title":7,"description":{"a":1},"annotations":"none","icons":"x","_meta":[]}',
      tool('untyped', { properties: { a: { type: 'string' } }, required: ['a'] }),
      tool('nullable', { type: ['object', 'null'] }),
      tool('text_schema', { type: 'string' }),
      tool('list_schema', []),
      tool('bad_properties', { type: 'object', properties: 'none' }),
      tool('bad_required', { type: 'object', required: 'all' }),
      tool('bad_output', { type: 'object' }, { outputSchema: 'text' }),
      tool('no_output', { type: 'object' }, { outputSchema: null }),
      '{"name":7}',
      '{"title":"nameless"}',
      '"text"',
      'null',
      '[]'
    ],
    { good: '{"content":[{"type":"text","text":"fine"}]}', empty: '{"content":[]}', untyped: '{"content":[]}' }
  )
  t.same(await names(app), [
    'mcp:one:good',
    'mcp:one:empty',
    'mcp:one:absent',
    'mcp:one:null_schema',
    'mcp:one:untyped',
    'mcp:one:nullable',
    'mcp:one:no_output'
  ])
  const { state, restarts, refused } = await getServerState(app, 'one')
  t.same({ state, restarts }, { state: 'ready', restarts: 0 })
  t.same(
    refused.map(({ name, reason }: Json) => [name, reason.replace(/cannot be used: .*/, 'cannot be used')]),
    [
      ['text_schema', "the tool's input schema does not accept objects"],
      ['list_schema', "the tool's input schema is an array"],
      ['bad_properties', "the tool's input schema cannot be used"],
      ['bad_required', "the tool's input schema cannot be used"],
      ['bad_output', "the tool's output schema is a string"],
      ['tool 13', 'the tool has no name'],
      ['tool 14', 'the tool has no name'],
      ['tool 15', 'the definition is a string'],
      ['tool 16', 'the definition is null'],
      ['tool 17', 'the definition is an array']
    ]
  )
  t.match(await use('good'), { content: 'fine' })
  t.match(await use('empty'), { content: '' })
  t.match((await app.request('POST', '/calls', { tool: 'mcp:one:untyped', params: {} })).body, {
    code: 'INVALID_PARAMS',
    errors: [{ pointer: '/params/a' }]
  })
})

const PIECES: readonly [name: string, content: string, expected: object][] = [
  [
    'unknown type',
    '[{"type":"hologram","data":1},{"type":"text","text":"good"}]',
    {
      content: `good\n(Part 1 of the result is omitted: the type "hologram" is unknown.)`,
      data: {
        content: [{ type: 'text', text: 'good' }],
        notes: ['Part 1 of the result is omitted: the type "hologram" is unknown.']
      }
    }
  ],
  ['unknown type with a text', '[{"type":"thinking","text":"hm"}]', { content: 'hm' }],
  [
    'prototype as a type',
    '[{"type":"constructor"},{"type":"__proto__"}]',
    {
      content: `(Part 1 of the result is omitted: the type "constructor" is unknown.)\n(Part 2 of the result is omitted: the type "__proto__" is unknown.)`
    }
  ],
  [
    'data address',
    '[{"type":"image","data":"data:image/png;base64,AAAA","mimeType":"image/png"}]',
    {
      attachments: [{ media_type: 'image/png', data_url: 'data:image/png;base64,AAAA' }]
    }
  ],
  [
    'data address without a media type',
    '[{"type":"image","data":"data:image/webp;base64,AAAA"}]',
    {
      attachments: [{ media_type: 'image/webp', data_url: 'data:image/webp;base64,AAAA' }]
    }
  ],
  [
    'plain data address',
    '[{"type":"image","data":"data:image/svg+xml,<svg/>"}]',
    {
      content: '(Part 1 of the result is omitted: the data of the part is a data: address that is not base64.)'
    }
  ],
  [
    'no base64',
    '[{"type":"audio","data":"not base64!","mimeType":"audio/wav"}]',
    {
      content: '(Part 1 of the result is omitted: the data of the part is not base64.)'
    }
  ],
  [
    'image without data',
    '[{"type":"image","url":"https://example.com/x.png"}]',
    {
      content: '(Part 1 of the result is omitted: the part has no data.)'
    }
  ],
  [
    'text of another type',
    '[{"type":"text","text":{"rows":[1]}},{"type":"text"}]',
    {
      content: `{\n  "rows": [\n    1\n  ]\n}\n(Part 2 of the result is omitted: the resource of the part has no text.)`
    }
  ],
  [
    'pieces that are none',
    '["plain",7,null,[],{}]',
    {
      content: `plain\n(Part 2 of the result is omitted: the part is a number.)\n(Part 3 of the result is omitted: the part is null.)\n(Part 4 of the result is omitted: the part is an array.)\n(Part 5 of the result is omitted: the part has no type.)`
    }
  ],
  ['a single piece', '{"type":"text","text":"alone"}', { content: 'alone' }],
  ['a text', '"just a text"', { content: 'just a text' }],
  ['null', 'null', { content: '', data: { content: [] } }],
  [
    'link without a name',
    '[{"type":"resource_link","uri":"file:///x"},{"type":"resource_link"}]',
    {
      content: `[file:///x](file:///x)\n(Part 2 of the result is omitted: the part has no uri.)`
    }
  ],
  [
    'odd resources',
    '[{"type":"resource","resource":{"text":"no uri"}},{"type":"resource","resource":{"uri":"a:"}},{"type":"resource"}]',
    {
      content: `[]\nno uri\n(Part 2 of the result is omitted: the part has no blob.)\n(Part 3 of the result is omitted: the resource of the part is not an object.)`
    }
  ],
  [
    'odd fields',
    '[{"type":"text","text":"fine","annotations":7,"_meta":"x"},{"type":"image","data":"AAAA","mimeType":7}]',
    {
      content: 'fine',
      attachments: [{ media_type: 'application/octet-stream' }]
    }
  ],
  [
    'an overlong type',
    `[{"type":"${'x'.repeat(5_000)}"}]`,
    {
      content: `(Part 1 of the result is omitted: the type "${'x'.repeat(60)}…" is unknown.)`
    }
  ]
]

const RESPONSES: readonly [name: string, response: string, message: RegExp][] = [
  ['a result that is a list', '[]', /The result of the MCP server is an array instead of an object/],
  ['a result that is a text', '"done"', /The result of the MCP server is a string instead of an object/],
  ['a result of null', 'null', /The result of the MCP server is null instead of an object/],
  ['neither result nor error', '!"more":1', /neither a result nor an error/],
  ['an error that is a text', '!"error":"the disk is full"', /the disk is full/],
  ['an error without a code', '!"error":{"message":"no code"}', /no code/],
  ['an error of another form', '!"error":{"code":"E1","message":{"why":"odd"}}', /"why":"odd"/],
  ['an error marked by a text', '{"content":[{"type":"text","text":"it failed"}],"isError":"true"}', /it failed/]
]

t.test('an odd answer costs that call', async t => {
  const { app, use } = await startRaw(
    t,
    [tool('waits'), ...[...PIECES, ...RESPONSES].map((_, i) => tool(`t${i}`))],
    Object.fromEntries(
      [
        ...PIECES.map(([, content]) => `{"content":${content},"isError":"no","_meta":[]}`),
        ...RESPONSES.map(([, given]) => given)
      ].map((given, i) => [`t${i}`, given])
    )
  )
  const { pid } = await getServerState(app, 'one')
  const { tool_call_id } = (
    await app.request('POST', '/calls', { tool: 'mcp:one:waits', params: {}, background: true })
  ).body
  for (const [i, [name, , expected]] of PIECES.entries()) t.match(await use(`t${i}`), expected, name)
  for (const [i, [name, , message]] of RESPONSES.entries())
    t.match(await use(`t${PIECES.length + i}`), { code: 'MCP_ERROR', recoverable: false, message }, name)
  t.match(await getServerState(app, 'one'), { state: 'ready', restarts: 0, pid }, 'the server goes on')
  t.match(await app.get(`/calls/${tool_call_id}`), { status: 'running' }, "another caller's call goes on")
  await app.request('POST', `/calls/${tool_call_id}/cancel`)
})

const ID = '725653563933458432'
const STRUCTURED = `{"id":${ID},"b":1,"price":1.10,"share":0.12345678901234567890,"huge":1e400,"list":[-9007199254740993,7],"text":"${ID}"}`

t.test('numbers keep their digits', async t => {
  const number = {
    type: 'object',
    properties: { id: { type: 'integer' }, deep: { type: 'array', items: { type: 'number' } } }
  }
  const { app, use, requests } = await startRaw(
    t,
    [
      tool('take', number),
      tool('give'),
      tool('typed', { type: 'object' }, { outputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }),
      // The limits of 64-bit integers are common in schemas.
      `{"name":"bounded","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}}}`
    ],
    {
      take: '{"content":[]}',
      give: `{"content":[],"structuredContent":${STRUCTURED}}`,
      typed: `{"content":[],"structuredContent":{"id":${ID}}}`
    }
  )
  const post = (params: string, route = '/calls') =>
    fetch(`${app.url}${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: `{"tool":"mcp:one:take","params":${params}}`
    })

  await t.test('a number that would be rounded is refused with its place', async t => {
    for (const [params, pointer] of [
      [`{"id":${ID}}`, '/params/id'],
      ['{"id":-9007199254740993}', '/params/id'],
      ['{"deep":[1,0.1234567890123456789]}', '/params/deep/1'],
      ['{"deep":[1e400]}', '/params/deep/0'],
      ['{"a/b":{"~":1e-400}}', '/params/a~1b/~0']
    ] as const) {
      const response = await post(params)
      t.equal(response.status, 400)
      t.match(await response.json(), {
        code: 'INVALID_PARAMS',
        errors: [{ pointer, message: /^cannot be represented exactly as a number: .+ Send the number as a string$/ }]
      })
    }
    t.equal((await post(`{"id":${ID}}`, '/calls/dry-run')).status, 400)
    t.equal(requests(), '', 'the server received nothing')
  })

  await t.test('numbers that stay the same are taken', async t => {
    for (const params of [
      '{"id":9007199254740991}',
      '{"deep":[1.10,1e5,0.1,-0.0,5e-324,1.7976931348623157e308,100000000000000000000]}'
    ])
      t.match(await (await post(params)).json(), { status: 'success' }, params)
  })

  await t.test('a string reaches the server as the number that it spells', async t => {
    t.match(await (await post(`{"id":"${ID}","deep":["0.1234567890123456789"]}`)).json(), {
      status: 'success',
      params: { id: ID }
    })
    t.match(requests(), `"arguments":{"id":${ID},"deep":[0.1234567890123456789]}`)
    for (const id of ['12', `${ID}.5`, `${ID} `, 'text'])
      t.match(await (await post(JSON.stringify({ id }))).json(), { code: 'INVALID_PARAMS' }, id)
  })

  await t.test('structured content keeps the digits as strings, and says so', async t => {
    const { content, data } = await use('give')
    t.same(data.structured, {
      id: ID,
      b: 1,
      price: 1.1,
      share: '0.12345678901234567890',
      huge: '1e400',
      list: ['-9007199254740993', 7],
      text: ID
    })
    t.match(content, 'these numbers are given as strings: /id, /share, /huge, /list/0.)')
    t.match(await use('typed'), { data: { id: ID } }, 'also where the schema wants a number')
  })

  t.ok((await names(app)).includes('mcp:one:bounded'), 'a definition with such a number is served')
})

t.test('numbers keep their digits over HTTP', async t => {
  for (const [kind, wrap] of [
    ['application/json', (text: string) => text],
    ['text/event-stream', (text: string) => `event: message\ndata: ${text}\n\n`]
  ] as const) {
    const received: string[] = []
    const http = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.method !== 'POST') return response.writeHead(405).end()
      const { id, method } = JSON.parse(body)
      if (id === undefined) return response.writeHead(202).end()
      const results: Record<string, string> = {
        initialize:
          '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}',
        'tools/list': '{"tools":[{"name":"give","inputSchema":{"properties":{"id":{"type":"integer"}}}}]}',
        'tools/call': `{"content":[{"type":"hologram"}],"structuredContent":${STRUCTURED}}`
      }
      if (method === 'tools/call') received.push(body)
      const result = results[method]
      const rest = result ? `"result":${result}` : '"error":{"code":-32601,"message":"Method not found"}'
      response
        .writeHead(200, { 'content-type': kind })
        .end(wrap(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`))
    }).listen(0, '127.0.0.1')
    t.teardown(() => {
      http.closeAllConnections()
      http.close()
    })
    await once(http, 'listening')
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
    const app = await startApp(
      t,
      {},
      { settings: withMcpServers({ one: { url, type: 'http', effects: { '*': 'read' } } }) }
    )
    await waitUntilReady(app, 'one')
    const { status, result } = await app.call('mcp:one:give', { id: ID })
    t.match(
      { status, result },
      {
        status: 'success',
        result: {
          data: { structured: { id: ID, list: ['-9007199254740993', 7] }, notes: [/hologram/, /\/id, \/share/] }
        }
      },
      kind
    )
    t.match(received[0], `"id":${ID}}`, `${kind}, arguments`)
  }
})
