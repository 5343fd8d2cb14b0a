// What a call tells while it runs, in the words of the protocol.
import type { EventOf } from '../../events/events.ts'

export interface Said {
  progress: number
  total: 1
  message?: string
}

/** So little that nobody sees it: progress must grow with every word, also where nobody knows how far it is. */
const STEP = 1e-6
/** Output comes many times a second; a client needs only to see that it comes. */
const OUTPUT_MS = 100
const LONGEST_LINE = 200

export class ProgressWords {
  #last = -STEP
  #spoke = -OUTPUT_MS

  say(message: string | undefined, progress?: number): Said {
    this.#last = progress !== undefined && progress > this.#last ? progress : this.#last + STEP
    return { progress: this.#last, total: 1, ...(message !== undefined && { message }) }
  }

  /** Undefined for what need not be told. */
  of({ progress, message, delta }: Pick<EventOf<'tool.progress'>, 'progress' | 'message' | 'delta'>): Said | undefined {
    if (progress !== undefined || message !== undefined) return this.say(message, progress)
    const now = performance.now()
    if (!delta || now - this.#spoke < OUTPUT_MS) return undefined
    this.#spoke = now
    return this.say(lastLine(delta.text))
  }
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)!.slice(-LONGEST_LINE)
