// Sends a running call to the background, so that nobody is kept waiting for it.
import { ToolError } from '../../errors.ts'
import type { Write } from '../../store/store.ts'
import { standing } from '../../text/status-text.ts'
import type { Live } from '../active-call.ts'
import type { Call } from '../call.ts'
import { about, type Engine, step } from '../engine.ts'

/** How long a call may take to settle that leaves a job. */
const MOVE_MS = 5_000

/** A call that can leave a job settles; any other runs on. Whoever waits for it is answered. */
export async function sendToBackground(engine: Engine, live: Live): Promise<void> {
  const { call, tool } = live
  if (call.status !== 'running') throw notRunning(call)
  const moves = typeof tool.moves === 'function' ? tool.moves(call.params) : tool.moves
  if (moves) {
    engine.jobs.mustHaveRoom()
    live.moved.abort()
    await live.wait({ ms: MOVE_MS, throughApproval: true })
    return
  }
  if (!call.background) {
    const moved = { type: 'tool.progress' as const, ...about(call), message: 'It runs on in the background.' }
    live.told_progress = true
    await step(engine, live, { ...call, background: true }, [moved], () => [backgroundCall(call)])
  }
  live.release()
}

/** The row that lets a call be found as a task. */
export const backgroundCall = ({ tool_call_id, workspace }: Call): Write => ['backgroundCall', tool_call_id, workspace]

/** What goes with the end of a call in the background. */
export const endBackgroundCall = ({ tool_call_id }: Call, keep: number): Write[] => [
  ['endBackgroundCall', tool_call_id],
  ['forgetTasks', 'call', 'call', keep]
]

/** Says how it stands instead. */
export const notRunning = ({ status }: Call) =>
  new ToolError('CONFLICT', `Only a running call can go to the background; this one ${standing(status)}.`, { status })
