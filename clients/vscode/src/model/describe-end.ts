// Sentences about the end of calls.
import { type Call, describeDecider, type Event } from '../../../../src/client/client.ts'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'

type DecisionEvent = Extract<Event, { type: 'tool.decision' }>
type ResultEvent = Extract<Event, { type: 'tool.result' }>

/** Describes a decision: `Rejected by Ada (console): too early`. */
export function describeDecision({ decision, by, reason }: Pick<DecisionEvent, 'decision' | 'by' | 'reason'>): string {
  const decider = by && describeDecider(by as Parameters<typeof describeDecider>[0])
  const words = decider === undefined ? DECISIONS[decision] : `${DECISIONS[decision]} by ${decider}`
  return escapeLine(reason === undefined ? words : `${words}: ${reason}`)
}

const DECISIONS = { approved: 'Approved', rejected: 'Rejected', expired: 'Expired', cancelled: 'Cancelled' } as const

/** Describes the result of a call: `Failed: there is no such file`. */
export function describeEnd(ended: Pick<ResultEvent, 'status' | 'error' | 'reason'> | Call): string {
  const error = 'error' in ended ? (ended.error as { message: string } | undefined) : undefined
  const reason = error?.message ?? ('reason' in ended ? ended.reason : undefined)
  const status = STATUSES[ended.status] ?? ended.status
  return escapeLine(reason === undefined ? status : `${status}: ${reason}`)
}

const STATUSES: Readonly<Record<string, string>> = {
  awaiting_approval: 'Waiting',
  queued: 'Queued',
  running: 'Running',
  success: 'Done',
  error: 'Failed',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
  expired: 'Expired'
}
