// What is decided where no rule has anything to say: by what the call would do, at most.
import type { Effect } from '../../tool/tool.ts'
import { alwaysOptions } from '../approvals/rule-suggestions.ts'
import { isLooser } from './isolation.ts'
import type { JudgedCommand, JudgedOperand, Question, Verdict } from './policy-input.ts'

interface Decided {
  decision: 'allow' | 'ask' | 'strict'
  reason: string
}

const BY_EFFECT: Record<Effect, Decided> = {
  read: { decision: 'allow', reason: 'Only reads.' },
  create: { decision: 'allow', reason: 'Creates files without overwriting any.' },
  write: { decision: 'ask', reason: 'Modifies files.' },
  execute: { decision: 'ask', reason: 'Runs a command.' },
  network: { decision: 'ask', reason: 'Accesses the network.' },
  destructive: { decision: 'strict', reason: 'Destructive: confirm the preview to approve.' }
}

export function byEffect(question: Question): Verdict {
  const { decision, reason } = DECIDE[question.effect]?.(question) ?? BY_EFFECT[question.effect]
  return {
    decision,
    reason,
    matched_rules: [{ tier: 'tool', effect: question.effect, reason }],
    always_options: decision === 'ask' ? alwaysOptions(question) : [],
    source: decision === 'allow' ? 'auto' : 'user'
  }
}

const DECIDE: Partial<Record<Effect, (question: Question) => Decided>> = {
  execute: ofExecution,
  network: ({ host_allowed, method, sends = [] }) => {
    const parts = [...(method === undefined || method === 'GET' ? [] : [`a ${method}`]), ...sends]
    if (parts.length > 0) return asked(`It sends ${parts.join(', ')}.`)
    return host_allowed ? { decision: 'allow', reason: 'Reads from a host listed in web.allow.' } : BY_EFFECT.network
  }
}

function ofExecution(question: Question): Decided {
  const { own, because, command, kept } = question
  if (own) return { decision: 'allow', reason: 'Controls a job that the same session started.' }
  if (kept && kept.network.length > 0) return asked(`Requests network access to ${kept.network.join(', ')}.`)
  if (kept && isLooser(kept.level, kept.default))
    return asked(`Requests isolation ${kept.level} instead of ${kept.default}.`)
  if (kept?.instead && kept.level === 'container')
    return asked('Not sandboxed: a container cannot limit the command to reading.')
  if (command) return ofCommand(command, question)
  // Code that can neither change nor reach anything may as well run.
  if (kept?.level === 'strict' && kept.automatic === 'strict')
    return { decision: 'allow', reason: 'Sandboxed without write or network access.' }
  return because === undefined ? BY_EFFECT.execute : asked(because)
}

function ofCommand(command: JudgedCommand, { alters, kept, lasts }: Question): Decided {
  if (command.class !== 'auto') return asked(command.reason)
  if (alters?.length) return asked(`Only reads, but with ${alters.join(' and ')} set by the call.`)
  // Only so many run at once, and none that nobody asked for takes the place of others.
  if (lasts) return asked('Only reads, but keeps running in the background.')
  if (kept?.automatic === undefined) return asked('Only reads, but no sandbox enforces that.')
  if (kept.automatic !== 'strict' && command.parts.some(part => part.operands.some(mayHoldSecrets)))
    return asked('Reads whole folders, and no sandbox hides secrets in them.')
  if (kept.automatic !== 'strict' && command.parts.some(({ configured }) => configured))
    return asked('Only reads, but may run programs that the repository configures, and no sandbox contains them.')
  return { decision: 'allow', reason: 'All parts are read-only.' }
}

const mayHoldSecrets = ({ access, tree }: JudgedOperand) => access === 'read' && tree === true

const asked = (reason: string): Decided => ({ decision: 'ask', reason })
