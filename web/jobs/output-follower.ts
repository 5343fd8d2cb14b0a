// Follows the output of a job: reads its end, then more whenever events announce it. Does not use long polling, since a page has
// few connections.
import { signal } from '@preact/signals'
import type { Client, OutputPage } from '../../src/client/client.ts'
import { onEvent } from '../store/updates.ts'
import { OutputTail } from './output-tail.ts'

/** Maximum of earlier output that is read. */
const HISTORY_BYTES = 262_144
const PAGE_BYTES = 262_144
/** Minimum time between two reads, which bounds the cost of much output. */
const READ_INTERVAL_MS = 200

export class OutputFollower {
  readonly tail = new OutputTail()
  /** Incremented with every change of the tail. */
  readonly version = signal(0)
  readonly hasEnded = signal(false)
  readonly error = signal<unknown>(undefined)
  /** Number of bytes at the beginning that were not read. */
  readonly skippedBytes: number
  readonly #client: Client
  readonly #id: string
  readonly #stop = new AbortController()
  #offset: number
  #reading = false
  #moreAvailable = false

  /** `size`: bytes of output so far. */
  constructor(client: Client, id: string, size: number) {
    this.#client = client
    this.#id = id
    this.skippedBytes = Math.max(0, size - HISTORY_BYTES)
    this.#offset = this.skippedBytes
    const end = onEvent(event => {
      const isOwn = event.tool_call_id === id || (event.type === 'job.exited' && event.task_id === id)
      if (isOwn && (event.type === 'tool.progress' || event.type === 'job.exited')) void this.#read()
    })
    this.#stop.signal.addEventListener('abort', end)
    void this.#read()
  }

  close() {
    this.#stop.abort()
  }

  async #read(): Promise<void> {
    this.#moreAvailable = true
    if (this.#reading) return
    this.#reading = true
    const { signal } = this.#stop
    try {
      while (this.#moreAvailable && !signal.aborted) {
        this.#moreAvailable = false
        while (await this.#readPage()) if (signal.aborted) return
        this.version.value++
        await new Promise(resolve => setTimeout(resolve, READ_INTERVAL_MS))
      }
      this.error.value = undefined
    } catch (error) {
      if (!signal.aborted) this.error.value = error
    } finally {
      this.#reading = false
    }
  }

  /** Returns true if more may be available at once. */
  async #readPage(): Promise<boolean> {
    const { signal } = this.#stop
    const page = await this.#client.output(this.#id, { offset: this.#offset, limit: PAGE_BYTES, signal })
    if (page.dropped) this.tail.push(formatDropped(page.dropped))
    this.tail.push(page.text)
    const read = page.next_offset - this.#offset
    this.#offset = page.next_offset
    this.hasEnded.value = page.ended
    return read >= PAGE_BYTES && !page.ended
  }
}

const formatDropped = ({ bytes }: NonNullable<OutputPage['dropped']>) =>
  `\n[${bytes.toLocaleString('en')} bytes were dropped]\n`

/** Downloads the whole output of a command. `told` is called with the number of bytes received. */
export async function downloadOutput(client: Client, id: string, told: (bytes: number) => void): Promise<Blob> {
  const parts: string[] = []
  for (let offset = 0; ; ) {
    const page = await client.output(id, { offset, limit: 1_048_576 })
    if (page.dropped) parts.push(formatDropped(page.dropped))
    parts.push(page.text)
    offset = page.next_offset
    told(offset)
    if (page.text === '' || page.ended) return new Blob(parts, { type: 'text/plain;charset=utf-8' })
  }
}
