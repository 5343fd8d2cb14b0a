// Resolves the agent of a request: the one that it names, unless its token is bound to one.
import { ToolError } from '../errors.ts'
import type { Caller } from './active-call.ts'

/** Returns the agent, or undefined if there is none. Throws if a token that is bound to one agent names another. */
export function resolveAgent(named: string | undefined, { agent }: Pick<Caller, 'agent'>): string | undefined {
  if (agent === undefined || named === undefined || named === agent) return agent ?? named
  throw new ToolError(
    'FORBIDDEN',
    `This token belongs to the agent ${agent}. Use that name as \`agent\`, or omit \`agent\`.`
  )
}
