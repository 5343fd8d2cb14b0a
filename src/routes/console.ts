// The console: a page of ours and what it loads, open to any browser that calls us by our address. The files say nothing of
// the workspace; what the page shows, it asks for with a token.
import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ToolError } from '../errors.ts'
import type { ConsoleFiles } from '../host/console-files.ts'

/** What the console serves, by the ends of names. Nothing else is. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png'
}

/** The page runs what comes from here and speaks to nobody else; no page holds it in a frame. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
  vary: 'Accept-Encoding'
}

/** What was not built can't be served; whoever looks is told what to do. */
const NOT_BUILT_MESSAGE = 'The console is not built. In the folder of Toolgate, run: npm run build\n'

const FileParams = Type.Object({ file: Type.String() })

export const consoleRoutes: FastifyPluginAsyncTypebox<{ consoleFiles: ConsoleFiles }> = async (
  app,
  { consoleFiles }
) => {
  const open = { config: { open: true }, schema: { hide: true } }

  app.get('/', { ...open, config: { ...open.config, page: true } }, async (request, reply) => {
    if (await send('index.html', request, reply)) return reply
    return reply.code(404).headers(SECURITY_HEADERS).type('text/plain; charset=utf-8').send(NOT_BUILT_MESSAGE)
  })

  app.get('/web/:file', { ...open, schema: { ...open.schema, params: FileParams } }, async (request, reply) => {
    if (await send(request.params.file, request, reply)) return reply
    throw new ToolError('NOT_FOUND', 'The console has no such file.')
  })

  /** Whether there is such a file. */
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

/** The smallest form that the browser takes. */
const selectEncoding = (accepted = '') =>
  (Object.keys(ENCODING_SUFFIXES) as (keyof typeof ENCODING_SUFFIXES)[]).find(form =>
    accepted.split(',').some(word => new RegExp(`^\\s*${form}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*$).*)?$`).test(word))
  )

declare module 'fastify' {
  interface FastifySchema {
    /** Left out of the document of the API. */
    hide?: boolean
  }
}
