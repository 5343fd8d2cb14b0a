// Buttons in messages, by which people of a chat service approve or reject one call. What a button sends is signed, and bound to the
// call, the preview that the message shows as a whole, the channel and an end. The service says who has pressed it.
import { type ChannelSettings, getButtonDeciders } from '../config/notifications.ts'
import { messageWithCause } from '../errors.ts'
import type { Call, CallWithStatus } from '../protocol/calls.ts'
import type { TokenSeal } from '../server/token-seal.ts'
import { steadyNow } from '../steady-time.ts'
import { isTimingSafeEqual } from '../text/timing-safe-equal.ts'
import { findDecisionEnd } from './decision-end.ts'

type WaitingCall = CallWithStatus<'awaiting_approval'>

const PURPOSE = 'decision button'
const VERBS = { approve: 'y', reject: 'n' } as const
/** The services of chats keep at most 64 bytes for a button. */
const DATA = /^([yn])\.([0-9A-Z]{26})\.([0-9a-z]{1,8})\.([\w-]{22})$/
const ID_PREFIX = 'tc_'

/** The data of the two buttons of a message. */
export interface ButtonData {
  approve: string
  reject: string
}

/** A button that was pressed, as its service reports it. */
export interface ButtonPress {
  user_id: string
  data: string
}

/** The answer to a press, for the person. */
export interface PressOutcome {
  isDecided: boolean
  text: string
}

/** Decides on a call under the name of a person. */
type Decide<D> = (
  tool_call_id: string,
  decision: D,
  caller: {
    client: string
    rights: ReadonlySet<'call' | 'approve'>
    token: { id: string; name: string }
    link: { channel: string; digest: string }
  }
) => Promise<{ json: string }>

interface DecisionButtonsParts {
  seal: Pick<TokenSeal, 'sign'>
  channels: ReadonlyMap<string, ChannelSettings>
  findWaiting(tool_call_id: string): WaitingCall | undefined
  decisions: { approve: Decide<{ digest: string }>; reject: Decide<object> }
}

export class DecisionButtons {
  readonly #parts: DecisionButtonsParts

  constructor(parts: DecisionButtonsParts) {
    this.#parts = parts
  }

  /** Creates the buttons of a message; undefined if the channel has no deciders. */
  create(call: WaitingCall, channel: string): ButtonData | undefined {
    if (!getButtonDeciders(this.#parts.channels.get(channel)!)) return undefined
    const end = Math.floor(findDecisionEnd(call) / 1_000)
    const dataOf = (verb: string) => {
      const signature = this.#parts.seal.sign(PURPOSE, toSignedText(verb, call, channel, end))
      return `${verb}.${call.tool_call_id.slice(ID_PREFIX.length)}.${end.toString(36)}.${signature}`
    }
    return { approve: dataOf(VERBS.approve), reject: dataOf(VERBS.reject) }
  }

  /** Decides as the pressed button says, if the person may. Never throws: the person receives the error. */
  async decide(channel: string, { user_id, data }: ButtonPress): Promise<PressOutcome> {
    const people = getButtonDeciders(this.#parts.channels.get(channel)!) ?? {}
    const name = Object.hasOwn(people, user_id) ? people[user_id]! : undefined
    if (name === undefined)
      return refuse('You are not one of the people who may decide by the buttons of this channel.')
    const [, verb, id, endText = '', signature = ''] = DATA.exec(data) ?? []
    if (verb === undefined) return refuse('The button is not valid.')
    const tool_call_id = `${ID_PREFIX}${id}`
    const call = this.#parts.findWaiting(tool_call_id)
    if (!call) return refuse('The call does not wait for approval: it was decided or cancelled, or has expired.')
    const end = Number.parseInt(endText, 36)
    if (!isTimingSafeEqual(signature, this.#parts.seal.sign(PURPOSE, toSignedText(verb, call, channel, end))))
      return refuse('The preview of the call has changed since this message, or the button is not valid.')
    if (end * 1_000 <= steadyNow()) return refuse('The button has expired. Decide in the console or an editor.')
    const { digest } = call.approval
    const caller = {
      client: channel,
      rights: new Set(['call', 'approve'] as const),
      token: { id: `button:${channel}:${user_id}`, name },
      link: { channel, digest }
    }
    const { approve, reject } = this.#parts.decisions
    try {
      const { json } =
        verb === VERBS.approve
          ? await approve(tool_call_id, { digest }, caller)
          : await reject(tool_call_id, {}, caller)
      const { status } = JSON.parse(json) as Pick<Call, 'status'>
      if (status === 'awaiting_approval')
        return refuse(`Approved by ${name}. The call needs the approval of another person, too.`)
      if (status === 'error') return refuse('The call has failed, since its preview can no longer be made.')
      return { isDecided: true, text: `${verb === VERBS.approve ? 'Approved' : 'Rejected'} by ${name}.` }
    } catch (error) {
      return refuse(messageWithCause(error as Error))
    }
  }
}

/** Returns what the signature of a button covers. */
const toSignedText = (verb: string, { tool_call_id, approval }: WaitingCall, channel: string, end: number) =>
  JSON.stringify([verb, tool_call_id, approval.digest, channel, end])

const refuse = (text: string): PressOutcome => ({ isDecided: false, text })
