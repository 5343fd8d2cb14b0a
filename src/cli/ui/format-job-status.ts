import type { Job } from '../../client/client.ts'

/** How a job stands, with how its program ended. */
export function formatJobStatus({ status, exit_code, signal }: Job): string {
  if (typeof exit_code === 'number') return `${status} ${exit_code}`
  return signal ? `${status} ${signal}` : status
}
