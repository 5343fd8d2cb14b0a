// Reads captured output of calls by offset.

import { isSettled } from '../../protocol/calls.ts'
import type { OutputPage } from '../../protocol/output.ts'
import type { OutputPageQuery } from '../../tool/background-tasks.ts'
import type { Engine } from '../engine.ts'

/**
 * Reads a part of a call's output; waits for more if there is none yet. The output has ended only when the call and its jobs
 * have: until then another command may print. `hasEnded` is used if neither the call nor its output is available.
 */
export async function readCallOutput(
  engine: Engine,
  tool_call_id: string,
  query: OutputPageQuery,
  hasEnded: () => boolean
): Promise<OutputPage> {
  const until = performance.now() + query.wait_ms
  for (;;) {
    const wait_ms = Math.max(0, Math.ceil(until - performance.now()))
    const over = new AbortController()
    const signal = query.signal ? AbortSignal.any([over.signal, query.signal]) : over.signal
    // Registered before reading, so that a command that starts to print in the meantime is not missed.
    const opened = engine.outputs.opened(tool_call_id, signal)
    try {
      const page = await engine.outputs.read(tool_call_id, { ...query, wait_ms })
      const live = engine.activeCalls.get(tool_call_id)
      const open = live && !isSettled(live.call)
      if (page && (!page.ended || !open)) return page
      const { offset } = query
      const none = page ?? { text: '', offset, next_offset: offset, ended: !open && hasEnded() }
      if (!open) return none
      if (none.text !== '' || wait_ms === 0 || query.signal?.aborted) return { ...none, ended: false }
      await Promise.race([live.wait({ ms: wait_ms, throughApproval: true, signal }), opened])
    } finally {
      over.abort()
    }
  }
}
