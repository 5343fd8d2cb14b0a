// The files of captured outputs. Most calls have one page, a file. Those with more have a folder for the rest, numbered,
// with holes where one was dropped.
import { access, type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HEADER_BYTES, type Offsets, offsetsIn, Page } from './capture-page.ts'
import type { PlacedPage } from './read-output.ts'

const SUFFIX = /\.(out|pages)$/

// Call ids may be chosen by a client, so names are encoded, and never bare: not joined before they have their ending.
export const baseOf = (folder: string, callId: string) => `${folder}/${encodeURIComponent(callId)}`
export const callOf = (name: string) => decodeURIComponent(name.replace(SUFFIX, ''))

const firstPage = (base: string) => `${base}.out`
export const laterPages = (base: string) => `${base}.pages`
export const pagePath = (base: string, number: number) =>
  number === 0 ? firstPage(base) : join(laterPages(base), `${number}`)

/** All pages that are on disk, in order. */
export async function storedPages(base: string): Promise<PlacedPage[]> {
  const numbers = await readdir(laterPages(base)).then(
    names => names.map(Number).sort((a, b) => a - b),
    () => []
  )
  const first = await access(firstPage(base)).then(
    () => [0],
    () => []
  )
  return [...first, ...numbers].map(number => storedPage(pagePath(base, number)))
}

export const storedPage = (path: string): PlacedPage => ({ start: () => readStart(path), load: () => readPage(path) })

async function readPage(path: string): Promise<Page | undefined> {
  try {
    return Page.decode(await readFile(path))
  } catch {
    return undefined
  }
}

async function readStart(path: string): Promise<Offsets | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const header = Buffer.alloc(HEADER_BYTES)
    const { bytesRead } = await handle.read(header)
    return offsetsIn(header.subarray(0, bytesRead))
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
