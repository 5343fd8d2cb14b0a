// Answers of the proxy itself at the address of a port: a page for browsers, a problem document for others.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../../protocol/problem.ts'
import { toProblem } from '../http/problem.ts'

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store'
}
/** Seconds after which a request for a port that nothing listens on yet may be repeated. */
const RETRY_AFTER_S = 1
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Sends a page that leads to the start of the site. A redirect would still come from the site of the link, to which browsers do not
 * send the cookie.
 */
export function sendLoggedIn(response: ServerResponse, cookie: string) {
  const body = page(
    'Opening the port',
    '<p><a href="/">Open the page</a>',
    '<meta http-equiv="refresh" content="0; url=/">'
  )
  response.writeHead(200, { ...PAGE_HEADERS, 'set-cookie': cookie }).end(body)
}

/** Sends an error; a response that has begun is broken off. */
export function sendPortProblem({ headers, method }: IncomingMessage, response: ServerResponse, error: unknown) {
  if (response.headersSent) return void response.destroy()
  const problem = toProblem(error)
  const shared = { 'cache-control': 'no-store', ...retryHeaders(problem) }
  if (method === 'GET' && headers.accept?.includes('text/html'))
    return void response.writeHead(problem.status, { ...PAGE_HEADERS, ...shared }).end(problemPage(problem))
  response
    .writeHead(problem.status, {
      'content-type': 'application/problem+json',
      ...shared,
      ...(problem.code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' })
    })
    .end(JSON.stringify(problem))
}

/** Sends an error on a connection that was to be upgraded, and ends it. */
export function endWithPortProblem(client: Duplex, error: unknown) {
  const problem = toProblem(error)
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close'
  ]
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  client.resume()
  setTimeout(() => client.destroy(), CLOSE_TIMEOUT_MS).unref()
}

const isRepeatable = ({ code, recoverable }: Problem) => recoverable && code !== 'UNAUTHORIZED'
const retryHeaders = (problem: Problem) => isRepeatable(problem) && { 'retry-after': String(RETRY_AFTER_S) }

/** A page of a person who opened the link before the command listens is loaded again by itself. */
const problemPage = (problem: Problem) =>
  page(
    problem.title,
    `<p>${escapeHtml(problem.detail)}`,
    isRepeatable(problem) ? `<meta http-equiv="refresh" content="${RETRY_AFTER_S}">` : ''
  )

const page = (title: string, body: string, head: string) => `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
${head}
<title>${escapeHtml(title)}</title>
<h1>${escapeHtml(title)}</h1>
${body}
`

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
