// Ownership of calls: a caller that may not approve sees, follows, cancels and lists only the calls made with the same token, and
// their events, jobs and sessions. Callers that may approve see all.
import { ToolError } from '../errors.ts'
import type { EventScope } from '../events/event-streams.ts'
import type { Store } from '../store/store.ts'
import type { ActiveCall, Caller } from './active-call.ts'

interface CallSources {
  activeCalls: ReadonlyMap<string, Pick<ActiveCall, 'owner' | 'call'>>
  store: Pick<Store, 'callOwner' | 'hasCalledIn' | 'sessionOwners'>
}

/** Returns the token to whose calls a caller is restricted; undefined for one that may approve. */
export const restrictedOwner = ({ rights, token }: Pick<Caller, 'rights' | 'token'>): string | undefined =>
  rights.has('approve') ? undefined : (token?.id ?? '')

/** Returns the token in whose shares a caller counts: that with which its own was made, if any. Undefined for one that may approve. */
export const restrictedShare = (caller: Pick<Caller, 'rights' | 'token' | 'share'>): string | undefined =>
  caller.rights.has('approve') ? undefined : (caller.share ?? restrictedOwner(caller))

export class CallOwners {
  readonly #calls: CallSources

  constructor(calls: CallSources) {
    this.#calls = calls
  }

  /** Checks if an owner may see a call or its job; without an owner, every call. */
  canSee(owner: string | undefined, tool_call_id: string): boolean {
    if (owner === undefined) return true
    const live = this.#calls.activeCalls.get(tool_call_id)
    return (live ? live.owner : this.#calls.store.callOwner(tool_call_id)) === owner
  }

  /** Throws NOT_FOUND, as for an unknown call, unless the caller may see it. */
  assertCanSee(caller: Caller, tool_call_id: string) {
    if (!this.canSee(restrictedOwner(caller), tool_call_id))
      throw new ToolError('NOT_FOUND', `There is no call ${tool_call_id}.`)
  }

  /** Checks if an owner may see an event: those about neither a call nor a session are for all. */
  canFollow(owner: string, { tool_call_id, session_id }: EventScope): boolean {
    if (typeof tool_call_id === 'string') return this.canSee(owner, tool_call_id)
    if (typeof session_id !== 'string') return true
    return this.#calls.store.hasCalledIn(owner, session_id) || this.openSessions(owner).has(session_id)
  }

  /** Returns the tokens that have made calls in a session, also calls that are not stored yet; null stands for callers that may approve. */
  findSessionOwners(workspace: string, session_id: string): (string | null)[] {
    const { activeCalls, store } = this.#calls
    const open = [...activeCalls.values()].filter(
      ({ call }) => call.workspace === workspace && call.session_id === session_id
    )
    return [...new Set([...store.sessionOwners(workspace, session_id), ...open.map(({ owner }) => owner ?? null)])]
  }

  /** Returns the sessions with open calls of an owner. */
  openSessions(owner: string): ReadonlySet<string> {
    const own = [...this.#calls.activeCalls.values()].filter(live => live.owner === owner)
    return new Set(own.map(({ call }) => call.session_id))
  }
}
