// Process that extracts the text of one PDF document, in a thread. A document that takes all memory at once ends the whole process, for V8
// ends it where no more can be collected: so it is not that of the server.
import { Worker } from 'node:worker_threads'
import type { PdfQuery, PdfResult } from './pdf-worker.ts'

export interface PdfTask {
  query: PdfQuery
  /** Maximum memory of the thread. */
  max_memory_mb: number
}

export type PdfAnswer = PdfResult | { failed: string; isOutOfMemory: boolean }

// Its server is gone.
process.once('disconnect', () => process.exit())
process.once('message', ({ query, max_memory_mb }: PdfTask) => {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./pdf-worker.${extension}`, import.meta.url), {
    workerData: query,
    resourceLimits: { maxOldGenerationSizeMb: max_memory_mb },
    stdout: true,
    stderr: true
  })
  const answer = (message: PdfAnswer) => process.send!(message)
  worker.once('message', answer)
  worker.once('error', ({ message, code }: NodeJS.ErrnoException) =>
    answer({ failed: message, isOutOfMemory: code === 'ERR_WORKER_OUT_OF_MEMORY' })
  )
})
