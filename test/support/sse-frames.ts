// Frames of a response with server-sent events.
import { type SseFrame, SseParser } from '../../src/client/sse.ts'

/** Yields the frames of a response as they arrive. */
export async function* readFrames({ body }: Response): AsyncGenerator<SseFrame> {
  const parser = new SseParser()
  for await (const bytes of body!) yield* parser.push(bytes as Uint8Array)
}
