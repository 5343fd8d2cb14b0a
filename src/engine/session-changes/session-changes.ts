// The changes of a session: what all of its calls made of each file, as one diff a file.
import { ToolError } from '../../errors.ts'
import type { SettledCall } from '../../protocol/calls.ts'
import type { ChangingCall, SessionChangesPage, SessionFile } from '../../protocol/session-changes.ts'
import { redactForDecision } from '../../text/secrets/credentials.ts'
import type { Caller } from '../active-call.ts'
import { restrictedOwner } from '../call-owners.ts'
import { readWithin } from '../dry-run.ts'
import type { Engine } from '../engine.ts'
import { type ListPageQuery, takePage } from '../list-page.ts'
import { createActiveCall, resolveWorkspace } from '../submit.ts'
import { describeFile, type FileContext } from './file-diff.ts'
import { computeNetChanges, type NetChange, type RecordedCall } from './net-changes.ts'

/** A session of a workspace. */
export interface SessionQuery extends ListPageQuery {
  session_id: string
  workspace?: string | undefined
}

/** Maximum number of calls and of their changes that are combined, the newest. */
const MAX_CALLS = 5_000
const MAX_CHANGES = 50_000
/** Number of bytes of diffs after which a page ends. */
const MAX_PAGE_BYTES = 1024 * 1024
/** Milliseconds after which a page ends. */
const MAX_PAGE_MS = 5_000

type SessionCall = ChangingCall & RecordedCall

/**
 * Returns a page of the changes of a session's calls, without calls that the caller may not see. A file is shown if the caller could read
 * it without approval. Throws NOT_FOUND if the caller sees no call of the session.
 */
export async function readSessionChanges(
  engine: Engine,
  { session_id, workspace: named, ...page }: SessionQuery,
  caller: Caller
): Promise<SessionChangesPage> {
  const workspace = resolveWorkspace(engine, named).name
  // A call may have been answered before its commit.
  await engine.store.flushed().catch(() => {})
  assertKnownSession(engine, { session_id, workspace }, caller)
  const { calls, truncated } = readCalls(engine, { session_id, workspace }, caller)
  const answer = { session_id, workspace, ...(truncated && { truncated: true as const }) }
  const [first] = calls
  if (!first) return { ...answer, total: 0, calls: [], files: [] }
  const changes = computeNetChanges(calls)
  // The contents are those that the undo of all calls would reveal.
  const params = { tool_call_id: first.tool_call_id, scope: 'since' }
  const live = createActiveCall(engine, { tool: 'undo', params, session_id, workspace }, caller, {})
  engine.presence.assertPresent(workspace)
  const redact = (text: string) => redactForDecision(engine.masking.maskForDecision(text))
  const { files, ...rest } = await readWithin(engine, live, () =>
    readFiles(changes, page, { ...live.services, redact })
  )
  const used = new Set(files.flatMap(file => file.calls))
  return {
    ...answer,
    first_call: first.tool_call_id,
    total: changes.length,
    calls: calls.filter(({ tool_call_id }) => used.has(tool_call_id)).map(toChangingCall),
    files,
    ...rest
  }
}

interface SessionKey {
  session_id: string
  workspace: string
}

function assertKnownSession({ owners }: Engine, { session_id, workspace }: SessionKey, caller: Caller) {
  const owner = restrictedOwner(caller)
  const known = owners.findSessionOwners(workspace, session_id)
  if (owner === undefined ? known.length > 0 : known.includes(owner)) return
  throw new ToolError('NOT_FOUND', `The workspace ${workspace} has no session of this name.`)
}

/** Reads the calls that changed files, oldest first. */
function readCalls({ store, owners }: Engine, { session_id, workspace }: SessionKey, caller: Caller) {
  const owner = restrictedOwner(caller)
  const calls: SessionCall[] = []
  let room = MAX_CHANGES
  let truncated = false
  for (const head of store.changingCalls(workspace, session_id)) {
    const call = toSessionCall(JSON.parse(head) as SettledCall)
    if (call.changes.length === 0 || !owners.canSee(owner, call.tool_call_id)) continue
    room -= call.changes.length
    truncated = room < 0 || calls.length === MAX_CALLS
    if (truncated) break
    calls.push(call)
  }
  return { calls: calls.reverse(), truncated }
}

const toSessionCall = (call: SettledCall): SessionCall => ({
  ...toChangingCall(call),
  changes: call.changes ?? [],
  ...(call.content_removed && { content_removed: call.content_removed })
})

function toChangingCall(call: ChangingCall): ChangingCall {
  const { tool_call_id, tool, status, agent, client, approved_by, finished_at, undo } = call
  return {
    tool_call_id,
    tool,
    status,
    ...(agent !== undefined && { agent }),
    client,
    ...(approved_by && { approved_by }),
    finished_at,
    ...(undo && { undo })
  }
}

/** Describes the files of a page, which ends early if their diffs are large or take long. */
async function readFiles(
  changes: readonly NetChange[],
  query: ListPageQuery,
  context: FileContext
): Promise<Pick<SessionChangesPage, 'files' | 'cursor'>> {
  const take = (limit: number | undefined) => takePage(changes, ({ path }) => path, { ...query, limit })
  const whole = take(query.limit)
  const until = performance.now() + MAX_PAGE_MS
  const files: SessionFile[] = []
  let bytes = 0
  for (const change of whole.items) {
    if (files.length > 0 && (bytes > MAX_PAGE_BYTES || performance.now() > until)) break
    const file = await describeFile(change, context)
    bytes += Buffer.byteLength(JSON.stringify(file))
    files.push(file)
  }
  const { cursor } = files.length === whole.items.length ? whole : take(files.length)
  return { files, ...(cursor !== undefined && { cursor }) }
}
