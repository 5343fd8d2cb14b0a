// Front ends that follow the events and can do something for calls, and which of several is asked: the one that follows
// the call's session, else the one that sent the call, else one that follows its workspace, else the one last active.
import { ToolError } from '../../errors.ts'
import { type EventFilter, matchesFilter } from '../../events/streams.ts'
import type { FrontEndEffect } from '../../tool/front-end.ts'

/** Whose effect it is. */
export interface CallScope {
  session_id: string
  workspace: string
  tool_call_id: string
}

/** One open stream of a front end. */
export interface ConnectedFrontEnd {
  client_id: string
  /** What it calls itself. */
  client: string
  effects: readonly FrontEndEffect[]
  /** Which events it hears: of others it cannot be asked. */
  filter: EventFilter
}

type FrontEndListener = (client_id: string) => void

export class FrontEndRegistry {
  /** Streams by the turn in which somebody was last active there. */
  readonly #streams = new Map<ConnectedFrontEnd, number>()
  readonly #connectListeners: FrontEndListener[] = []
  readonly #disconnectListeners: FrontEndListener[] = []
  #activityCounter = 0

  /** Hears which front end has come, and which has left, its last stream being closed. */
  listen({ entered, left }: { entered?: FrontEndListener; left?: FrontEndListener }) {
    if (entered) this.#connectListeners.push(entered)
    if (left) this.#disconnectListeners.push(left)
  }

  /** Its stream is open. Answers how to say that it was closed. */
  connect(frontEnd: ConnectedFrontEnd): () => void {
    if (frontEnd.effects.length === 0) return () => {}
    this.#streams.set(frontEnd, ++this.#activityCounter)
    for (const listener of this.#connectListeners) listener(frontEnd.client_id)
    return () => {
      this.#streams.delete(frontEnd)
      if (this.#streamsOf(frontEnd.client_id).length > 0) return
      for (const listener of this.#disconnectListeners) listener(frontEnd.client_id)
    }
  }

  /** A person has just done something there; by its id, or by what it calls itself. */
  markActive(name: string) {
    const turn = ++this.#activityCounter
    for (const each of this.#streams.keys())
      if (each.client_id === name || each.client === name) this.#streams.set(each, turn)
  }

  /** Whether that front end has a stream open, and offers the effect there. */
  offers(client_id: string, effect: FrontEndEffect): boolean {
    return this.#streamsOf(client_id).some(({ effects }) => effects.includes(effect))
  }

  /** Who is there, and what each can do. */
  list(): Pick<ConnectedFrontEnd, 'client_id' | 'client' | 'effects'>[] {
    return [...this.#streams.keys()].map(({ client_id, client, effects }) => ({ client_id, client, effects }))
  }

  /** Whether nobody of whom that is so offers the effect. */
  isUnavailable(effect: FrontEndEffect, may: (frontEnd: ConnectedFrontEnd) => boolean): boolean {
    return ![...this.#streams.keys()].some(each => each.effects.includes(effect) && may(each))
  }

  /** Throws unless that front end does. */
  assertOffers(client_id: string, effect: FrontEndEffect) {
    if (this.offers(client_id, effect)) return
    throw new ToolError('DELEGATE_UNAVAILABLE', `No front end ${client_id} that offers ${effect} follows the events.`, {
      client_id,
      effect
    })
  }

  /** The front end to ask about a call that `sender` sent; `may` leaves some out. */
  find(
    effect: FrontEndEffect,
    about: CallScope,
    sender: string,
    may: (frontEnd: ConnectedFrontEnd) => boolean = () => true
  ): ConnectedFrontEnd | undefined {
    const asked = { type: 'tool.delegate', ...about }
    const able = [...this.#streams].filter(
      ([each]) => each.effects.includes(effect) && matchesFilter(each.filter, asked) && may(each)
    )
    const ranked = able.sort(
      ([a, turnOfA], [b, turnOfB]) => scoreProximity(b, sender) - scoreProximity(a, sender) || turnOfB - turnOfA
    )
    return ranked[0]?.[0]
  }

  /** The same, where there must be one. */
  choose(effect: FrontEndEffect, about: CallScope, sender: string): ConnectedFrontEnd {
    const found = this.find(effect, about, sender)
    if (found) return found
    throw new ToolError(
      'DELEGATE_UNAVAILABLE',
      `No front end is there that can do ${effect}: an editor offers it by following GET /events?effects=${effect}.`,
      { effect }
    )
  }

  #streamsOf(client_id: string): ConnectedFrontEnd[] {
    return [...this.#streams.keys()].filter(each => each.client_id === client_id)
  }
}

/** How close a front end that hears of a call is to it. */
const scoreProximity = ({ filter, client_id, client }: ConnectedFrontEnd, sender: string) =>
  (filter.session_id === undefined ? 0 : 4) +
  (client_id === sender || client === sender ? 2 : 0) +
  (filter.workspace === undefined ? 0 : 1)
