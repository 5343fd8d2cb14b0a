// tier: quick
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { filesIn } from '../../src/host/console-files.ts'
import { consoleRoutes } from '../../src/routes/console.ts'
import { registerErrorHandlers } from '../../src/routes/http/problem.ts'
import { startApp } from '../start-app.ts'
import { once } from '../support/wait.ts'

const PAGE = '<!doctype html><title>Toolgate</title>'
const REFERENCE = '<!doctype html><title>API reference</title>'
const SCRIPT = 'console.log("here")'

/** Serves the routes on a test folder. */
async function startConsole(t: Test, files: Record<string, string | Buffer>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-web-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
  const app = Fastify()
  registerErrorHandlers(app, { maskValue: value => value })
  await app.register(consoleRoutes, { consoleFiles: filesIn(folder), reference: 'reference.html' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  /** The raw response: `fetch` would decompress it. */
  return async (target: string, headers: Record<string, string> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    get(url + target, { headers }, resolve).on('error', reject)
    const answer = await promise
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) }
  }
}

t.test('serves the page and its assets with security headers', async t => {
  const ask = await startConsole(t, {
    'index.html': PAGE,
    'reference.html': REFERENCE,
    'app-1f.js': SCRIPT,
    'app.css': 'a{}',
    'icon.svg': '<svg/>'
  })
  const safe = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; " +
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache'
  }
  const types = {
    '/': ['text/html; charset=utf-8', PAGE],
    '/docs': ['text/html; charset=utf-8', REFERENCE],
    '/web/app-1f.js': ['text/javascript; charset=utf-8', SCRIPT],
    '/web/app.css': ['text/css; charset=utf-8', 'a{}'],
    '/web/icon.svg': ['image/svg+xml', '<svg/>']
  }
  for (const [target, [type, content]] of Object.entries(types)) {
    const { status, headers, body } = await ask(target)
    t.equal(status, 200, target)
    t.match(headers, { ...safe, 'content-type': type }, target)
    t.equal(body.toString(), content, target)
    t.notOk(headers['set-cookie'] ?? headers['access-control-allow-origin'], 'no cookie, no CORS')
  }
})

t.test('browsers cache assets until they change', async t => {
  const ask = await startConsole(t, { 'index.html': PAGE, 'app.js': SCRIPT })
  const { etag } = (await ask('/web/app.js')).headers
  const again = await ask('/web/app.js', { 'if-none-match': etag! })
  t.match([again.status, again.headers.etag, again.body.length], [304, etag, 0])
  t.equal((await ask('/', { 'if-none-match': etag! })).status, 200)
})

t.test('serves compressed assets to clients that accept them', async t => {
  const forms = { 'app.js.br': brotliCompressSync(SCRIPT), 'app.js.gz': gzipSync(SCRIPT) }
  const ask = await startConsole(t, { 'index.html': PAGE, 'app.js': SCRIPT, ...forms })
  const sent = async (accepted: string) => {
    const { headers, body } = await ask('/web/app.js', { 'accept-encoding': accepted })
    const form = headers['content-encoding']
    const text = form === 'br' ? brotliDecompressSync(body) : form === 'gzip' ? gunzipSync(body) : body
    t.equal(text.toString(), SCRIPT, accepted)
    t.equal(headers.vary, 'Accept-Encoding')
    return form
  }
  t.equal(await sent('gzip, deflate, br, zstd'), 'br')
  t.equal(await sent('gzip;q=1.0, br;q=0'), 'gzip')
  t.equal(await sent('br ; q=0.5'), 'br')
  t.equal(await sent('br;q=0.000, gzip;q=0'), undefined)
  t.equal(await sent('brotli, xgzip'), undefined)
  const page = await ask('/', { 'accept-encoding': 'br' })
  t.equal(page.headers['content-encoding'], undefined, 'where there is none, the file itself')
  t.equal(page.body.toString(), PAGE)
})

t.test('serves nothing else', async t => {
  const ask = await startConsole(t, { 'index.html': PAGE, 'app.js.br': 'x', 'secret.txt': 'x', plain: 'x' })
  for (const name of [
    'none.js',
    'app.js.br',
    'secret.txt',
    'plain',
    '..%2f..%2fetc%2fpasswd',
    '..%2findex.html',
    '.%2findex.html',
    '.html',
    'a%00.js'
  ]) {
    const { status, body } = await ask(`/web/${name}`)
    t.match([status, JSON.parse(body.toString()).code], [404, 'NOT_FOUND'], name)
  }
  t.equal((await ask('/web/')).status, 404)
  t.equal((await ask('/index.html')).status, 404)
})

t.test('if not built, the page explains what to do', async t => {
  const ask = await startConsole(t, {})
  const { status, headers, body } = await ask('/')
  t.match([status, headers['content-type'], body.toString()], [404, 'text/plain; charset=utf-8', /npm run build/])
})

t.test('needs no token, but the right Host header', async t => {
  const { url } = await startApp(t)
  const headers = (more: object) => ({ headers: { 'sec-fetch-site': 'none', ...more } })
  t.match(await (await fetch(url, headers({}))).text(), /<title>Toolgate<\/title>|npm run build/)
  t.equal((await fetch(url, headers({ 'sec-fetch-site': 'cross-site' }))).status, 403)
  t.equal((await fetch(`${url}/tools`, headers({ origin: url }))).status, 401, 'all else takes a token')

  const come = async (to: string, dest: string) => {
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': dest }
    const [answer] = (await once(get(url + to, { headers: visit }), 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  t.not(await come('/', 'document'), 403, 'a tab may be led to it')
  t.equal(await come('/', 'iframe'), 403, 'a frame may not')
  t.equal(await come('/health', 'document'), 403, 'and to nothing else')
})
