// Registry of connected front ends and their effects. Selects in this order: the front end that follows the call's session, the
// one that sent the call, one that follows its workspace, the one last active.
import { ToolError } from '../../errors.ts'
import { type EventFilter, matchesFilter } from '../../events/event-streams.ts'
import type { FrontEndEffect } from '../../protocol/front-end.ts'

/** The call that an effect belongs to. */
export interface CallScope {
  session_id: string
  workspace: string
  tool_call_id: string
}

/** One open stream of a front end. */
interface ConnectedFrontEnd {
  client_id: string
  /** The name that it gives itself. */
  client: string
  effects: readonly FrontEndEffect[]
  /** The events that it receives: it cannot be used for others. */
  filter: EventFilter
}

type FrontEndListener = (client_id: string) => void

export class FrontEndRegistry {
  /** Streams with the sequence number of their last user activity. */
  readonly #streams = new Map<ConnectedFrontEnd, number>()
  readonly #connectListeners: FrontEndListener[] = []
  readonly #disconnectListeners: FrontEndListener[] = []
  #activityCounter = 0

  /** Subscribes to front ends that connect, and to those that disconnect with their last stream. */
  listen({ entered, left }: { entered?: FrontEndListener; left?: FrontEndListener }) {
    if (entered) this.#connectListeners.push(entered)
    if (left) this.#disconnectListeners.push(left)
  }

  /** Registers an open stream. Returns a function that unregisters it. */
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

  /** Records user activity at a front end, given by id or name. */
  markActive(name: string) {
    const turn = ++this.#activityCounter
    for (const each of this.#streams.keys())
      if (each.client_id === name || each.client === name) this.#streams.set(each, turn)
  }

  /** Returns true if the front end has an open stream that offers the effect. */
  offers(client_id: string, effect: FrontEndEffect): boolean {
    return this.#streamsOf(client_id).some(({ effects }) => effects.includes(effect))
  }

  /** Lists the connected front ends with their effects. */
  list(): Pick<ConnectedFrontEnd, 'client_id' | 'client' | 'effects'>[] {
    return [...this.#streams.keys()].map(({ client_id, client, effects }) => ({ client_id, client, effects }))
  }

  /** Returns true if no front end that passes the filter offers the effect. */
  isUnavailable(effect: FrontEndEffect, may: (frontEnd: ConnectedFrontEnd) => boolean): boolean {
    return ![...this.#streams.keys()].some(each => each.effects.includes(effect) && may(each))
  }

  /** Throws unless the front end offers the effect. */
  assertOffers(client_id: string, effect: FrontEndEffect) {
    if (this.offers(client_id, effect)) return
    throw new ToolError(
      'DELEGATE_UNAVAILABLE',
      `The front end ${client_id} is not connected, or cannot perform ${effect}. Connect it, or use a tool that needs no editor.`,
      {
        client_id,
        effect
      }
    )
  }

  /** Returns the front end for a call that `sender` sent; `may` filters the candidates. */
  find(
    effect: FrontEndEffect,
    about: CallScope,
    sender: string,
    may: (frontEnd: ConnectedFrontEnd) => boolean = () => true
  ): ConnectedFrontEnd | undefined {
    const event = { type: 'tool.delegate', ...about }
    const able = [...this.#streams].filter(
      ([each]) => each.effects.includes(effect) && matchesFilter(each.filter, event) && may(each)
    )
    const ranked = able.sort(
      ([a, turnOfA], [b, turnOfB]) => scoreProximity(b, sender) - scoreProximity(a, sender) || turnOfB - turnOfA
    )
    return ranked[0]?.[0]
  }

  /** Returns the front end for a call; throws if there is none. */
  choose(effect: FrontEndEffect, about: CallScope, sender: string): ConnectedFrontEnd {
    const found = this.find(effect, about, sender)
    if (found) return found
    throw new ToolError(
      'DELEGATE_UNAVAILABLE',
      `No connected front end can perform ${effect}. Connect an editor: it offers the effect with GET /events?effects=${effect}.`,
      { effect }
    )
  }

  #streamsOf(client_id: string): ConnectedFrontEnd[] {
    return [...this.#streams.keys()].filter(each => each.client_id === client_id)
  }
}

/** Scores the proximity of a front end to a call that it receives events of. */
const scoreProximity = ({ filter, client_id, client }: ConnectedFrontEnd, sender: string) =>
  (filter.session_id === undefined ? 0 : 4) +
  (client_id === sender || client === sender ? 2 : 0) +
  (filter.workspace === undefined ? 0 : 1)
