// What is decided where no rule has anything to say: by what the call would do, at most.
import type { Effect } from '../tool.ts'
import { alwaysOptions } from './always.ts'
import { isLooser } from './isolation.ts'
import type { JudgedCommand, JudgedOperand, Question, Verdict } from './question.ts'

interface Decided {
  decision: 'allow' | 'ask' | 'strict'
  reason: string
}

const BY_EFFECT: Record<Effect, Decided> = {
  read: { decision: 'allow', reason: 'It only reads.' },
  create: { decision: 'allow', reason: 'It overwrites nothing.' },
  write: { decision: 'ask', reason: 'It changes files.' },
  execute: { decision: 'ask', reason: 'It runs a command.' },
  network: { decision: 'ask', reason: 'It reaches the network.' },
  destructive: { decision: 'strict', reason: 'It destroys something, so it needs the shown preview confirmed.' }
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
    return host_allowed ? { decision: 'allow', reason: 'It reads at a host that web.allow names.' } : BY_EFFECT.network
  }
}

function ofExecution(question: Question): Decided {
  const { own, because, command, kept } = question
  if (own) return { decision: 'allow', reason: 'It acts on what the same session has started.' }
  if (kept && kept.network.length > 0) return asked(`It asks to reach ${kept.network.join(', ')}.`)
  if (kept && isLooser(kept.level, kept.default))
    return asked(`It asks to be kept by ${kept.level} instead of ${kept.default}.`)
  if (kept?.instead && kept.level === 'container')
    return asked('It could only be kept to reading by a sandbox, which this container has none of.')
  if (command) return ofCommand(command, question)
  // Code that can neither change nor reach anything may as well run.
  if (kept?.level === 'strict' && kept.automatic === 'strict')
    return { decision: 'allow', reason: 'It runs where it can change and reach nothing.' }
  return because === undefined ? BY_EFFECT.execute : asked(because)
}

function ofCommand(command: JudgedCommand, { alters, kept, lasts }: Question): Decided {
  if (command.class !== 'auto') return asked(command.reason)
  if (alters?.length) return asked(`It only reads, but with ${alters.join(' and ')} of its own.`)
  // Only so many run at once, and none that nobody asked for takes the place of others.
  if (lasts) return asked('It only reads, but runs on after its call.')
  if (kept?.automatic === undefined) return asked('It only reads, but no sandbox keeps it to that.')
  if (kept.automatic !== 'strict' && command.parts.some(part => part.operands.some(mayHoldSecrets)))
    return asked('It reads whole folders, and no sandbox hides the secrets in them.')
  if (kept.automatic !== 'strict' && command.parts.some(({ configured }) => configured))
    return asked('It only reads, but may run what the repository configures, and no sandbox keeps that.')
  return { decision: 'allow', reason: 'Each part only reads.' }
}

const mayHoldSecrets = ({ access, tree }: JudgedOperand) => access === 'read' && tree === true

const asked = (reason: string): Decided => ({ decision: 'ask', reason })
