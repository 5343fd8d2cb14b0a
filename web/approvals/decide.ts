// Sending a decision: of what was seen, named by its digest. What comes back wrong is told where the card is.
import { signal } from '@preact/signals'
import { type Approval, type Approve, type Reject, ToolgateError } from '../../src/client/client.ts'
import { client, whatFailed } from '../session/session.ts'
import { say } from '../shell/live-region.tsx'
import { close, endedAs, open, type Waiting } from '../store/approvals.ts'

/** Calls whose decision is on its way. */
export const sending = signal<ReadonlySet<string>>(new Set())
/** What went wrong with a decision, by call. */
export const failures = signal<ReadonlyMap<string, string>>(new Map())

/** Gives whether it was taken. `confirm` is for who was asked twice. */
export const approve = (
  call: Waiting,
  decision: Omit<Approve, 'digest'> & { digest?: string } = {}
): Promise<boolean> =>
  decide(call, () =>
    client().approve(call.tool_call_id, {
      digest: call.approval.digest,
      ...decision
    })
  )

export const reject = (call: Waiting, decision: Reject = {}): Promise<boolean> =>
  decide(call, () => client().reject(call.tool_call_id, decision))

async function decide(call: Waiting, send: () => Promise<unknown>): Promise<boolean> {
  const id = call.tool_call_id
  if (sending.peek().has(id)) return false
  sending.value = new Set([...sending.peek(), id])
  tell(id, undefined)
  try {
    await send()
    return true
  } catch (error) {
    await takeRefusal(call, error)
    return false
  } finally {
    sending.value = new Set([...sending.peek()].filter(each => each !== id))
  }
}

async function takeRefusal(call: Waiting, error: unknown) {
  const details = error instanceof ToolgateError ? error.problem?.details : undefined
  const code = error instanceof ToolgateError ? error.code : undefined
  if (code === 'PREVIEW_CHANGED' && details?.approval) {
    // Its params are others too, where they were edited.
    const now = await client()
      .get(call.tool_call_id)
      .catch(() => undefined)
    open(now?.status === 'awaiting_approval' ? now : { ...call, approval: details.approval as Approval })
    say('What would happen has changed. Nothing was approved.')
  } else if (code === 'CONFLICT' && typeof details?.decision === 'string')
    close(call.tool_call_id, { decision: endedAs(details.decision), at: new Date().toISOString() })
  else {
    const text = whatFailed(error)
    tell(call.tool_call_id, text)
    say(text)
  }
}

function tell(id: string, failure: string | undefined) {
  const next = new Map(failures.peek())
  if (failure === undefined) next.delete(id)
  else next.set(id, failure)
  failures.value = next
}
