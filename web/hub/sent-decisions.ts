// Follows decisions that were sent to servers: their journals say what was applied, and the hub what was refused.
import { setDecisionError } from '../approvals/decision-errors.ts'
import { announce } from '../shell/live-region.tsx'
import { markSent, pending } from '../store/approvals.ts'
import { askHub } from './hub-request.ts'

const POLL_MS = 1_000

interface DecisionAnswer {
  state: 'sent' | 'applied' | 'refused'
  refusal: string | null
}

/** Asks the hub what came of the decisions that wait for an answer, until the signal aborts. */
export function followSentDecisions(signal: AbortSignal) {
  const timer = setInterval(() => {
    for (const { call, sent } of pending.peek()) if (sent) void checkDecision(call.tool_call_id, sent.decision_id)
  }, POLL_MS)
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

async function checkDecision(id: string, decisionId: number) {
  const answer = await askHub<DecisionAnswer>('GET', `/decisions/${decisionId}`).catch(() => undefined)
  if (answer?.state !== 'refused') return
  markSent(id, undefined)
  const text = `The server did not apply the decision: ${answer.refusal}`
  setDecisionError(id, text)
  announce(text)
}
