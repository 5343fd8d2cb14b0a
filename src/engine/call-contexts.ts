// The contexts that a tool receives for one call: to look up names, to read, and to run.
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { LookupContext, ReadContext, RunContext } from '../tool/contexts.ts'
import type { ActiveCall } from './active-call.ts'
import type { CommandOfCall } from './approvals/call-facts.ts'
import { findFormerFile } from './approvals/displaced-files.ts'
import type { Engine } from './engine.ts'
import type { Evaluation } from './evaluation.ts'
import { createHistory } from './history.ts'

/** Creates the context of one evaluation. Its history is memoized: a call acts on exactly what it was evaluated on. */
export function createLookupContext(engine: Engine, live: ActiveCall): LookupContext {
  const { call, host, session } = live.services
  const past = createHistory(engine, live.workspace.name, live)
  const history = { ...past, formerFile: (path: string) => findFormerFile(engine, live, past, path) }
  return { call, host, session, history }
}

/** Creates the context of a plan, with the command that was requested. */
export const createReadContext = (
  { services }: ActiveCall,
  { history }: LookupContext,
  { facts, isolation }: CommandOfCall
): ReadContext => ({
  ...services,
  history,
  command: { isolation: { level: isolation?.level ?? 'none' }, isReadOnly: facts?.class === 'auto' }
})

/** Creates the context of a run; `isolation` is that of the evaluation with the limits of its tracking. */
export function createRunContext(
  { services }: ActiveCall,
  { context, command, isAutoApproved }: Evaluation,
  isolation: Isolation | undefined
): RunContext {
  return {
    ...services,
    history: context.history,
    command: {
      isolation: isolation ?? { level: 'none', network: [] },
      isReadOnly: command?.class === 'auto',
      ...(isAutoApproved && { autoApproval: { ...(command?.argv && { argv: command.argv }) } })
    }
  }
}
