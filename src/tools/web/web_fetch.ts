import { type Static, Type } from 'typebox'
import { invalidParam } from '../../errors.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { redactCredentials } from '../../text/secrets/credentials.ts'
import { scriptNotes } from '../../text/url/host-scripts.ts'
import { hostText } from '../../text/url/hosts.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { Preview } from '../../tool/plan.ts'
import { defineTool } from '../../tool/tool.ts'
import { describeSentParts, secretNotes, sendable } from './lib/outgoing-request.ts'
import { type Form, readPageContent } from './lib/page-content.ts'

const DEFAULT_TIMEOUT_MS = 15_000
const DEFAULT_LIMIT = 50_000

const Input = Type.Object(
  {
    url: Type.String({ minLength: 1, description: 'https or http URL.' }),
    method: Type.Optional(Type.Enum(['GET', 'POST'], { description: 'Default: GET.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), { description: 'Additional headers.' })
    ),
    body: Type.Optional(Type.String({ maxLength: 500_000, description: 'Body of a POST request.' })),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 120_000,
        description: `Time limit. Default: ${DEFAULT_TIMEOUT_MS}.`
      })
    ),
    format: Type.Optional(
      Type.Enum(['markdown', 'text', 'html', 'raw'], {
        description:
          '`markdown` (default) or `text`: main content of a page; `html`: source; `raw`: as sent, binary as base64.'
      })
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'First character, from 0.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500_000,
        description: `Maximum characters. Default: ${DEFAULT_LIMIT}.`
      })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const Output = Type.Object({
  status: Type.Integer({ description: 'HTTP status code.' }),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Response headers, without cookies.' }),
  body: Type.String({ description: 'Requested part of the content, in the requested format.' }),
  encoding: Type.Enum(['utf-8', 'base64'], { description: 'Encoding of `body`: base64 for binary data.' }),
  final_url: Type.String({ description: 'Final URL after redirects.' }),
  redirects: Type.Array(Type.String({ description: 'URL.' }), {
    description: 'URLs of the redirects that were followed.'
  }),
  media_type: Type.String({ description: 'Media type of the content.' }),
  charset: Type.Optional(Type.String({ description: 'Character encoding of the content.' })),
  title: Type.Optional(Type.String({ description: 'Title of a page.' })),
  width: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' })),
  height: Type.Optional(Type.Integer({ description: 'Of an image, in pixels.' })),
  size: Type.Integer({ description: 'Size of the received content in bytes, after decompression.' }),
  truncated: Type.Boolean({ description: 'True if the response exceeded the size limit.' }),
  offset: Type.Integer({ description: 'Offset at which `body` starts in the whole text, in characters.' }),
  total: Type.Integer({ description: 'Length of the whole text in characters.' }),
  next_offset: Type.Optional(Type.Integer({ description: '`offset` for the next part; missing at the end.' })),
  from: Type.Enum(['network', 'cache', 'unchanged'], {
    description:
      'Source of the content: fetched now (`network`), from the cache (`cache`), or from the cache after the server confirmed that it is current (`unchanged`).'
  }),
  notes: Type.Array(Type.String({ description: 'A sentence.' }), { description: 'Notes about the content.' })
})
type Output = Static<typeof Output>

export default defineTool({
  name: 'web_fetch',
  category: 'web',
  description: 'Fetches a URL: a page as Markdown, JSON, text, PDF pages or an image. Continue long pages with offset.',
  input: Input,
  output: Output,
  timeout_ms: ({ timeout_ms = DEFAULT_TIMEOUT_MS }) => timeout_ms,
  effect: 'network',
  traits: { idempotent: true },
  request: input => ({
    url: { url: input.url, sends: { method: input.method ?? 'GET', parts: describeSentParts(input) } }
  }),
  async plan(input, ctx) {
    const { host } = ctx
    const { url, method = 'GET', headers, body } = input
    if (body !== undefined && method !== 'POST') throw invalidParam('body', 'requires `method` POST.')
    sendable(headers)
    const address = host.web.parseAddress(url)
    // A literal IP address needs no DNS lookup.
    if ('address' in address.host) await host.web.resolveAddresses(address)
    return { state: undefined, preview: () => preview(input, ctx) }
  },
  run: fetchPage,
  present(output, { url, format }) {
    const { status, title, final_url, media_type, body, encoding, notes, width, height, next_offset } = output
    const isImage = width !== undefined || media_type.startsWith('image/')
    const shown = encoding === 'base64' ? `(${output.size} bytes, ${media_type}.)` : escapeInvisible(body)
    const about = `${final_url} returned ${status}, ${media_type || 'without a media type'}. The text below is from this page, not from the user:`
    return {
      title: title ?? url,
      content: [about, shown, ...rest(output), ...notes.map(note => `(${note})`)].join('\n'),
      metadata: { status, media_type, untrusted: true, ...(format && { format }) },
      ...(isImage &&
        encoding === 'base64' &&
        !output.truncated && {
          attachments: [
            {
              media_type,
              data_url: `data:${media_type};base64,${body}`,
              ...(width && { width }),
              ...(height && { height })
            }
          ]
        }),
      ...((next_offset !== undefined || output.truncated) && { truncated: true })
    }
  }
})

function rest({ offset, body, total, next_offset, truncated, size, encoding }: Output): string[] {
  return [
    ...(next_offset === undefined || encoding === 'base64'
      ? []
      : [`(Characters ${offset} to ${offset + body.length} of ${total}. Continue with offset ${next_offset}.)`]),
    ...(truncated ? [`(Only the first ${size} bytes were read.)`] : [])
  ]
}

async function preview(input: Input, { host }: ReadContext): Promise<Preview> {
  const { url, method = 'GET', headers = {}, body } = redactCredentials(input)
  const address = host.web.parseAddress(input.url)
  const addresses = await host.web.resolveAddresses(address)
  const name = hostText(address.host)
  const lines = [
    `${method} ${escapeInvisible(url)}`,
    'name' in address.host
      ? `host: ${name}, at ${addresses.join(', ') || 'an address resolved by the proxy'}`
      : `host: ${name}`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${escapeInvisible(value)}`),
    ...(body === undefined ? [] : ['', escapeInvisible(body)])
  ]
  const notes = [
    ...scriptNotes(name),
    ...secretNotes(input),
    ...(address.url.protocol === 'http:'
      ? [
          'The connection is not encrypted (no TLS): anyone on the network path can read and change the request and the response.'
        ]
      : [])
  ]
  return { title: `${method} ${name}`, text: lines.join('\n'), ...(notes.length > 0 && { notes }) }
}

async function fetchPage(input: Input, ctx: RunContext): Promise<Output> {
  const { url, method = 'GET', headers, body, format = 'markdown', offset = 0, limit = DEFAULT_LIMIT } = input
  const { host, signal, call } = ctx
  const page = await host.web.fetch(
    { url, method, headers: sendable(headers), body, isContinuation: offset > 0, trace: call.trace },
    other => ctx.decideFetch(other)
  )
  const made = await readPageContent(page, format as Form, { compute: host.compute, pdf: host.pdf, signal })
  const { body: whole, image, ...about } = made
  const isText = made.encoding === 'utf-8'
  const end = isText ? findSliceEnd(whole, offset, limit) : whole.length
  const { 'set-cookie': _, ...shown } = page.headers
  return {
    ...about,
    status: page.status,
    ...redactCredentials({ headers: shown, final_url: page.hops.at(-1)!, redirects: page.hops.slice(0, -1) }),
    body: isText ? whole.slice(offset, end) : whole,
    ...(image?.width !== undefined && { width: image.width }),
    ...(image?.height !== undefined && { height: image.height }),
    size: page.bytes.length,
    truncated: page.truncated,
    offset: isText ? offset : 0,
    total: whole.length,
    ...(isText && end < whole.length && { next_offset: end }),
    from: page.source
  }
}

/** Returns a line end if one is close before, and never a position within a character. */
function findSliceEnd(text: string, offset: number, limit: number): number {
  const most = Math.min(text.length, offset + limit)
  if (most === text.length) return most
  const line = text.lastIndexOf('\n', most - 1) + 1
  if (line > offset + limit / 2) return line
  const isWithin = (text.charCodeAt(most - 1) & 0xfc00) === 0xd800
  return isWithin && most - 1 > offset ? most - 1 : most
}
