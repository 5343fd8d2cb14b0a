// Which agent sends a request: the one that it names, unless its token was given to one.
import { ToolError } from '../errors.ts'
import type { Caller } from './active-call.ts'

/** Undefined where it is no agent's. Throws where a token of one agent names another. */
export function resolveAgent(named: string | undefined, { agent }: Pick<Caller, 'agent'>): string | undefined {
  if (agent === undefined || named === undefined || named === agent) return agent ?? named
  throw new ToolError('FORBIDDEN', `This token is for the agent ${agent}: name that one, or none.`)
}
