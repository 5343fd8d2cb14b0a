import type { Job } from '../../client/client.ts'

/** Formats the status of a job with the outcome of its program. */
export function formatJobStatus({ status, exit_code, signal }: Job): string {
  if (typeof exit_code === 'number') return `${status} ${exit_code}`
  return signal ? `${status} ${signal}` : status
}
