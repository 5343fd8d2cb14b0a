// Content of responses that are no JSON.
import { Type } from 'typebox'

export const plainTextContent = { 'text/plain': { schema: Type.String() } }
export const eventStreamContent = { 'text/event-stream': { schema: Type.String() } }
export const binaryContent = { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } }

/** Body of an upload, for the API document. */
export const BinaryBody = Type.Unsafe<unknown>({ format: 'binary', description: 'Raw bytes, of any Content-Type.' })
