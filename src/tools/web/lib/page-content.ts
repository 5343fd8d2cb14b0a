// Converts a fetched page for its reader, by media type and requested form.
import type { Host } from '../../../host/host.ts'
import type { CachedPage } from '../../../host/web/page-cache.ts'
import { type DecodedText, decodeWithCharset } from '../../../text/charset.ts'
import { detectEncoding } from '../../../text/encoding.ts'
import { parseRefresh } from '../../../text/html/refresh.ts'
import { type ImageHeader, imageHeader } from '../../../text/image-header.ts'
import { indentJson } from '../../../text/indent-json.ts'

export type Form = 'markdown' | 'text' | 'html' | 'raw'

interface PageContent {
  /** The complete body; base64 if it is binary. */
  body: string
  encoding: 'utf-8' | 'base64'
  media_type: string
  charset?: string
  title?: string
  image?: ImageHeader
  /** Additional notes in sentences. */
  notes: string[]
}

type PageReaders = Pick<Host, 'compute' | 'pdf'> & { signal: AbortSignal }

interface Kind {
  matches(media_type: string, bytes: Buffer): boolean
  read(
    page: CachedPage,
    as: { media_type: string; charset: string | undefined; form: Form },
    tools: PageReaders
  ): Promise<PageContent> | PageContent
}

const READ_TIMEOUT_MS = 20_000
const PDF_PAGES = 100
const PDF_CHARACTERS = 1_000_000
const MAX_PRETTY_JSON_BYTES = 1024 * 1024

const TEXTS = /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|toml|x-sh|graphql|x-ndjson|x-www-form-urlencoded)$/
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const LOOKS_LIKE_HTML = /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i

/** The first matching kind is used. Content sniffing takes precedence over headers. */
const KINDS: readonly Kind[] = [
  {
    matches: (_, bytes) =>
      bytes.subarray(0, 1_024).includes('%PDF-') &&
      bytes.subarray(0, 1_024).toString('latin1').trimStart().startsWith('%PDF-'),
    read: readPdf
  },
  { matches: (_, bytes) => imageHeader(bytes, bytes.length) !== undefined, read: readImage },
  {
    matches: (type, bytes) => HTML.test(type) || (UNSPECIFIC_TYPES.has(type) && LOOKS_LIKE_HTML.test(head(bytes))),
    read: readHtml
  },
  { matches: type => /[/+]json$/.test(type), read: readJson },
  {
    matches: (type, bytes) => TEXTS.test(type) || (UNSPECIFIC_TYPES.has(type) && isWebText(bytes)),
    read: readText
  },
  { matches: () => true, read: readBytes }
]

/** Other encodings are served with their name. */
function isWebText(bytes: Buffer) {
  const detected = detectEncoding(bytes)
  return detected !== undefined && (!detected.guessed || detected.encoding === 'latin1')
}

/** Types that servers use for unknown content. */
const UNSPECIFIC_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-unknown'
])
const head = (bytes: Buffer) => bytes.toString('latin1', 0, 1_024)

/** The result is cached with the page, so that further reads are fast. */
export async function readPageContent(page: CachedPage, form: Form, tools: PageReaders): Promise<PageContent> {
  const known = page.derived.get(form) as PageContent | undefined
  if (known) return known
  const [media_type = '', ...params] = (page.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const charset = params
    .find(param => param.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll(/["']/g, '')
  const made = await KINDS.find(({ matches }) => matches(media_type, page.bytes))!.read(
    page,
    { media_type, charset, form },
    tools
  )
  page.derived.set(form, made)
  return made
}

const asText = ({ text, charset, isGuessed }: DecodedText, media_type: string): PageContent => ({
  body: text,
  encoding: 'utf-8',
  media_type,
  charset,
  notes: [
    ...(isGuessed ? [`The page does not declare its encoding; ${charset} was guessed.`] : []),
    ...(text.includes(REPLACEMENT) ? [`Some bytes are not valid ${charset}, and are shown as ${REPLACEMENT}.`] : [])
  ]
})

/** Stands for bytes that cannot be decoded. */
const REPLACEMENT = '\uFFFD'

async function readHtml(
  page: CachedPage,
  { media_type, charset, form }: Parameters<Kind['read']>[1],
  tools: PageReaders
): Promise<PageContent> {
  const source = asText(decodeWithCharset(page.bytes, charset), media_type || 'text/html')
  if (form === 'html' || form === 'raw') return source
  const query = { html: source.body, url: page.hops.at(-1)!, form }
  const {
    title,
    text,
    cut,
    needsScripts,
    refresh = refreshHeader(page),
    frames
  } = await tools.compute.run('page', query, {
    signal: tools.signal,
    deadlineMs: READ_TIMEOUT_MS
  })
  return {
    ...source,
    body: text,
    ...(title !== '' && { title }),
    notes: [
      ...source.notes,
      ...(refresh === undefined
        ? []
        : [`The page redirects browsers to ${refresh}: fetch this URL to read the content.`]),
      ...(frames.length > 0 ? [`The page consists of frames, which were not fetched: ${frames.join(', ')}.`] : []),
      ...(cut ? ['The page exceeds the size limit and was truncated.'] : []),
      ...(needsScripts ? ['The page has almost no content without its scripts, which were not run.'] : [])
    ]
  }
}

/** Returns the address that the header `Refresh` sends browsers on to. */
function refreshHeader({ headers, hops }: CachedPage): string | undefined {
  const address = parseRefresh(headers.refresh ?? '')
  return address !== undefined && URL.canParse(address, hops.at(-1)) ? new URL(address, hops.at(-1)).href : undefined
}

function readJson(page: CachedPage, { media_type, charset, form }: Parameters<Kind['read']>[1]): PageContent {
  const source = asText(decodeWithCharset(page.bytes, charset), media_type)
  if (form === 'raw' || page.bytes.length > MAX_PRETTY_JSON_BYTES) return source
  if (!isJson(source.body))
    return page.truncated
      ? source
      : { ...source, notes: [...source.notes, 'The response is declared as JSON, but is not valid JSON.'] }
  // Numbers, order and repeated keys stay as they are written: only blanks and line ends change.
  return { ...source, body: indentJson(source.body) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function readText(page: CachedPage, { media_type, charset }: Parameters<Kind['read']>[1]): PageContent {
  return asText(decodeWithCharset(page.bytes, charset), media_type || 'text/plain')
}

const base64 = (page: CachedPage, media_type: string): PageContent => ({
  body: page.bytes.toString('base64'),
  encoding: 'base64',
  media_type,
  notes: []
})

function readImage(page: CachedPage): PageContent {
  const image = imageHeader(page.bytes, page.bytes.length)!
  return { ...base64(page, image.media_type), image }
}

function readBytes(page: CachedPage, { media_type, form }: Parameters<Kind['read']>[1]): PageContent {
  const made = base64(page, media_type || 'application/octet-stream')
  return form === 'raw'
    ? made
    : { ...made, body: '', notes: ['The response is not text. Use `format` raw to get the bytes in base64.'] }
}

async function readPdf(
  page: CachedPage,
  { form }: Parameters<Kind['read']>[1],
  { pdf, signal }: PageReaders
): Promise<PageContent> {
  const made = base64(page, 'application/pdf')
  if (form === 'raw') return made
  const wanted = { first: 1, pages: PDF_PAGES, characters: PDF_CHARACTERS }
  const answer = await pdf.extractText({ bytes: new Uint8Array(page.bytes), ...wanted }, signal)
  if ('error' in answer)
    return {
      ...made,
      body: '',
      notes: [`The PDF is ${answer.error} and cannot be read. Use \`format\` raw to get the bytes of the PDF.`]
    }
  const { pages, total, truncated } = answer
  const body = pages
    .map(({ page: number, text }) => `--- Page ${number} of ${total} ---\n${text || '(No text.)'}`)
    .join('\n')
  const isWhole = pages.length === total && !truncated
  return {
    ...made,
    body,
    encoding: 'utf-8',
    notes: isWhole ? [] : [`Pages shown: ${pages.length} of ${total}.`]
  }
}
