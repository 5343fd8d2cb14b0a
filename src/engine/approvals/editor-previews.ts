// Previews of waiting calls in front ends that offer `preview.open`. A view is open exactly as long as its call waits with the
// shown preview: this follows the journal, which reports every end of that, so no view is leaked. No call waits for a view.

import type { Journal } from '../../events/journal.ts'
import type { Approval, CallWithStatus } from '../../protocol/calls.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { EffectParams } from '../../protocol/front-end.ts'
import type { Delegations } from '../editors/delegations.ts'
import type { CallScope, FrontEndRegistry } from '../editors/front-end-registry.ts'

/** A call that waits and has a preview. */
interface PendingPreview {
  about: CallScope
  /** The sender of the call. */
  client: string
  params: EffectParams<'preview.open'>
  /** Its view, while open. */
  view?: { delegation_id: string; client_id: string }
  /** A person has closed the view, or it cannot be shown: do not reopen it. */
  dismissed?: boolean
}

/** Events that start or end the waiting of a call. */
const CALL_EVENTS: ReadonlySet<string> = new Set(['tool.call', 'tool.decision', 'tool.result'])

type PendingCallFields = Pick<
  CallWithStatus<'awaiting_approval'>,
  'tool_call_id' | 'session_id' | 'workspace' | 'tool' | 'client'
>

export class EditorPreviews {
  readonly #frontEnds: FrontEndRegistry
  readonly #delegations: Delegations
  readonly #maxPerFrontEnd: number
  /** Number of call events received. */
  #eventCount = 0
  /** Oldest first. */
  readonly #waiting = new Map<string, PendingPreview>()

  constructor(
    { journal, front_ends, delegations }: { journal: Journal; front_ends: FrontEndRegistry; delegations: Delegations },
    pending: readonly CallWithStatus<'awaiting_approval'>[],
    { max_views }: { max_views: number }
  ) {
    this.#frontEnds = front_ends
    this.#delegations = delegations
    this.#maxPerFrontEnd = max_views
    for (const call of pending) this.#add(call, call.approval)
    journal.listen(entries => {
      const before = this.#eventCount
      for (const { event } of entries) this.#handleEvent(event)
      if (this.#eventCount > before) this.#openPending()
    })
    front_ends.listen({ entered: () => this.#openPending() })
  }

  #handleEvent(event: NewEvent) {
    if (!CALL_EVENTS.has(event.type)) return
    this.#eventCount += 1
    if (event.type === 'tool.call') {
      const { tool_call_id, session_id, workspace, tool, client } = event as typeof event & CallScope
      this.#remove(tool_call_id)
      if (event.requires_approval)
        this.#add({ tool_call_id, session_id, workspace, tool, client }, event.approval as Approval)
    } else this.#remove(event.tool_call_id!)
  }

  #add(
    { tool_call_id, session_id, workspace, tool, client }: PendingCallFields,
    { preview, level, digest, files = [] }: Approval
  ) {
    if (preview.diff === undefined) return
    this.#waiting.set(tool_call_id, {
      about: { session_id, workspace, tool_call_id },
      client,
      params: { tool, title: preview.title, level, digest, href: `/calls/${tool_call_id}/preview`, files }
    })
  }

  #remove(tool_call_id: string) {
    const view = this.#waiting.get(tool_call_id)?.view
    this.#waiting.delete(tool_call_id)
    if (view) this.#delegations.withdraw(view.delegation_id)
  }

  /** Opens the views that can be opened now. */
  #openPending() {
    if (this.#waiting.size === 0) return
    const open = new Map<string, number>()
    for (const { view } of this.#waiting.values())
      if (view) open.set(view.client_id, (open.get(view.client_id) ?? 0) + 1)
    const hasRoom = ({ client_id }: { client_id: string }) => (open.get(client_id) ?? 0) < this.#maxPerFrontEnd
    for (const waiting of this.#waiting.values()) {
      if (waiting.view || waiting.dismissed) continue
      if (this.#frontEnds.isUnavailable('preview.open', hasRoom)) return
      const found = this.#frontEnds.find('preview.open', waiting.about, waiting.client, hasRoom)
      if (!found) continue
      open.set(found.client_id, (open.get(found.client_id) ?? 0) + 1)
      this.#open(waiting, found.client_id)
    }
  }

  #open(waiting: PendingPreview, client_id: string) {
    const { about, params } = waiting
    const request = { effect: 'preview.open' as const, client_id, params }
    const { delegation_id, ended } = this.#delegations.start(about, request, Number.POSITIVE_INFINITY)
    waiting.view = { delegation_id, client_id }
    void ended.then(({ outcome }) => {
      delete waiting.view
      waiting.dismissed = outcome === 'done' || outcome === 'refused'
      this.#openPending()
    })
  }
}
