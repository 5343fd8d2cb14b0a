// Results of a run: progress on the way, and the presentation for a model and a person.

/** A progress update of a running tool. `delta.offset` is the byte offset of `text` in its stream. */
export interface Progress {
  /** 0 to 1. */
  progress?: number
  message?: string
  delta?: { stream: 'stdout' | 'stderr' | 'output'; text: string; offset: number }
}

export interface Attachment {
  media_type: string
  data_url: string
  width?: number
  height?: number
}

/** The result for a model and a person; `content` is bounded text. */
export interface Presented {
  title: string
  content: string
  metadata?: Record<string, unknown>
  attachments?: Attachment[]
  truncated?: boolean
}

/** The output of a run together with its presentation, for a tool that receives both from elsewhere: `present` is not called. */
export class PresentedOutput<O> {
  readonly output: O
  readonly presented: Presented

  constructor(output: O, presented: Presented) {
    this.output = output
    this.presented = presented
  }
}
