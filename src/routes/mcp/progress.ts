// Converts a call's progress to MCP notifications.
import type { EventOf } from '../../protocol/events.ts'

export interface ProgressUpdate {
  progress: number
  /** Set if progress is a share of the whole. */
  total?: 1
  message?: string
}

/** Invisibly small increment: progress must increase with every notification, even if the actual value is unknown. */
const MIN_STEP = 1e-6
/** Throttle for output, which may arrive many times a second; a client only needs to see that it continues. */
const OUTPUT_INTERVAL_MS = 100
const MAX_LINE_LENGTH = 200

export class ProgressTracker {
  #last = -MIN_STEP
  #isShare = false
  #lastOutputAt = -OUTPUT_INTERVAL_MS

  next(message: string | undefined, progress?: number): ProgressUpdate {
    this.#last = progress !== undefined && progress > this.#last ? progress : this.#last + MIN_STEP
    this.#isShare ||= progress !== undefined
    return { progress: this.#last, ...(this.#isShare && { total: 1 }), ...(message !== undefined && { message }) }
  }

  /** Returns undefined for events that need no notification. */
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
