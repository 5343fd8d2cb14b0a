// Follows what a job prints: reads its end, and on whenever events tell of more. Nothing waits for it on the server, since
// a page has few connections.
import { signal } from '@preact/signals'
import type { Client, Output } from '../../src/client/client.ts'
import { onEvent } from '../store/updates.ts'
import { Tail } from './output-tail.ts'

/** How much of what was printed before is read. */
const BACK_BYTES = 262_144
const PAGE_BYTES = 262_144
/** Between two reads, so that much output costs no more than little. */
const PAUSE_MS = 200

export class FollowedOutput {
  readonly tail = new Tail()
  /** Grows with every change of the tail. */
  readonly version = signal(0)
  readonly ended = signal(false)
  readonly fault = signal<unknown>(undefined)
  /** How many bytes at the beginning were not read. */
  readonly skipped: number
  readonly #client: Client
  readonly #id: string
  readonly #stop = new AbortController()
  #offset: number
  #reading = false
  #more = false

  /** `size` is what it has printed so far. */
  constructor(client: Client, id: string, size: number) {
    this.#client = client
    this.#id = id
    this.skipped = Math.max(0, size - BACK_BYTES)
    this.#offset = this.skipped
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
    this.#more = true
    if (this.#reading) return
    this.#reading = true
    const { signal } = this.#stop
    try {
      while (this.#more && !signal.aborted) {
        this.#more = false
        while (await this.#readPage()) if (signal.aborted) return
        this.version.value++
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      }
      this.fault.value = undefined
    } catch (error) {
      if (!signal.aborted) this.fault.value = error
    } finally {
      this.#reading = false
    }
  }

  /** True where there may be more at once. */
  async #readPage(): Promise<boolean> {
    const { signal } = this.#stop
    const page = await this.#client.output(this.#id, { offset: this.#offset, limit: PAGE_BYTES, signal })
    if (page.dropped) this.tail.push(droppedWords(page.dropped))
    this.tail.push(page.text)
    const read = page.next_offset - this.#offset
    this.#offset = page.next_offset
    this.ended.value = page.ended
    return read >= PAGE_BYTES && !page.ended
  }
}

const droppedWords = ({ bytes }: NonNullable<Output['dropped']>) =>
  `\n[${bytes.toLocaleString('en')} bytes were not kept]\n`

/** All that a command printed, as a file. `told` hears how many bytes are here. */
export async function wholeOutput(client: Client, id: string, told: (bytes: number) => void): Promise<Blob> {
  const parts: string[] = []
  for (let offset = 0; ; ) {
    const page = await client.output(id, { offset, limit: 1_048_576 })
    if (page.dropped) parts.push(droppedWords(page.dropped))
    parts.push(page.text)
    offset = page.next_offset
    told(offset)
    if (page.text === '' || page.ended) return new Blob(parts, { type: 'text/plain;charset=utf-8' })
  }
}
