// Creates the services of a call: a host bound to it, background tasks, delegation, and the state of its session.

import { isSettled } from '../protocol/calls.ts'
import { toTraceHeaders } from '../text/trace-context.ts'
import { awaitTurn } from '../time-limit.ts'
import type { ActiveCall } from './active-call.ts'
import { assertSourcesUnchanged } from './approvals/call-facts.ts'
import { decideFetch } from './approvals/url-access.ts'
import { canReveal } from './approvals/visibility.ts'
import type { CallServices } from './call-services.ts'
import { createDelegate } from './editors/delegate.ts'
import { createEditors } from './editors/editor-writes.ts'
import type { Engine, ServedWorkspace } from './engine.ts'
import { createBackgroundTasks } from './jobs/background-tasks.ts'
import { fileChangedEvent, recordOrigins } from './settle.ts'
import { sessionKey, shellScope } from './shells.ts'

export function createCallServices(engine: Engine, live: ActiveCall, workspace: ServedWorkspace): CallServices {
  const { tool_call_id, session_id, trace, executor } = live.call
  const ownSession = sessionKey(session_id, live.owner)
  return {
    call: {
      id: tool_call_id,
      sessionId: session_id,
      workspace: { name: workspace.name, root: workspace.root, spellings: workspace.spellings },
      executor,
      ...(trace && { trace: toTraceHeaders(trace) })
    },
    signal: live.abort.signal,
    host: createHost(engine, live, workspace),
    jobs: createBackgroundTasks(engine, live),
    delegate: createDelegate(engine, live),
    canReveal: use => canReveal(engine, live, use),
    decideFetch: url => decideFetch(engine, live, url),
    session: {
      read: key => {
        const value = engine.store.note(workspace.name, ownSession, key)
        return value === undefined ? undefined : JSON.parse(value)
      },
      write: (key, value) =>
        engine.store.write(() => [['note', workspace.name, ownSession, key, JSON.stringify(value)]]),
      shell: name => engine.shells.open(shellScope(live), name),
      saveShell: shell => engine.shells.save(shellScope(live), shell)
    }
  }
}

function createHost(engine: Engine, live: ActiveCall, workspace: ServedWorkspace) {
  const { tool_call_id } = live.call
  return engine.createHost(
    workspace,
    {
      signal: live.abort.signal,
      commitIntent: () => {
        live.hasSideEffects = true
        engine.store.sendNow()
        return awaitTurn(live.durableIntent, live.abort.signal)
      },
      startCheck: () => (live.evaluation?.sources ? () => checkStart(engine, live) : undefined),
      onStarted: () => live.releaseSources(),
      onEnded: () => engine.runningSources.remove(tool_call_id),
      claimBytes: bytes => engine.storage.claim(live, bytes),
      recordChange: change => {
        live.changes.push(change)
        if (change.after_hash !== undefined)
          engine.diagnostics.recordEdit(workspace.name, change.path, change.after_hash, tool_call_id)
        // Changes are published together with the call's end, in one commit; immediately if a tool continues after its call was
        // ended.
        if (!isSettled(live.call)) return
        const origins = recordOrigins(engine, live, [change])
        engine.journal.append([fileChangedEvent(live.call, change)], () => origins).catch(() => {})
      },
      editors: createEditors(engine, live, workspace)
    },
    tool_call_id
  )
}

/** Checks what a command executes, right before it starts. From then on, changing that needs approval until the command has ended. */
async function checkStart(engine: Engine, live: ActiveCall) {
  await assertSourcesUnchanged(engine, live)
  const { sources, lookedUp } = live.evaluation!.sources!
  const { tool_call_id, workspace } = live.call
  engine.runningSources.add({
    tool_call_id,
    workspace,
    paths: new Set([...sources.map(({ path }) => path), ...lookedUp])
  })
}
