// Request ids for the log and for error responses.
import { randomUUID } from 'node:crypto'

/** Creates ids that are unique across runs. Every error response has one, so that its log line can be found. */
export function createRequestIdGenerator(): () => string {
  const run = randomUUID().slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `req_${run}_${count.toString(36)}`
  }
}
