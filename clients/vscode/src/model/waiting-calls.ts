// The calls that wait for a decision. A `tool.call` that requires approval adds or renews one, a decision or a result removes it,
// and a snapshot says which are waiting.
import type { Call, CallPreview, Client, Event } from '../../../../src/client/client.ts'
import { describeDecision, describeEnd } from './describe-end.ts'
import type { EditedCall } from './edited-call.ts'
import { Listeners } from './listeners.ts'

export type WaitingCall = Extract<Call, { status: 'awaiting_approval' }>

export interface WaitingEntry {
  readonly call: WaitingCall
  /** The whole preview with the texts of the files, once it has been loaded. */
  whole?: CallPreview
  /** The call with params that the person has edited. It is shown instead of the call. */
  edited?: EditedCall
  /** The edited params of an earlier preview. They are offered again when the person edits the params. */
  editedText?: string
  /** A file that has changed since the preview was shown. */
  overtakenBy?: string
  /** True while a decision is sent. */
  isDeciding?: boolean
}

/** The end of the wait for a decision. */
export interface Settlement {
  readonly entry: WaitingEntry
  readonly outcome: string
}

/** The operations of a client that the list needs. */
export type WaitingCallsClient = Pick<Client, 'get' | 'state' | 'preview'>

export class WaitingCalls {
  readonly opened = new Listeners<WaitingEntry>()
  /** The preview, or something else that is shown of a call, has changed. */
  readonly renewed = new Listeners<WaitingEntry>()
  readonly settled = new Listeners<Settlement>()
  #entries: readonly WaitingEntry[] = []
  /** The newest event that the snapshot includes. */
  #head = 0

  /** Oldest first. */
  get entries(): readonly WaitingEntry[] {
    return this.#entries
  }

  find(id: string | undefined): WaitingEntry | undefined {
    return this.#entries.find(({ call }) => call.tool_call_id === id)
  }

  /** Applies an event of the server. Resolves once the list is up to date with it. */
  async apply(event: Event, client: WaitingCallsClient): Promise<void> {
    switch (event.type) {
      case 'stream.snapshot':
        this.#head = event.head
        return this.#sync(event.truncated ? (await client.state()).pending : event.pending, client)
      case 'stream.gap':
        return this.#sync((await client.state()).pending, client)
      case 'tool.call':
        if (event.requires_approval && event.seq > this.#head) await this.read(event.tool_call_id!, client)
        return
      case 'tool.decision':
        return this.settle(event.tool_call_id!, describeDecision(event))
      case 'tool.result':
        return this.settle(event.tool_call_id!, describeEnd(event))
      case 'file.changed':
        if (event.seq > this.#head) this.#markOvertaken(event.workspace, [event.path, event.from])
        return
    }
  }

  /** Reads a call, and adds or renews it if it waits. */
  async read(id: string, client: WaitingCallsClient): Promise<void> {
    const call = await client.get(id)
    if (call.status === 'awaiting_approval') this.#put(call)
  }

  /** Loads the whole preview of a call. Returns undefined if the call has changed or no longer waits. */
  async loadPreview({ call }: WaitingEntry, client: WaitingCallsClient): Promise<CallPreview | undefined> {
    const { tool_call_id: id, approval } = call
    const known = this.find(id)
    if (known?.call !== call) return undefined
    known.whole ??= await client.preview(id, { digest: approval.digest })
    return known.whole
  }

  /** Removes a call that no longer waits. */
  settle(id: string, outcome: string) {
    const entry = this.find(id)
    if (!entry) return
    this.#entries = this.#entries.filter(each => each !== entry)
    this.settled.notify({ entry, outcome })
  }

  /** Shows the call with other params from now on; without them, as it was requested. */
  edit(entry: WaitingEntry, edited: EditedCall | undefined) {
    const { edited: _, editedText: __, ...rest } = entry
    this.#replace(entry, edited ? { ...rest, edited } : rest)
  }

  /** Removes all calls, for another server. */
  clear() {
    for (const { call } of this.#entries) this.settle(call.tool_call_id, 'The connection has ended.')
  }

  /** Replaces the list by these calls. In events, large calls are shortened. */
  async #sync(pending: readonly object[], client: WaitingCallsClient) {
    const calls = pending as readonly WaitingCall[]
    for (const { call } of this.#entries)
      if (!calls.some(({ tool_call_id }) => tool_call_id === call.tool_call_id))
        this.settle(call.tool_call_id, 'The call was decided elsewhere.')
    for (const call of calls) {
      if (call.truncated) await this.read(call.tool_call_id, client)
      else this.#put(call)
    }
  }

  #put(call: WaitingCall) {
    const known = this.find(call.tool_call_id)
    if (!known) {
      const entry = { call }
      this.#entries = [...this.#entries, entry]
      this.opened.notify(entry)
    } else if (isRenewed(known.call, call)) {
      const editedText = known.edited?.text ?? known.editedText
      this.#replace(known, { call, ...(editedText !== undefined && { editedText }) })
    }
  }

  #markOvertaken(workspace: string | undefined, paths: readonly (string | undefined)[]) {
    for (const entry of this.#entries) {
      const path = paths.find(path => path !== undefined && isAbout(entry.call, path))
      if (path !== undefined && entry.call.workspace === workspace && entry.overtakenBy === undefined)
        this.#replace(entry, { ...entry, overtakenBy: path })
    }
  }

  #replace(entry: WaitingEntry, next: WaitingEntry) {
    this.#entries = this.#entries.map(each => (each === entry ? next : each))
    this.renewed.notify(next)
  }
}

/** Returns true if the preview has changed, or other persons have approved it since. */
const isRenewed = ({ approval: before }: WaitingCall, { approval: now }: WaitingCall): boolean =>
  before.digest !== now.digest || before.approvals?.length !== now.approvals?.length

/** Returns true if the approval of the call, as it is shown, requires a confirmation. */
export const isStrict = ({ call, edited }: WaitingEntry): boolean =>
  (edited?.approval ?? call.approval).level === 'strict'

/** Returns true if the preview of the call depends on the file. */
const isAbout = ({ approval, params }: WaitingCall, path: string): boolean =>
  (approval.files ?? []).some(file => file.path === path || file.to === path) ||
  (params as { path?: unknown } | undefined)?.path === path
