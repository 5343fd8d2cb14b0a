// SSE frames: one event as the bytes on an event stream. Encoded once and shared by every reader.
import type { NewEvent } from '../protocol/events.ts'

/** An event with its number and time, ready to be stored and published. */
export interface JournalEntry {
  seq: number
  event: NewEvent
  /** The event as JSON; for a tool.result without its `result`, which is stored with the call. */
  json: string
  /** The `result` of a tool.result as JSON. */
  result?: string | undefined
}

/** Maximum size of a frame's `data` in bytes. */
export const MAX_FRAME_BYTES = 65_536
/** Maximum length of a field in a truncated frame. */
const MAX_TRUNCATED_FIELD_LENGTH = 1_024

/** Returns the id of an event, which none in another journal has. */
export const formatEventId = (journal_id: string, seq: number) => `${journal_id}-${seq}`

/** The point at which a stream resumes; without a journal, a number in the present one. */
export interface StreamPosition {
  journal_id?: string | undefined
  seq: number
}

/** Parses the id of an event, or a mere number. */
export function parseStreamPosition(id: string): StreamPosition {
  const [journal_id, seq] = id.includes('-') ? id.split('-') : [undefined, id]
  return { journal_id, seq: Number(seq) }
}

/** Encodes the frame of a stored or new event. It has exactly one `data:` line, since JSON has no raw line breaks. */
export function encodeEventFrame(id: string, type: string, json: string, result?: string | null): Buffer {
  let data = typeof result === 'string' ? `${json.slice(0, -1)},"result":${result}}` : json
  if (data.length > MAX_FRAME_BYTES / 3 && Buffer.byteLength(data) > MAX_FRAME_BYTES) data = truncateEvent(json)
  return Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`)
}

/** Encodes a frame for one reader that is not in the journal; `id` optionally refers to an entry. */
export const encodeTransientFrame = (type: string, data: object, id?: string) =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)

function truncateEvent(json: string) {
  const event = JSON.parse(json) as Record<string, unknown>
  const small = Object.entries(event).filter(([, value]) => JSON.stringify(value).length <= MAX_TRUNCATED_FIELD_LENGTH)
  return JSON.stringify({
    ...Object.fromEntries(small),
    truncated: true,
    href: event.href ?? `/calls/${event.tool_call_id}`
  })
}
