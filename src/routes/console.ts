// The web console: static files for any browser that uses the server's address. They contain no workspace data; the page requests
// it with a token.
import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ToolError } from '../errors.ts'
import type { ConsoleFiles } from '../host/console-files.ts'
import { ConsoleFileParams } from '../protocol/server.ts'

export type { ConsoleFiles } from '../host/console-files.ts'

/** Served files by extension. No others are served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json'
}

/** The page loads and contacts only this server; no page may frame it. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding'
}

/** Message with the resolution if the console has not been built. */
const NOT_BUILT_MESSAGE = 'The web console is not built. In the folder of Toolgate, run: npm run build\n'

interface Services {
  consoleFiles: ConsoleFiles
  /** File of the API reference. */
  reference: string
}

export const consoleRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { consoleFiles, reference }) => {
  const open = { config: { open: true }, schema: { hide: true } }

  app.get('/', { ...open, config: { ...open.config, page: true } }, async (request, reply) => {
    if (await send('index.html', request, reply)) return reply
    return reply.code(404).headers(SECURITY_HEADERS).type('text/plain; charset=utf-8').send(NOT_BUILT_MESSAGE)
  })

  app.get('/docs', { ...open, config: { ...open.config, page: true } }, async (request, reply) => {
    if (await send(reference, request, reply)) return reply
    return reply.code(404).headers(SECURITY_HEADERS).type('text/plain; charset=utf-8').send(NOT_BUILT_MESSAGE)
  })

  app.get('/web/:file', { ...open, schema: { ...open.schema, params: ConsoleFileParams } }, async (request, reply) => {
    // The service worker of the page, which is beside its script, is for the page, too.
    reply.header('service-worker-allowed', '/')
    if (await send(request.params.file, request, reply)) return reply
    throw new ToolError('NOT_FOUND', 'The web console has no file of this name.')
  })

  /** Sends a file; returns false if it does not exist. */
  async function send(name: string, { headers }: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const type = CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) return false
    const encoding = selectEncoding(headers['accept-encoding'])
    const small = encoding && (await consoleFiles.read(name, ENCODING_SUFFIXES[encoding]))
    const body = small ?? (await consoleFiles.read(name, ''))
    if (body === undefined) return false
    const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
    reply.headers(SECURITY_HEADERS).header('etag', etag)
    if (headers['if-none-match']?.includes(etag)) reply.code(304).send()
    else {
      if (small) reply.header('content-encoding', encoding)
      reply.type(type).send(body)
    }
    return true
  }
}

const ENCODING_SUFFIXES = { br: '.br', gzip: '.gz' } as const

/** Selects the smallest accepted encoding. */
const selectEncoding = (accepted = '') =>
  (Object.keys(ENCODING_SUFFIXES) as (keyof typeof ENCODING_SUFFIXES)[]).find(form =>
    accepted.split(',').some(word => new RegExp(`^\\s*${form}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*$).*)?$`).test(word))
  )

declare module 'fastify' {
  interface FastifySchema {
    /** Excluded from the API document. */
    hide?: boolean
  }
}
