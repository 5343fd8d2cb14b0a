// What requests are called in the log and in refusals.
import { randomUUID } from 'node:crypto'

/** Told with every refusal, so that its line of the log is found: like no other, of this run or an earlier one. */
export function createRequestIdGenerator(): () => string {
  const run = randomUUID().slice(0, 8)
  let count = 0
  return () => {
    count += 1
    return `req_${run}_${count.toString(36)}`
  }
}
