// Links by which a person approves or rejects one call without a token. A link is signed, and bound to the call, the preview that
// the call had, the person and the channel. It ends with the call, with the preview, or at its expiry time.
import { timingSafeEqual } from 'node:crypto'
import { type ChannelSettings, getDecider } from '../config/notifications.ts'
import { ToolError } from '../errors.ts'
import type { CallWithStatus } from '../protocol/calls.ts'
import type { Principal } from '../server/tokens.ts'
import { steadyNow } from '../steady-time.ts'

const PREFIX = 'tgl_'
const PURPOSE = 'decision link'
/** Lifetime of a link to a call that does not expire before. */
export const MAX_LINK_LIFETIME_MS = 86_400_000
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

/** The decision that a link permits. */
export interface DecisionLink {
  channel: string
  tool_call_id: string
  /** Digest of the preview that it was made for. */
  digest: string
  expires_at: string
}

export interface CreatedLink {
  url: string
  expires_at: string
}

interface Payload extends LinkReader, DecisionLink {}

interface DecisionLinksParts {
  seal: { sign(purpose: string, text: string): Buffer }
  settings: { base_url?: string | undefined; channels: Readonly<Record<string, ChannelSettings>> }
  /** Returns the call if it waits for approval. */
  findWaiting(tool_call_id: string): WaitingCall | undefined
  /** Returns true if the browser is still registered. */
  hasSubscription(subscription_id: string): boolean
}

export class DecisionLinks {
  readonly #parts: DecisionLinksParts

  constructor(parts: DecisionLinksParts) {
    this.#parts = parts
  }

  /**
   * Creates a link to the page of a call. Returns undefined without `notifications.base_url`, and for a call on which only a person
   * at the hub decides.
   */
  create(call: WaitingCall, reader: LinkReader): CreatedLink | undefined {
    const { base_url } = this.#parts.settings
    const { digest, expires_at: callEnd, approver } = call.approval
    if (base_url === undefined || approver !== undefined) return undefined
    const latest = steadyNow() + MAX_LINK_LIFETIME_MS
    const expires_at = new Date(callEnd === null ? latest : Math.min(latest, Date.parse(callEnd))).toISOString()
    const payload: Payload = { ...reader, tool_call_id: call.tool_call_id, digest, expires_at }
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
    const mac = this.#parts.seal.sign(PURPOSE, text).toString('base64url')
    return { url: `${base_url.replace(/\/+$/, '')}/#decide=${PREFIX}${text}.${mac}`, expires_at }
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
    const [text = '', mac = '', ...more] = bearer.slice(PREFIX.length).split('.')
    const given = Buffer.from(mac, 'base64url')
    const right = this.#parts.seal.sign(PURPOSE, text)
    if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload
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
    return getDecider(settings) === person
  }
}
