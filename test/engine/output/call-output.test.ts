// Reading the captured output of a call that has not printed yet.
// tier: quick
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import type { ActiveCall } from '../../../src/engine/active-call.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { readCallOutput } from '../../../src/engine/output/call-output.ts'
import { OutputStore } from '../../../src/host/processes/outputs/output-store.ts'
import { within } from '../../support/wait.ts'

const ID = 'tc_1'

t.test('does not miss a command that starts while the output is looked up', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-outputs-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const outputs = new OutputStore(folder, { spill_bytes: 1 << 20 })
  const live = {
    call: { tool_call_id: ID, status: 'running' },
    wait: ({ signal }: { signal: AbortSignal }) =>
      new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  }
  let writer: ReturnType<OutputStore['open']> | undefined
  const engine = {
    activeCalls: new Map([[ID, live as unknown as ActiveCall]]),
    outputs: {
      opened: (id: string, signal: AbortSignal) => outputs.opened(id, signal),
      read: async (...query: Parameters<OutputStore['read']>) => {
        const part = await outputs.read(...query)
        if (!writer) {
          writer = outputs.open(ID)
          writer.append('stdout', Buffer.from('here\n'))
        }
        return part
      }
    }
  } as unknown as Engine
  const reading = readCallOutput(engine, ID, { stream: 'output', offset: 0, limit: 100, wait_ms: 60_000 }, () => false)
  t.match(await within('the output', reading), { text: 'here\n', next_offset: 5, ended: false })
  writer?.close()
  await outputs.flushed()
})
