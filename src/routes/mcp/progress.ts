// What a call tells while it runs, in the words of the protocol.
import type { EventOf } from '../../events/events.ts'

export interface ProgressUpdate {
  progress: number
  total: 1
  message?: string
}

/** So little that nobody sees it: progress must grow with every word, also where nobody knows how far it is. */
const MIN_STEP = 1e-6
/** Output comes many times a second; a client needs only to see that it comes. */
const OUTPUT_INTERVAL_MS = 100
const MAX_LINE_LENGTH = 200

export class ProgressTracker {
  #last = -MIN_STEP
  #lastOutputAt = -OUTPUT_INTERVAL_MS

  next(message: string | undefined, progress?: number): ProgressUpdate {
    this.#last = progress !== undefined && progress > this.#last ? progress : this.#last + MIN_STEP
    return { progress: this.#last, total: 1, ...(message !== undefined && { message }) }
  }

  /** Undefined for what need not be told. */
  fromEvent({
    progress,
    message,
    delta
  }: Pick<EventOf<'tool.progress'>, 'progress' | 'message' | 'delta'>): ProgressUpdate | undefined {
    if (progress !== undefined || message !== undefined) return this.next(message, progress)
    const now = performance.now()
    if (!delta || now - this.#lastOutputAt < OUTPUT_INTERVAL_MS) return undefined
    this.#lastOutputAt = now
    return this.next(lastLine(delta.text))
  }
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)!.slice(-MAX_LINE_LENGTH)
