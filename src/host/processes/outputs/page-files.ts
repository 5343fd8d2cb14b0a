// Files of captured outputs. Most calls have one page, a file. Others have a folder for the rest, numbered, with gaps for dropped
// pages.
import { access, type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CapturePage, PAGE_HEADER_BYTES, readOffsets, type StreamOffsets } from './capture-page.ts'
import type { PageHandle } from './read-output.ts'

const SUFFIX = /\.(out|pages)$/

// Call ids may be chosen by a client, so names are encoded, and never used bare: not joined before they have their suffix.
export const outputBasePath = (folder: string, callId: string) => `${folder}/${encodeURIComponent(callId)}`
export const callIdOfFile = (name: string) => decodeURIComponent(name.replace(SUFFIX, ''))

const firstPagePath = (base: string) => `${base}.out`
export const laterPagesFolder = (base: string) => `${base}.pages`
export const pagePath = (base: string, number: number) =>
  number === 0 ? firstPagePath(base) : join(laterPagesFolder(base), `${number}`)

/** Returns the file and the folder of an output. */
export const storedFiles = (base: string) => [firstPagePath(base), laterPagesFolder(base)]

/** Lists all pages on disk, in order. */
export async function listStoredPages(base: string): Promise<PageHandle[]> {
  const numbers = await readdir(laterPagesFolder(base)).then(
    names => names.map(Number).sort((a, b) => a - b),
    () => []
  )
  const first = await access(firstPagePath(base)).then(
    () => [0],
    () => []
  )
  return [...first, ...numbers].map(number => storedPage(pagePath(base, number)))
}

export const storedPage = (path: string): PageHandle => ({
  start: () => readPageStart(path),
  load: () => readPage(path)
})

async function readPage(path: string): Promise<CapturePage | undefined> {
  try {
    return CapturePage.decode(await readFile(path))
  } catch {
    return undefined
  }
}

async function readPageStart(path: string): Promise<StreamOffsets | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const header = Buffer.alloc(PAGE_HEADER_BYTES)
    const { bytesRead } = await handle.read(header)
    return readOffsets(header.subarray(0, bytesRead))
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
