// Calls that the client executes: the server evaluates such a call, requests approval for it and records it like any other. Once
// it is allowed, the call ends successfully, and the client runs the action with tools that the server does not control.
import { Type } from 'typebox'
import type { Call } from '../protocol/calls.ts'
import { memoizeByObject } from '../text/memoize-by-object.ts'
import type { CommandRequest } from '../tool/request.ts'
import type { Tool } from '../tool/tool.ts'

/** Warning for the approver of a call that the client executes. */
export const CLIENT_EXECUTION_NOTE =
  'The client executes this call itself: without a sandbox of Toolgate, without undo, and Toolgate cannot check what it executes.'

/** Reason for which a mode that relies on undo does not allow a call that the client executes. */
export const NO_UNDO_AT_CLIENT = 'The client executes the call, so undo cannot revert it.'

const ALLOWED = Type.Object({
  executor: Type.Literal('client', { description: 'The call is allowed, and the client can execute it.' })
})

/** Returns the tool for a call: for one that the client executes, a tool with the same evaluation that does not act. */
export const toolForExecutor = (tool: Tool, { executor }: Pick<Call, 'executor'>): Tool =>
  executor === 'client' ? toDecisionTool(tool) : tool

/** Memoized, because a call whose tool is another object is evaluated again. */
const toDecisionTool = memoizeByObject((tool: Tool): Tool => {
  const { primary } = tool.traits ?? {}
  return {
    ...tool,
    // A decision on a call that the server executes does not apply to the same call at the client.
    version: `client ${tool.version ?? ''}`,
    output: ALLOWED,
    timeout_ms: 60_000,
    traits: { skipsQueue: true, ...(primary !== undefined && { primary }) },
    async request(input, ctx) {
      const { command, ...request } = await tool.request(input, ctx)
      return { ...request, ...(command && { command: withoutSandbox(command) }) }
    },
    ...(tool.plan && {
      async plan(input, ctx, request) {
        const { command, ...plan } = await tool.plan!(input, ctx, request)
        return { ...plan, ...(command && { command: withoutSandbox(command) }) }
      }
    }),
    run: () => ({ executor: 'client' }),
    present: () => ({ title: `${tool.name} allowed`, content: 'The call is allowed. Execute it now.' })
  }
})

/** The sandboxes, ports and tracking of the server do not apply to a command of the client. */
const withoutSandbox = (command: CommandRequest): CommandRequest => ({
  ...command,
  isolation: { level: 'none', atClient: true },
  tracks: false
})
