// Removal of a call's content: on request, or once the content of a call that used a sensitive file has been kept long enough.
import { ToolError } from '../errors.ts'
import { isSettled, type SettledCall } from '../protocol/calls.ts'
import type { ContentRemoval } from '../protocol/content-removal.ts'
import { steadyNow } from '../steady-time.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import { removeCallContent, removedResult, removeEventContent, removeJobContent } from './content-removal.ts'
import { type Engine, getCallScope } from './engine.ts'

/** Removes the content of an ended call at once: from the journal, its captured output and the undo store. */
export async function purgeCall(
  engine: Engine,
  tool_call_id: string,
  by: NonNullable<ContentRemoval['by']>
): Promise<void> {
  const call = await getEndedCall(engine, tool_call_id)
  for (const { before_hash, after_hash, from_hash, before_attributes } of call.changes ?? [])
    for (const hash of [before_hash, after_hash, from_hash, before_attributes])
      if (hash !== undefined) engine.blobs.remove(hash)
  await removeContent(engine, call, { at: new Date().toISOString(), reason: 'purged', by })
}

/** Removes the content of calls that used a sensitive file, once their time is over. Undo stays possible. */
export async function removeExpiredContent(engine: Engine): Promise<void> {
  const at = new Date().toISOString()
  for (const tool_call_id of engine.store.expiredContent(new Date(steadyNow()).toISOString())) {
    if (isOpen(engine, tool_call_id)) continue
    await removeContent(engine, await getEndedCall(engine, tool_call_id), { at, reason: 'sensitive' })
  }
}

async function removeContent(engine: Engine, call: SettledCall, removal: ContentRemoval): Promise<void> {
  const { tool_call_id, tool } = call
  const { at: _, ...why } = removal
  await engine.outputs.remove(tool_call_id)
  engine.cache.invalidate(call.workspace)
  const event = { type: 'tool.content_removed' as const, ...getCallScope(call), tool, ...why }
  await engine.journal.append([event], () => removalWrites(engine, call, removal))
}

function removalWrites({ store }: Engine, call: SettledCall, removal: ContentRemoval): StoreWrite[] {
  const { tool_call_id, workspace } = call
  const result = call.status === 'success' ? JSON.stringify(removedResult(removal)) : null
  const job = store.task(tool_call_id)?.job
  return [
    ...replacedEvents(store, tool_call_id, removal),
    ['replaceSharedResult', result, tool_call_id],
    ['replaceCall', JSON.stringify(removeCallContent(call, removal)), result, tool_call_id],
    ['forgetContentExpiry', tool_call_id],
    ...(job
      ? [['job', tool_call_id, workspace, 0, JSON.stringify(removeJobContent(JSON.parse(job), removal))] as StoreWrite]
      : [])
  ]
}

function replacedEvents(store: Engine['store'], tool_call_id: string, removal: ContentRemoval): StoreWrite[] {
  const writes: StoreWrite[] = []
  let page = store.eventsOfCall(tool_call_id, 0, EVENTS_PER_PAGE)
  while (page.length > 0) {
    writes.push(...page.map(({ seq, data }): StoreWrite => ['replaceEvent', removeEventContent(data, removal), seq]))
    page = store.eventsOfCall(tool_call_id, page.at(-1)!.seq, EVENTS_PER_PAGE)
  }
  return writes
}

const EVENTS_PER_PAGE = 1_000

/** Throws CONFLICT unless the call has ended, with the job that it left. */
async function getEndedCall(engine: Engine, tool_call_id: string): Promise<SettledCall> {
  if (isOpen(engine, tool_call_id))
    throw new ToolError('CONFLICT', 'The call has not ended, or its command is still running. Cancel the call first.')
  await engine.store.flushed()
  const row = engine.store.call(tool_call_id)
  if (!row) throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id}.`)
  return JSON.parse(row.head) as SettledCall
}

function isOpen({ activeCalls, jobs }: Engine, tool_call_id: string): boolean {
  const live = activeCalls.get(tool_call_id)
  return (live && !isSettled(live.call)) || jobs.running().some(({ task_id }) => task_id === tool_call_id)
}
