// Extracts the text of PDF documents, in a separate thread for each: documents are untrusted, and some block or exhaust their
// reader.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../errors.ts'
import type { PdfQuery, PdfResult } from './pdf-worker.ts'

const MAX_MEMORY_MB = 512

export class PdfReader {
  /** Resolves when the previous document is done: one at a time, to limit memory. */
  #queue: Promise<unknown> = Promise.resolve()

  /** Fails with the signal's reason, and with TOO_LARGE if the document exceeds the memory limit. */
  async extractText(query: PdfQuery, signal: AbortSignal): Promise<PdfResult> {
    const before = this.#queue
    const { promise: mine, resolve: done } = Promise.withResolvers<void>()
    this.#queue = before.then(() => mine)
    try {
      await raceWithSignal(before, signal)
      return await raceWithSignal(extractInWorker(query, signal), signal)
    } finally {
      done()
    }
  }
}

async function extractInWorker(query: PdfQuery, signal: AbortSignal): Promise<PdfResult> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./pdf-worker.${extension}`, import.meta.url), {
    workerData: query,
    transferList: [query.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    stdout: true,
    stderr: true,
    // The server's environment is not exposed to an untrusted document.
    env: {},
    execArgv: []
  })
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end)
  try {
    const [answer] = (await once(worker, 'message')) as [PdfResult]
    return answer
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new ToolError('TOO_LARGE', `The document needs more than ${MAX_MEMORY_MB} MB to be read.`)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

async function raceWithSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const refuse = () => reject(signal.reason)
  signal.addEventListener('abort', refuse)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', refuse)
  }
}
