// What a fetched page is to its reader, by what kind of thing it is and in which form it is wanted.
import type { Host } from '../../../host/host.ts'
import type { Kept } from '../../../host/web/web-client.ts'
import { type Decoded, decoded } from '../../../text/charset.ts'
import { encodingOf } from '../../../text/encoding.ts'
import { type ImageHeader, imageHeader } from '../../../text/image-header.ts'

export type Form = 'markdown' | 'text' | 'html' | 'raw'

export interface Reading {
  /** All of it; base64 where it is no text. */
  body: string
  encoding: 'utf-8' | 'base64'
  media_type: string
  charset?: string
  title?: string
  image?: ImageHeader
  /** What a reader should know besides, in sentences. */
  notes: string[]
}

type Tools = Pick<Host, 'compute' | 'pdf'> & { signal: AbortSignal }

interface Kind {
  is(media_type: string, bytes: Buffer): boolean
  read(
    page: Kept,
    as: { media_type: string; told: string | undefined; form: Form },
    tools: Tools
  ): Promise<Reading> | Reading
}

const READ_MS = 20_000
const PDF_PAGES = 100
const PDF_CHARACTERS = 1_000_000
const MOST_PRETTY = 1024 * 1024

const TEXTS = /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|toml|x-sh|graphql|x-ndjson|x-www-form-urlencoded)$/
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const LOOKS_LIKE_HTML = /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i

/** The first that it is reads it. What it begins with says more than what its headers say. */
const KINDS: readonly Kind[] = [
  {
    is: (_, bytes) =>
      bytes.subarray(0, 1_024).includes('%PDF-') &&
      bytes.subarray(0, 1_024).toString('latin1').trimStart().startsWith('%PDF-'),
    read: readPdf
  },
  { is: (_, bytes) => imageHeader(bytes, bytes.length) !== undefined, read: readImage },
  { is: (type, bytes) => HTML.test(type) || (UNTOLD.has(type) && LOOKS_LIKE_HTML.test(head(bytes))), read: readHtml },
  { is: type => /[/+]json$/.test(type), read: readJson },
  { is: (type, bytes) => TEXTS.test(type) || (UNTOLD.has(type) && encodingOf(bytes) !== undefined), read: readText },
  { is: () => true, read: readBytes }
]

/** Types that servers give what they do not know. */
const UNTOLD: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-unknown'
])
const head = (bytes: Buffer) => bytes.toString('latin1', 0, 1_024)

/** What is made of a page is kept with it, so that it is read on at once. */
export async function reading(page: Kept, form: Form, tools: Tools): Promise<Reading> {
  const known = page.made.get(form) as Reading | undefined
  if (known) return known
  const [media_type = '', ...params] = (page.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const told = params
    .find(param => param.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll(/["']/g, '')
  const made = await KINDS.find(({ is }) => is(media_type, page.bytes))!.read(page, { media_type, told, form }, tools)
  page.made.set(form, made)
  return made
}

const textual = ({ text, charset }: Decoded, media_type: string): Reading => ({
  body: text,
  encoding: 'utf-8',
  media_type,
  charset,
  notes: []
})

async function readHtml(
  page: Kept,
  { media_type, told, form }: Parameters<Kind['read']>[1],
  tools: Tools
): Promise<Reading> {
  const source = textual(decoded(page.bytes, told), media_type || 'text/html')
  if (form === 'html' || form === 'raw') return source
  const query = { html: source.body, url: page.hops.at(-1)!, form }
  const { title, text, cut, needs_scripts } = await tools.compute.run('page', query, {
    signal: tools.signal,
    deadline_ms: READ_MS
  })
  return {
    ...source,
    body: text,
    ...(title !== '' && { title }),
    notes: [
      ...(cut ? ['The page is longer than what could be written down of it.'] : []),
      ...(needs_scripts ? ['The page says next to nothing without its scripts, which were not run.'] : [])
    ]
  }
}

function readJson(page: Kept, { media_type, told, form }: Parameters<Kind['read']>[1]): Reading {
  const source = textual(decoded(page.bytes, told), media_type)
  if (form === 'raw' || page.bytes.length > MOST_PRETTY) return source
  try {
    return { ...source, body: JSON.stringify(JSON.parse(source.body), null, 2) }
  } catch {
    return { ...source, notes: page.cut ? [] : ['It says that it is JSON, and is none.'] }
  }
}

function readText(page: Kept, { media_type, told }: Parameters<Kind['read']>[1]): Reading {
  return textual(decoded(page.bytes, told), media_type || 'text/plain')
}

const base64 = (page: Kept, media_type: string): Reading => ({
  body: page.bytes.toString('base64'),
  encoding: 'base64',
  media_type,
  notes: []
})

function readImage(page: Kept): Reading {
  const image = imageHeader(page.bytes, page.bytes.length)!
  return { ...base64(page, image.media_type), image }
}

function readBytes(page: Kept, { media_type, form }: Parameters<Kind['read']>[1]): Reading {
  const made = base64(page, media_type || 'application/octet-stream')
  return form === 'raw'
    ? made
    : { ...made, body: '', notes: ['It is no text. Its bytes come with format raw, in base64.'] }
}

async function readPdf(page: Kept, { form }: Parameters<Kind['read']>[1], { pdf, signal }: Tools): Promise<Reading> {
  const made = base64(page, 'application/pdf')
  if (form === 'raw') return made
  const wanted = { first: 1, pages: PDF_PAGES, characters: PDF_CHARACTERS }
  const answer = await pdf.text({ bytes: new Uint8Array(page.bytes), ...wanted }, signal)
  if ('refused' in answer)
    return {
      ...made,
      body: '',
      notes: [`The PDF is ${answer.refused}: none of it can be read. Its bytes come with format raw.`]
    }
  const { pages, total, cut } = answer
  const body = pages
    .map(({ page: number, text }) => `--- Page ${number} of ${total} ---\n${text || '(No text.)'}`)
    .join('\n')
  const isWhole = pages.length === total && !cut
  return {
    ...made,
    body,
    encoding: 'utf-8',
    notes: isWhole ? [] : [`These are ${pages.length} of its ${total} pages.`]
  }
}
