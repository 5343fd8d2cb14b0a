// Default decision if no rule matches, by the effect of the call at most.

import type { SessionMode } from '../../protocol/session-mode.ts'
import type { Effect } from '../../tool/request.ts'
import { formatPorts } from './format-ports.ts'
import { isLooser } from './isolation.ts'
import { decideByMode } from './mode-decision.ts'
import type { CommandFacts, DefaultDecision, PolicyInput, PolicyVerdict } from './policy-input.ts'
import { suggestRules } from './rule-suggestions.ts'

const DEFAULT_BY_EFFECT: Record<Effect, DefaultDecision> = {
  read: { decision: 'allow', reason: 'Only reads.' },
  create: { decision: 'allow', reason: 'Creates files without overwriting any.' },
  write: { decision: 'ask', reason: 'Modifies files.' },
  execute: { decision: 'ask', reason: 'Runs a command.' },
  network: { decision: 'ask', reason: 'Accesses the network.' },
  destructive: { decision: 'strict', reason: 'Destructive: to approve, confirm the preview.' }
}

export function decideByDefault(question: PolicyInput, mode: SessionMode): PolicyVerdict {
  const usual = DECIDERS[question.effect]?.(question) ?? DEFAULT_BY_EFFECT[question.effect]
  const byMode = usual.decision === 'allow' ? undefined : decideByMode(question, mode)
  const { decision, reason } = byMode ?? usual
  if (byMode && decision === 'allow')
    return {
      decision,
      reason: `The session mode ${mode} allows this. In mode ask, it would need approval: ${usual.reason}`,
      mode,
      matched_rules: [{ tier: 'server', effect: 'allow', reason: `Mode ${mode}.` }],
      always_options: [],
      source: 'mode'
    }
  return {
    decision,
    reason,
    ...(byMode && { mode }),
    matched_rules: [{ tier: 'tool', effect: question.effect, reason }],
    always_options: decision === 'ask' ? suggestRules(question) : [],
    source: decision === 'allow' ? 'auto' : 'user'
  }
}

const DECIDERS: Partial<Record<Effect, (question: PolicyInput) => DefaultDecision>> = {
  execute: decideExecution,
  write: ({ displacement }) => (displacement === undefined ? DEFAULT_BY_EFFECT.write : askDecision(displacement)),
  network: ({ isHostAllowed, method, sends = [] }) => {
    const parts = [...(method === undefined || method === 'GET' ? [] : [`a ${method}`]), ...sends]
    if (parts.length > 0) return askDecision(`Sends ${parts.join(', ')}.`)
    return isHostAllowed
      ? { decision: 'allow', reason: 'Reads from a host that the setting web.allow lists.' }
      : DEFAULT_BY_EFFECT.network
  }
}

function decideExecution(question: PolicyInput): DefaultDecision {
  const { ownedBySession, approvalReason, command, isolation } = question
  if (ownedBySession) return { decision: 'allow', reason: 'Controls a job that the same session started.' }
  if (isolation && isolation.network.length > 0)
    return askDecision(`Requests network access to ${isolation.network.join(', ')}.`)
  if (isolation?.ports)
    return askDecision(`Makes ${formatPorts(isolation.ports)} of the command reachable on this machine.`)
  if (isolation?.atClient && command) return askDecision(command.class === 'auto' ? READS_AT_CLIENT : command.reason)
  if (isolation && isLooser(isolation.level, isolation.default))
    return askDecision(`Requests isolation ${isolation.level} instead of ${isolation.default}.`)
  if (isolation?.isFallback && isolation.level === 'container')
    return askDecision('Not sandboxed: a container cannot restrict the command to read access.')
  if (command) return decideCommand(command, question)
  // Code without write or network access may run.
  if (isolation?.level === 'read-only' && isolation.autoRunLevel)
    return { decision: 'allow', reason: 'Sandboxed without write or network access.' }
  return approvalReason === undefined ? DEFAULT_BY_EFFECT.execute : askDecision(approvalReason)
}

function decideCommand(
  command: CommandFacts,
  { modifiers, isolation, longRunning, changedSource }: PolicyInput
): DefaultDecision {
  if (changedSource !== undefined)
    return askDecision(`Executes ${changedSource}, which has changed since it was approved.`)
  const { class: needed, contained } = command
  if (needed !== 'auto' && !(contained && isolation?.autoRunLevel)) return askDecision(command.reason)
  if (modifiers?.length) return askDecision(`Only reads, but the call sets ${modifiers.join(' and ')}.`)
  // The number of background commands is limited; an unapproved one must not take a slot.
  if (longRunning) return askDecision('Only reads, but continues in the background.')
  if (isolation?.autoRunLevel === undefined) return askDecision('Appears to only read, but no sandbox enforces that.')
  return { decision: 'allow', reason: needed === 'auto' ? 'All commands of the line only read.' : CONFINED }
}

const READS_AT_CLIENT = 'Appears to only read, but the client runs it without a sandbox.'

const CONFINED = 'The commands of the line appear to only read, and the sandbox enforces that.'

const askDecision = (reason: string): DefaultDecision => ({ decision: 'ask', reason })
