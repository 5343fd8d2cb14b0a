// The stateless protocol generation: each request carries all data on its client, and an elicitation is a response, after which
// the client repeats its request. The SDK handles the protocol; the served tools are the same.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  type Implementation,
  inputRequired,
  inputResponse,
  type McpHttpHandler,
  type McpRequestContext,
  type ServerContext
} from '@modelcontextprotocol/server'
import type { CallMeta } from '../../protocol/mcp.ts'
import { signPayload, verifyPayload } from '../../text/signed-payload.ts'
import type { RequestCaller } from '../auth.ts'
import { toClientLabel } from '../http/client-label.ts'
import { createApprovalForm } from './approval-form.ts'
import { InputRequiredError, type McpCallContext } from './call-context.ts'
import { createMcpServer, newCallId } from './server.ts'
import type { McpSessionServices } from './session.ts'
import { signerFor } from './token-signature.ts'

/** The sender of a request, as authenticated. */
export interface RequestSender {
  token: string
  caller: RequestCaller
  defaults: CallMeta
}

/** State that returns with the answer to an elicitation: the call and the digest of its preview. */
interface ElicitationState {
  call: string
  digest: string
}

/** The fields of a request's `_meta` that the SDK has validated. */
interface Envelope {
  [CLIENT_INFO_META_KEY]?: Implementation
  [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
}

const APPROVAL_INPUT = 'approval'

export function createStatelessHandler(services: McpSessionServices, onerror: (error: Error) => void): McpHttpHandler {
  return createMcpHandler(
    ({ authInfo }: McpRequestContext) => createServer(services, authInfo!.extra!.sender as RequestSender),
    {
      legacy: 'reject',
      onerror
    }
  )
}

function createServer(services: McpSessionServices, { token, caller, defaults }: RequestSender) {
  const readState = (ctx: ServerContext) => {
    const state = ctx.mcpReq.requestState<string>()
    return typeof state === 'string' ? verifyPayload<ElicitationState>(state, signerFor(token)) : undefined
  }
  return createMcpServer({
    ...services,
    defaults: () => ({ session_id: 'mcp', ...defaults }),
    resolveCall(ctx, meta) {
      const state = readState(ctx)
      return state ? { tool_call_id: state.call, joins: true } : newCallId(meta)
    },
    callContext(ctx) {
      const envelope = (ctx.mcpReq.envelope ?? {}) as Envelope
      const { [CLIENT_INFO_META_KEY]: client, [CLIENT_CAPABILITIES_META_KEY]: can } = envelope
      const elicitation = can?.elicitation
      const shows = elicitation && (elicitation.form || !elicitation.url)
      return {
        caller: { ...caller, client: toClientLabel(client?.name ?? '') || caller.client },
        disconnected: services.stopping,
        ...(shows && caller.rights.has('approve') && { elicit: createElicitor(ctx, readState(ctx), token) })
      }
    }
  })
}

/** Uses the answer that came with the request, if it is to the current preview; else asks. */
const createElicitor =
  (
    { mcpReq }: ServerContext,
    previous: ElicitationState | undefined,
    token: string
  ): NonNullable<McpCallContext['elicit']> =>
  async call => {
    const { tool_call_id, approval } = call
    const reply = inputResponse(mcpReq.inputResponses, APPROVAL_INPUT)
    const fits = reply.kind === 'elicit' && previous?.call === tool_call_id && previous.digest === approval.digest
    // Use each answer once: if the same question recurs, the answer was not understood.
    if (fits && !consumedInputs.has(mcpReq)) {
      consumedInputs.add(mcpReq)
      return reply
    }
    const state: ElicitationState = { call: tool_call_id, digest: approval.digest }
    throw new InputRequiredError(
      inputRequired({
        inputRequests: { [APPROVAL_INPUT]: inputRequired.elicit(createApprovalForm(call)) },
        requestState: signPayload(state, signerFor(token))
      })
    )
  }
const consumedInputs = new WeakSet<ServerContext['mcpReq']>()
