// The key of the group of a waiting call: calls that wait for the same reason can be reviewed together and decided at once.
import { createHmac } from 'node:crypto'
import type { Isolation } from '../../host/sandbox/sandbox.ts'
import type { Preview } from '../../protocol/calls.ts'
import type { MatchedRule } from '../../protocol/decisions.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation } from '../evaluation.ts'

const KEY_LENGTH = 16

interface ShownCall {
  preview: Preview
  /** The approval lists the files of its diff. */
  listsFiles: boolean
}

/**
 * Returns the key, which calls have in common if the same agent sent them in the same session and workspace, they wait for the same
 * reason, and their commands would run in the same sandbox. Undefined for a call that must be decided alone: one that needs a
 * confirmation, whose preview is cut, whose files are not listed, or that waits although the rules allow it.
 */
export function computeGroupKey(
  { digestKey }: Pick<Engine, 'digestKey'>,
  { call, owner, workspace }: ActiveCall,
  { verdict, isolation }: Evaluation,
  { preview, listsFiles }: ShownCall
): string | undefined {
  if (
    verdict.decision !== 'ask' ||
    verdict.approvals !== undefined ||
    preview.cut ||
    (preview.diff !== undefined && !listsFiles)
  )
    return undefined
  const { session_id, agent, client, executor } = call
  const sender = [owner, session_id, agent, client, executor, workspace.root]
  return createHmac('sha256', digestKey())
    .update(JSON.stringify(['group', ...sender, verdict.approver, ...describeCause(verdict, isolation)]))
    .digest('hex')
    .slice(0, KEY_LENGTH)
}

interface Cause {
  matched_rules: readonly MatchedRule[]
}

/** Describes why a call waits, and in which sandbox its command would run. */
export const describeCause = (
  { matched_rules }: Cause,
  isolation: Pick<Isolation, 'level' | 'network' | 'ports'> | undefined
): unknown[] => [
  matched_rules.map(toCause),
  ...(isolation ? [isolation.level, isolation.network, isolation.ports] : [])
]

/** The default of an effect is one cause, although its reason describes the command. */
const toCause = ({ tier, effect, rule_id, reason }: MatchedRule) => [
  tier,
  effect,
  rule_id ?? (tier === 'tool' ? undefined : reason)
]
