// Tests of search by meaning, with a local endpoint that knows a few synonyms.
// tier: full
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, type StartOptions, startApp } from '../../start-app.ts'
import { once, waitUntil } from '../../support/wait.ts'

const KEY = 'sk-embeddings-Zx81kq0V7c2mPw93'
process.env.EMBEDDINGS_TEST_VALUE = KEY

const FILES = {
  'src/cat.ts': '// The feline sleeps.\nexport const sleeps = true\n',
  'src/dog.ts': '// The canine barks.\nexport const barks = true\n',
  'docs/sleep.md': '# Sleep\n\nAnybody sleeps.\n'
}

/** Synonyms. A text's vector counts them. */
const MEANINGS = [/feline|kitten|pussy/gi, /canine|puppy|hound/gi, /sleep|nap/gi]
const vectorOf = (text: string) => [...MEANINGS.map(words => (text.match(words) ?? []).length), 0.01]

type Answer = (texts: string[], response: ServerResponse) => void

const vectors: Answer = (texts, response) => {
  // In any order, as long as the index is given.
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })).reverse()
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }))
}

/** An endpoint with configurable answers that records its requests. */
async function endpoint(t: Test) {
  const asked: { headers: IncomingMessage['headers']; url: string | undefined; body: Json }[] = []
  const state = { answer: vectors }
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Json
    asked.push({ headers: request.headers, url: request.url, body })
    state.answer(body.input, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { state, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` }
}

async function start(
  t: Test,
  url: string,
  more: object = {},
  files: Record<string, string> = FILES,
  options: StartOptions = {}
) {
  const { search } = defaultSettings()
  const embeddings = { ...search.embeddings, url, model: 'm', key_env: 'EMBEDDINGS_TEST_VALUE', batch: 2, ...more }
  const app = await startApp(t, files, { ...options, settings: { search: { ...search, embeddings } } })
  const ask = async (query: string): Promise<Json> => (await app.call('search_code', { query })).result.data
  const paths = async (query: string) => (await ask(query)).hits.map(({ path }: Json) => path)
  /** Polls until the embeddings have the wanted state. */
  const until = async (wished: (embeddings: Json) => boolean) => {
    return waitUntil('the embeddings', async () => {
      const { index } = await ask('begin')
      if (index.state === 'failed') throw new Error(index.reason)
      return index.state === 'ready' && wished(index.embeddings) && index.embeddings
    })
  }
  const complete = () => until(({ embedded, pieces }) => pieces > 0 && embedded === pieces)
  return { ...app, ask, paths, until, complete }
}

t.test('finds text by meaning', async t => {
  const at = await endpoint(t)
  const app = await start(t, at.url)
  t.match(await app.complete(), { model: 'm', embedded: 3, pieces: 3 })
  t.equal((await app.paths('kitten'))[0], 'src/cat.ts', 'by no word that is in it')
  t.same((await app.paths('hound sleeps')).sort(), Object.keys(FILES).sort(), 'words and meanings together')
  t.match((await app.ask('kitten')).hits[0], { lines: [1, 2], matched: [], snippet: /feline/ })
  t.ok(
    at.asked.every(
      ({ url, body, headers }) =>
        url === '/v1/embeddings' && body.model === 'm' && headers.authorization === `Bearer ${KEY}`
    )
  )
  t.ok(at.asked.every(({ body }) => body.input.length <= 2))
  t.ok(at.asked.some(({ body }) => body.input.some((text: string) => text.startsWith('src/cat.ts\n// The feline'))))

  app.write('src/cat.ts', '// Empty.\n')
  app.write('src/new.ts', '// A pussy willow.\n')
  await app.until(({ embedded }) => embedded === 4)
  t.equal((await app.paths('kitten'))[0], 'src/new.ts', 'it follows what changes')
  t.match(await app.get('/capabilities'), { workspaces: [{ index: { embeddings: { embedded: 4, pieces: 4 } } }] })
})

t.test('stores vectors over a restart, and only those of the same model', async t => {
  const at = await endpoint(t)
  const first = await start(t, at.url)
  await first.complete()
  await first.close()
  at.asked.length = 0
  const second = await start(t, at.url, {}, {}, { folder: first.folder })
  await second.complete()
  t.equal(at.asked.filter(({ body }) => body.input.some((text: string) => text.startsWith('src/'))).length, 0)
  t.equal((await second.paths('kitten'))[0], 'src/cat.ts')
  await second.close()
  const third = await start(t, at.url, { model: 'other' }, {}, { folder: first.folder })
  await third.complete()
  t.equal((await third.paths('kitten'))[0], 'src/cat.ts')
  t.ok(
    at.asked.some(({ body }) => body.model === 'other' && body.input.some((text: string) => text.startsWith('src/')))
  )
})

t.test('errors of an endpoint do not affect text search', async t => {
  const wrong: Record<string, { answer: Answer; reason: RegExp; more?: object }> = {
    'too many requests': {
      answer: (_, response) => response.writeHead(429, { 'retry-after': '30' }).end('slow down'),
      reason: /^The embeddings endpoint returned status 429: rate limit exceeded\.$/
    },
    'a refusal': {
      answer: (_, response) => response.writeHead(401).end(`bad key ${KEY}`),
      reason: /^The embeddings endpoint returned status 401\.$/
    },
    'other dimensions': {
      answer: vectors,
      more: { dimensions: 7 },
      reason: /^The vectors of the embeddings endpoint have 4 dimensions instead of 7\.$/
    },
    'no JSON': {
      answer: (_, response) => response.end('<html>'),
      reason: /^The response of the embeddings endpoint is not JSON\.$/
    },
    'no vectors': { answer: (_, response) => response.end('{"data":[]}'), reason: /contains no vectors/ },
    'no end': {
      answer: (_, response) => {
        const more = () => response.destroyed || response.write(' '.repeat(65_536), more)
        more()
      },
      reason: /^The response of the embeddings endpoint has more than \d+ bytes\.$/
    },
    'no numbers': {
      answer: (texts, response) =>
        response.end(JSON.stringify({ data: texts.map(() => ({ embedding: ['x', null] })) })),
      reason: /has no dimensions/
    },
    'no answer': {
      answer: () => {},
      more: { timeout_ms: 50 },
      reason: /^The embeddings endpoint did not answer in time\.$/
    },
    'a way elsewhere': {
      answer: (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      reason: /^The embeddings endpoint cannot be reached/
    }
  }
  for (const [what, { answer, reason, more }] of Object.entries(wrong)) {
    await t.test(what, async t => {
      const at = await endpoint(t)
      at.state.answer = answer
      const app = await start(t, at.url, more)
      const { embedded } = await app.until(embeddings => embeddings.reason !== undefined)
      t.equal(embedded, 0)
      const call = await app.call('search_code', { query: 'canine' })
      t.match(call.result.data, { hits: [{ path: 'src/dog.ts' }], index: { embeddings: { reason } } })
      t.match(call.result.content, /Files are ranked only by words, because the endpoint for embeddings fails\./)
      t.notMatch(JSON.stringify(call), KEY)
    })
  }
  const app = await start(t, 'http://127.0.0.1:9/')
  t.match(await app.until(({ reason }) => reason !== undefined), {
    reason: /^The embeddings endpoint cannot be reached/
  })
})

t.test('uses an endpoint again once it is back', async t => {
  const at = await endpoint(t)
  at.state.answer = (_, response) => response.writeHead(500).end()
  const app = await start(t, at.url)
  await app.until(({ reason }) => reason !== undefined)
  at.state.answer = vectors
  t.match(await app.complete(), { embedded: 3 })
  t.equal((await app.paths('kitten'))[0], 'src/cat.ts')
})

t.test('sends no secret', async t => {
  const at = await endpoint(t)
  const app = await start(
    t,
    at.url,
    {},
    { ...FILES, 'a.ts': `// ${KEY}\n`, '.env': 'API_TOKEN=q8w7e6r5t4y3u2i1o0\n', 'b.ts': '// q8w7e6r5t4y3u2i1o0\n' }
  )
  await app.complete()
  const sent = JSON.stringify(at.asked.map(({ body }) => body))
  t.match(sent, /b\.ts/)
  t.notMatch(sent, /q8w7e6r5t4y3u2i1o0/)
  t.notOk(sent.includes(KEY))
  t.notMatch(sent, /\.env/)
})

t.test('a cancelled query does not count against the endpoint', async t => {
  const at = await endpoint(t)
  const app = await start(t, at.url)
  await app.complete()
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  at.state.answer = () => resolve()
  const { tool_call_id } = await app.post('/calls?wait_ms=0', { tool: 'search_code', params: { query: 'puppy' } })
  await heard
  t.match(await app.post(`/calls/${tool_call_id}/cancel`, {}), { status: 'cancelled' })
  at.state.answer = vectors
  t.match(await app.ask('kitten'), { hits: [{ path: 'src/cat.ts' }], index: { embeddings: { reason: undefined } } })
})
