// A thread that takes the text out of one PDF document and ends with it: whatever a document does to its reader ends too.
import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'

export interface PdfQuery {
  bytes: Uint8Array<ArrayBuffer>
  /** The first page, counted from 1, or from the end where it is negative. */
  first: number
  /** At most so many pages. */
  pages: number
  /** No page begins after so many characters; one that alone has more is cut. */
  characters: number
}

interface PdfText {
  total: number
  pages: { page: number; text: string }[]
  /** More was wanted than may be given. */
  truncated: boolean
}

/** Why nothing could be read. */
export type PdfErrorReason = 'encrypted' | 'broken'
export type PdfResult = PdfText | { error: PdfErrorReason }

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

/** Nothing but what the document holds is to be looked at, nothing in it run, and nothing printed. */
const PDF_OPTIONS = { isEvalSupported: false, useSystemFonts: false, disableFontFace: true, verbosity: 0 }

const port = parentPort!
port.postMessage(await extract(workerData as PdfQuery))

async function extract(query: PdfQuery): Promise<PdfResult> {
  try {
    return await extractPages(await getDocumentProxy(query.bytes, PDF_OPTIONS), query)
  } catch (error) {
    return { error: (error as Error).name === 'PasswordException' ? 'encrypted' : 'broken' }
  }
}

async function extractPages(document: Document, { first, pages, characters }: PdfQuery): Promise<PdfText> {
  const total = document.numPages
  const from = first < 0 ? Math.max(1, total + 1 + first) : first
  const text: PdfText = { total, pages: [], truncated: false }
  let room = characters
  for (let page = from; page <= total && page < from + pages; page++) {
    const whole = await pageText(document, page)
    text.truncated = whole.length > room
    if (text.truncated && text.pages.length > 0) break
    text.pages.push({ page, text: whole.slice(0, room) })
    room -= whole.length
    if (text.truncated) break
  }
  return text
}

async function pageText(document: Document, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return items
    .map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .trimEnd()
}
