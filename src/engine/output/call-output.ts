// Reads captured output of calls by offset.
import type { OutputPage, OutputPageQuery } from '../../tool/background-tasks.ts'
import { isSettled } from '../call.ts'
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
    const page = await engine.outputs.read(tool_call_id, { ...query, wait_ms })
    const live = engine.activeCalls.get(tool_call_id)
    const open = live && !isSettled(live.call)
    if (page && (!page.ended || !open)) return page
    const { offset } = query
    const none = page ?? { text: '', offset, next_offset: offset, ended: !open && hasEnded() }
    if (!open) return none
    if (none.text !== '' || wait_ms === 0 || query.signal?.aborted) return { ...none, ended: false }
    await waitForMore(engine, tool_call_id, wait_ms, query.signal)
  }
}

/** Resolves when another command of the call begins to print, the call has ended, or after `ms` milliseconds. */
async function waitForMore({ activeCalls, outputs }: Engine, id: string, ms: number, signal: AbortSignal | undefined) {
  const over = new AbortController()
  const waiting = signal ? AbortSignal.any([over.signal, signal]) : over.signal
  const settled = activeCalls.get(id)?.wait({ ms, throughApproval: true, signal: waiting })
  await Promise.race([settled, outputs.opened(id, waiting)])
  over.abort()
}
