// Links by which a person approves or rejects one call without a token. A link is signed, and bound to the call, the preview that
// the call had, the person and the channel. It ends with the call, with the preview, or at its expiry time.
import { type ChannelSettings, getLinkPerson } from '../config/notifications.ts'
import { ToolError } from '../errors.ts'
import type { CallWithStatus } from '../protocol/calls.ts'
import type { TokenSeal } from '../server/token-seal.ts'
import type { DecisionLink, Principal } from '../server/tokens.ts'
import { steadyNow } from '../steady-time.ts'
import { signPayload, verifyPayload } from '../text/signed-payload.ts'
import { findDecisionEnd } from './decision-end.ts'
import { joinUrl } from './join-url.ts'

const PREFIX = 'tgl_'
const PURPOSE = 'decision link'
const MAX_LINK_LENGTH = 2_048
const RIGHTS = new Set(['call', 'approve'] as const)

type WaitingCall = CallWithStatus<'awaiting_approval'>

/** The reader of a notification. */
export interface LinkReader {
  channel: string
  person: string
  /** The registered browser, in a channel that sends to several. */
  subscription_id?: string
}

export interface CreatedLink {
  url: string
  expires_at: string
}

interface Payload extends LinkReader, DecisionLink {}

interface DecisionLinksParts {
  seal: Pick<TokenSeal, 'sign'>
  settings: { base_url?: string | undefined; channels: Readonly<Record<string, ChannelSettings>> }
  /** Returns the call if it waits for approval. */
  findWaiting(tool_call_id: string): WaitingCall | undefined
  /** Returns true if the browser is still registered. */
  hasSubscription(subscription_id: string): boolean
}

export class DecisionLinks {
  readonly #parts: DecisionLinksParts
  readonly #sign = (text: string) => this.#parts.seal.sign(PURPOSE, text)

  constructor(parts: DecisionLinksParts) {
    this.#parts = parts
  }

  /**
   * Creates a link to the page of a call. Returns undefined without `notifications.base_url`, and for a call on which only a person
   * at the hub decides.
   */
  create(call: WaitingCall, reader: LinkReader): CreatedLink | undefined {
    const { base_url } = this.#parts.settings
    const { digest, approver } = call.approval
    if (base_url === undefined || approver !== undefined) return undefined
    const expires_at = new Date(findDecisionEnd(call)).toISOString()
    const payload: Payload = { ...reader, tool_call_id: call.tool_call_id, digest, expires_at }
    return { url: joinUrl(base_url, `/#decide=${PREFIX}${signPayload(payload, this.#sign)}`), expires_at }
  }

  /** Returns the principal of a link that this server has made, and whose channel still sends links to the person. */
  authenticate(bearer: string): Principal | undefined {
    const payload = this.#verify(bearer)
    if (!payload || !this.#isCurrent(payload)) return undefined
    const { person, channel, subscription_id, ...link } = payload
    const id = ['link', channel, ...(subscription_id === undefined ? [] : [subscription_id])].join(':')
    return { rights: RIGHTS, token: { id, name: person }, link: { ...link, channel } }
  }

  /** Throws the reason why a link does not permit a request about this call. */
  assertPermits(link: DecisionLink, tool_call_id: string | undefined): void {
    if (link.tool_call_id !== tool_call_id) throw new ToolError('FORBIDDEN', 'This link is for another call.')
    if (Date.parse(link.expires_at) <= steadyNow())
      throw new ToolError('FORBIDDEN', `This link expired at ${link.expires_at}. Decide in the console or an editor.`)
    const call = this.#parts.findWaiting(tool_call_id)
    if (!call)
      throw new ToolError(
        'CONFLICT',
        'The call of this link does not wait for approval: it was approved, rejected or cancelled, or has expired.'
      )
    if (call.approval.digest !== link.digest)
      throw new ToolError(
        'CONFLICT',
        'The preview of the call has changed since this link was sent. Open the link of the next notification, or decide in the console.'
      )
  }

  #verify(bearer: string): Payload | undefined {
    if (!bearer.startsWith(PREFIX) || bearer.length > MAX_LINK_LENGTH) return undefined
    return verifyPayload(bearer.slice(PREFIX.length), this.#sign)
  }

  /** Returns false after the configuration has changed, and for a browser that was removed. */
  #isCurrent({ channel, person, subscription_id }: LinkReader): boolean {
    const { channels } = this.#parts.settings
    const settings = Object.hasOwn(channels, channel) ? channels[channel]! : undefined
    if (!settings) return false
    if (settings.kind === 'web-push')
      return (
        settings.decide_links === true && subscription_id !== undefined && this.#parts.hasSubscription(subscription_id)
      )
    return getLinkPerson(settings) === person
  }
}
