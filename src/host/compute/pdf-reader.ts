// Extracts the text of PDF documents, in a separate process for each: documents are untrusted, and some block or exhaust their
// reader.
import { type ChildProcess, fork } from 'node:child_process'
import { ToolError } from '../../errors.ts'
import { awaitTurn } from '../../time-limit.ts'
import type { PdfAnswer, PdfTask } from './pdf-process.ts'
import type { PdfQuery, PdfResult } from './pdf-worker.ts'

/** Maximum memory of the process that reads a document. */
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
      await awaitTurn(raceWithSignal(before, signal), signal)
      return await raceWithSignal(extractInProcess(query, signal), signal)
    } finally {
      done()
    }
  }
}

async function extractInProcess(query: PdfQuery, signal: AbortSignal): Promise<PdfResult> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const child = fork(new URL(`./pdf-process.${extension}`, import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // The server's environment is not exposed to an untrusted document.
    env: {},
    execArgv: []
  })
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  try {
    const answer = await receiveAnswer(child, query)
    if (!('failed' in answer)) return answer
    if (answer.isOutOfMemory) throw outOfMemoryError()
    throw failedError(answer.failed)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

function receiveAnswer(child: ChildProcess, query: PdfQuery): Promise<PdfAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>()
  child.once('message', answer => resolve(answer as PdfAnswer))
  child.once('error', ({ message }) => reject(failedError(message)))
  child.once('exit', (code, ended) =>
    reject(ended !== null && ABORTED.has(ended) ? outOfMemoryError() : failedError(`it ended by ${ended ?? code}`))
  )
  // A process that has ended reports that by its exit.
  child.send({ query, max_memory_mb: MAX_MEMORY_MB } satisfies PdfTask, () => {})
  return promise
}

/** V8 aborts a process that has no more memory. */
const ABORTED: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL'])

const outOfMemoryError = () =>
  new ToolError('TOO_LARGE', `Reading the PDF document requires more than ${MAX_MEMORY_MB} MB of memory.`)

const failedError = (reason: string) =>
  new ToolError(
    'EXECUTION_ERROR',
    `The process that reads PDF documents failed: ${reason}. Retry: a new process is started.`
  )

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
