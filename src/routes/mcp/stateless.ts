// The generation of the protocol without sessions: each request says all about its client, and a question to a person is
// an answer, with which the client sends its request again. The SDK reads and answers; what is served is the same.
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
import type { Caller } from '../auth.ts'
import { clientLabel } from '../http/client-label.ts'
import { formOf } from './approval-form.ts'
import { AskedByAnswer, type Asker, type CallMeta } from './call-context.ts'
import { freshCall, serverOf } from './server.ts'
import type { SessionServices } from './session.ts'
import { seal, unseal } from './signed-payload.ts'

/** Who sends a request, as the door knows them. */
export interface Sender {
  token: string
  caller: Caller
  defaults: CallMeta
}

/** What comes back with the answer to a question: which call it was about, and what was shown of it. */
interface Asked {
  call: string
  digest: string
}

/** What the SDK has read and checked of a request's `_meta`. */
interface Envelope {
  [CLIENT_INFO_META_KEY]?: Implementation
  [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
}

const QUESTION = 'approval'

export function modernHandler(services: SessionServices, onerror: (error: Error) => void): McpHttpHandler {
  return createMcpHandler(({ authInfo }: McpRequestContext) => serving(services, authInfo!.extra!.sender as Sender), {
    legacy: 'reject',
    onerror
  })
}

function serving(services: SessionServices, { token, caller, defaults }: Sender) {
  const askedIn = (ctx: ServerContext) => {
    const state = ctx.mcpReq.requestState<string>()
    return typeof state === 'string' ? unseal<Asked>(state, token) : undefined
  }
  return serverOf({
    ...services,
    defaults: () => ({ session_id: 'mcp', ...defaults }),
    callOf(ctx, meta) {
      const asked = askedIn(ctx)
      return asked ? { tool_call_id: asked.call, joins: true } : freshCall(meta)
    },
    asker(ctx) {
      const said = (ctx.mcpReq.envelope ?? {}) as Envelope
      const { [CLIENT_INFO_META_KEY]: client, [CLIENT_CAPABILITIES_META_KEY]: can } = said
      const elicitation = can?.elicitation
      const shows = elicitation && (elicitation.form || !elicitation.url)
      return {
        caller: { ...caller, client: clientLabel(client?.name ?? '') || caller.client },
        left: services.stopping,
        ...(shows && caller.rights.has('approve') && { ask: asking(ctx, askedIn(ctx), token) })
      }
    }
  })
}

/** The answer that came with the request, where it is to what would be done now; else the question. */
const asking =
  ({ mcpReq }: ServerContext, asked: Asked | undefined, token: string): NonNullable<Asker['ask']> =>
  async call => {
    const { tool_call_id, approval } = call
    const reply = inputResponse(mcpReq.inputResponses, QUESTION)
    const fits = reply.kind === 'elicit' && asked?.call === tool_call_id && asked.digest === approval.digest
    // Whoever says yes or no to the same question twice was not understood the first time.
    if (fits && !used.has(mcpReq)) {
      used.add(mcpReq)
      return reply
    }
    const state: Asked = { call: tool_call_id, digest: approval.digest }
    throw new AskedByAnswer(
      inputRequired({
        inputRequests: { [QUESTION]: inputRequired.elicit(formOf(call)) },
        requestState: seal(state, token)
      })
    )
  }
const used = new WeakSet<ServerContext['mcpReq']>()
