// Front ends that follow the events and can do something for calls, and which of several is asked: the one that follows
// the call's session, else the one that sent the call, else one that follows its workspace, else the one last active.
import { ToolError } from '../../errors.ts'
import { type Filter, wants } from '../../events/streams.ts'
import type { FrontEndEffect } from '../../tool/front-end.ts'

/** Whose effect it is. */
export interface About {
  session_id: string
  workspace: string
  tool_call_id: string
}

/** One open stream of a front end. */
export interface FrontEnd {
  client_id: string
  /** What it calls itself. */
  client: string
  effects: readonly FrontEndEffect[]
  /** Which events it hears: of others it cannot be asked. */
  hears: Filter
}

type Listener = (client_id: string) => void

export class FrontEnds {
  /** Streams by the turn in which somebody was last active there. */
  readonly #there = new Map<FrontEnd, number>()
  readonly #onEnter: Listener[] = []
  readonly #onLeave: Listener[] = []
  #turn = 0

  /** Hears which front end has come, and which has left, its last stream being closed. */
  listen({ entered, left }: { entered?: Listener; left?: Listener }) {
    if (entered) this.#onEnter.push(entered)
    if (left) this.#onLeave.push(left)
  }

  /** Its stream is open. Answers how to say that it was closed. */
  enter(frontEnd: FrontEnd): () => void {
    if (frontEnd.effects.length === 0) return () => {}
    this.#there.set(frontEnd, ++this.#turn)
    for (const listener of this.#onEnter) listener(frontEnd.client_id)
    return () => {
      this.#there.delete(frontEnd)
      if (this.#of(frontEnd.client_id).length > 0) return
      for (const listener of this.#onLeave) listener(frontEnd.client_id)
    }
  }

  /** A person has just done something there; by its id, or by what it calls itself. */
  active(name: string) {
    const turn = ++this.#turn
    for (const each of this.#there.keys())
      if (each.client_id === name || each.client === name) this.#there.set(each, turn)
  }

  /** Whether that front end has a stream open, and offers the effect there. */
  offers(client_id: string, effect: FrontEndEffect): boolean {
    return this.#of(client_id).some(({ effects }) => effects.includes(effect))
  }

  /** Who is there, and what each can do. */
  list(): Pick<FrontEnd, 'client_id' | 'client' | 'effects'>[] {
    return [...this.#there.keys()].map(({ client_id, client, effects }) => ({ client_id, client, effects }))
  }

  /** Whether nobody of whom that is so offers the effect. */
  none(effect: FrontEndEffect, may: (frontEnd: FrontEnd) => boolean): boolean {
    return ![...this.#there.keys()].some(each => each.effects.includes(effect) && may(each))
  }

  /** Throws unless that front end does. */
  mustOffer(client_id: string, effect: FrontEndEffect) {
    if (this.offers(client_id, effect)) return
    throw new ToolError('DELEGATE_UNAVAILABLE', `No front end ${client_id} that offers ${effect} follows the events.`, {
      client_id,
      effect
    })
  }

  /** The front end to ask about a call that `sender` sent; `may` leaves some out. */
  find(
    effect: FrontEndEffect,
    about: About,
    sender: string,
    may: (frontEnd: FrontEnd) => boolean = () => true
  ): FrontEnd | undefined {
    const asked = { type: 'tool.delegate', ...about }
    const able = [...this.#there].filter(
      ([each]) => each.effects.includes(effect) && wants(each.hears, asked) && may(each)
    )
    const ranked = able.sort(
      ([a, turnOfA], [b, turnOfB]) => nearness(b, sender) - nearness(a, sender) || turnOfB - turnOfA
    )
    return ranked[0]?.[0]
  }

  /** The same, where there must be one. */
  choose(effect: FrontEndEffect, about: About, sender: string): FrontEnd {
    const found = this.find(effect, about, sender)
    if (found) return found
    throw new ToolError(
      'DELEGATE_UNAVAILABLE',
      `No front end is there that can do ${effect}: an editor offers it by following GET /events?effects=${effect}.`,
      { effect }
    )
  }

  #of(client_id: string): FrontEnd[] {
    return [...this.#there.keys()].filter(each => each.client_id === client_id)
  }
}

/** How close a front end that hears of a call is to it. */
const nearness = ({ hears, client_id, client }: FrontEnd, sender: string) =>
  (hears.session_id === undefined ? 0 : 4) +
  (client_id === sender || client === sender ? 2 : 0) +
  (hears.workspace === undefined ? 0 : 1)
