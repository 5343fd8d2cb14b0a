// Fills the store of a server that does not run with calls that have ended, as if it had worked for long.
import { mkdirSync } from 'node:fs'
import { Journal } from '../../src/events/journal.ts'
import type { NewEvent } from '../../src/protocol/events.ts'
import { openStore, type Store } from '../../src/store/store.ts'

const CHUNK = 5_000
const TOOLS = ['read_file', 'grep', 'edit_file', 'shell_exec', 'list_directory'] as const

/** Adds so many calls, the oldest with the title `call 0`, each a second after the one before. */
export async function fillCalls(stateFolder: string, count: number) {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const store = await openStore(stateFolder)
  const journal = new Journal(store)
  const start = Date.now() - count * 1_000
  for (let first = 0; first < count; first += CHUNK) {
    const calls = Array.from({ length: Math.min(CHUNK, count - first) }, (_, i) => pastCall(first + i, start))
    await journal.append(
      calls.flatMap(({ events }) => events),
      () => calls.map(({ write }) => write)
    )
  }
  await store.close()
}

type Write = ReturnType<Parameters<Store['write']>[0]>[number]

function pastCall(n: number, start: number): { events: NewEvent[]; write: Write } {
  const tool_call_id = `tc_${String(n).padStart(26, '0')}`
  const tool = TOOLS[n % TOOLS.length]!
  const scope = { tool_call_id, session_id: `session-${n % 50}`, workspace: 'default' }
  const created_at = new Date(start + n * 1_000).toISOString()
  const params = { path: `src/module-${n % 97}/file-${n}.ts` }
  const result = {
    title: `call ${n}`,
    content: 'ok',
    data: {},
    metadata: {},
    attachments: [],
    truncated: false
  }
  const head = {
    status: 'success',
    ...scope,
    tool,
    params,
    background: false,
    client: 'agent',
    agent: `agent-${n % 5}`,
    attempts: 1,
    created_at,
    timeout_ms: 10_000,
    approved_by: { source: 'auto', at: created_at },
    started_at: created_at,
    finished_at: created_at,
    execution_time_ms: n % 900
  }
  return {
    events: [
      { type: 'tool.call', ...scope, tool, params, client: 'agent', agent: head.agent, requires_approval: false },
      { type: 'tool.result', ...scope, tool, status: 'success', execution_time_ms: head.execution_time_ms }
    ],
    write: [
      'call',
      tool_call_id,
      tool,
      'success',
      scope.session_id,
      scope.workspace,
      created_at,
      '',
      JSON.stringify(head),
      JSON.stringify(result),
      null,
      null
    ]
  }
}
