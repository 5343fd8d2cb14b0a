// Jobs as lists show them: each of bounded size, with a reference to the whole. Their number is bounded by settings.
import type { Job } from '../../protocol/jobs.ts'

/** Maximum number of bytes of a job that a list shows whole. */
const MAX_LISTED_BYTES = 8 * 1024
/** Maximum number of characters of a text of a job that a list abbreviates. */
const MAX_TEXT_LENGTH = 1_024
/** Maximum number of items of a list of such a job. */
const MAX_ITEMS = 20

export function toListedJob(job: Job): Job {
  if (Buffer.byteLength(JSON.stringify(job)) <= MAX_LISTED_BYTES) return job
  const fields = Object.entries(job).map(([name, value]) => [name, abbreviateField(value)])
  return { ...Object.fromEntries(fields), truncated: true, href: `/jobs/${job.task_id}` }
}

function abbreviateField(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(abbreviateField)
  if (typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH) return value
  return `${value.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…`
}
