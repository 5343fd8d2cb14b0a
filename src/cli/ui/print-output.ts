// Prints captured output page by page: only one page is in memory, however much output there is and however slowly it is read.

import { escapeInvisible } from '../../text/escape-invisible.ts'
import type { CliContext } from '../context.ts'
import { withReconnect } from '../reconnect.ts'

const MAX_WAIT_MS = 30_000
const PAGE_BYTES = 1_048_576

interface PrintOptions {
  stream?: 'stdout' | 'stderr' | undefined
  /** Continue until the command has ended, rather than until the available output has been read. */
  follow: boolean
}

export async function printOutput(context: CliContext, id: string, { stream, follow }: PrintOptions) {
  const first = await context.connect()
  if (follow) context.handleInterrupt()
  const { terminal, signal } = context
  const query = { limit: PAGE_BYTES, wait_ms: follow ? MAX_WAIT_MS : 0, signal, ...(stream && { stream }) }
  for (let offset = 0; ; ) {
    const page = await (follow
      ? withReconnect(context, first, client => client.output(id, { ...query, offset }))
      : first.output(id, { ...query, offset }))
    const { text, next_offset, ended, dropped } = page
    if (terminal.json) terminal.printJson(page)
    else {
      if (dropped) terminal.info(`${dropped.bytes} bytes were dropped, starting at byte ${dropped.from}.`)
      terminal.write(escapeInvisible(text))
    }
    await terminal.waitForDrain(signal)
    offset = next_offset
    if (ended || (!follow && text === '')) return
  }
}
