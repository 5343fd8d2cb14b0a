// Worker thread that extracts the text of one PDF document and ends afterwards, together with all effects of the document.
import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'

export interface PdfQuery {
  bytes: Uint8Array<ArrayBuffer>
  /** The first page, counted from 1, or from the end if negative. */
  first: number
  /** Maximum number of pages. */
  pages: number
  /** No page begins after so many characters; a longer single page is truncated. */
  characters: number
}

interface PdfText {
  total: number
  pages: { page: number; text: string }[]
  /** The requested range exceeds the limits. */
  truncated: boolean
}

/** Reason of a failure. */
export type PdfErrorReason = 'encrypted' | 'broken'
export type PdfResult = PdfText | { error: PdfErrorReason }

type Document = Awaited<ReturnType<typeof getDocumentProxy>>

/** No access to other resources, no evaluation of code, and no output. */
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
