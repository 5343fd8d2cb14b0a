// What a command printed, page by page: one at a time is held, however much there is and however slowly it is read.
import type { Context } from '../context.ts'
import { lasting } from '../reconnect.ts'
import { safe } from './terminal.ts'

const LONGEST_WAIT_MS = 30_000
const PAGE_BYTES = 1_048_576

interface Printing {
  stream?: 'stdout' | 'stderr' | undefined
  /** Go on until it has ended, rather than until there is no more. */
  follow: boolean
}

export async function printOutput(context: Context, id: string, { stream, follow }: Printing) {
  const first = await context.connect()
  if (follow) context.catchInterrupt()
  const { terminal, signal } = context
  const query = { limit: PAGE_BYTES, wait_ms: follow ? LONGEST_WAIT_MS : 0, signal, ...(stream && { stream }) }
  for (let offset = 0; ; ) {
    const page = await (follow
      ? lasting(context, first, client => client.output(id, { ...query, offset }))
      : first.output(id, { ...query, offset }))
    const { text, next_offset, ended, dropped } = page
    if (terminal.json) terminal.outJson(page)
    else {
      if (dropped) terminal.say(`${dropped.bytes} bytes were dropped, starting at byte ${dropped.from}.`)
      terminal.write(safe(text))
    }
    await terminal.taken(signal)
    offset = next_offset
    if (ended || (!follow && text === '')) return
  }
}
