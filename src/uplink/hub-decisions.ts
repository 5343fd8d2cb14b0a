// Applies decisions of people at the hub, as those of any approver: the call checks digest, deadline and level, and the first decision
// wins, wherever it was made. The journal carries what was applied to the hub; what was not is answered here.
import { describeError, ToolError } from '../errors.ts'
import type { HubDecision } from '../protocol/uplink.ts'
import type { HubClient } from './hub-client.ts'

/** A person who decides at the hub, as the engine takes callers. */
export interface HubDecider {
  client: string
  rights: ReadonlySet<'approve'>
  token: { id: string; name: string }
  via: { decision_id: number }
}

export interface DecisionTarget {
  approve(
    id: string,
    decision: { digest: string; confirm?: boolean | undefined; reason?: string | undefined },
    decider: HubDecider
  ): Promise<unknown>
  reject(
    id: string,
    decision: {
      reason?: string | undefined
      user_message?: string | undefined
      comments?: HubDecision['comments'] | undefined
    },
    decider: HubDecider
  ): Promise<unknown>
  /** Resolves once the journal has it. */
  cancelRemotely(id: string, reason: string | undefined, decider: HubDecider): Promise<unknown>
}

interface HubDecisionsParts {
  hub: Pick<HubClient, 'refuseDecision'>
  journalId: string
  calls: DecisionTarget
  log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

export class HubDecisions {
  readonly #parts: HubDecisionsParts
  /** Decisions of this run of the server: the hub sends them again until it knows what came of them. */
  readonly #seen = new Set<number>()

  constructor(parts: HubDecisionsParts) {
    this.#parts = parts
  }

  /** Applies a decision once, and answers one that is not applied with the reason. */
  async apply(decision: HubDecision, signal: AbortSignal) {
    const { decision_id, journal_id, tool_call_id, person } = decision
    const { hub, log, journalId } = this.#parts
    if (this.#seen.has(decision_id)) return
    const decider: HubDecider = {
      client: 'hub',
      rights: new Set(['approve']),
      token: { id: `hub:${person.id}`, name: person.name },
      via: { decision_id }
    }
    try {
      if (journal_id !== journalId)
        throw new ToolError('CONFLICT', 'The decision is about a call of an earlier journal of this server.')
      await this.#decide(decision, decider)
      log.info({ tool_call_id, decision_id, person: person.name }, 'a decision of the hub was applied')
    } catch (error) {
      const { message } = describeError(error)
      log.warn({ tool_call_id, decision_id, reason: message }, 'a decision of the hub was not applied')
      await hub.refuseDecision(decision_id, message, signal)
    }
    this.#seen.add(decision_id)
  }

  async #decide(
    { verdict, tool_call_id: id, digest, confirm, reason, user_message, comments }: HubDecision,
    decider: HubDecider
  ) {
    const { calls } = this.#parts
    if (verdict === 'approve') await calls.approve(id, { digest: digest ?? '', confirm, reason }, decider)
    else if (verdict === 'reject') await calls.reject(id, { reason, user_message, comments }, decider)
    else await calls.cancelRemotely(id, reason, decider)
  }
}
