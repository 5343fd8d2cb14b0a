// Views of what waiting calls would change, open at front ends that offer to show it: `preview.open`. A view is open just
// as long as its call waits with the preview that it shows: this follows the journal, where every end of that is told,
// so none stays open, whoever decides and however the call ends. No call waits for a view.
import type { NewEvent } from '../../events/events.ts'
import type { Journal } from '../../events/journal.ts'
import type { EffectParams } from '../../tool/front-end.ts'
import type { Approval, CallWith } from '../call.ts'
import type { Delegations } from '../editors/delegations.ts'
import type { About, FrontEnds } from '../editors/front-end-registry.ts'

/** A call that waits with something to look at. */
interface Waiting {
  about: About
  /** Who sent the call. */
  client: string
  params: EffectParams<'preview.open'>
  /** Its view, while that is open. */
  view?: { delegation_id: string; client_id: string }
  /** A person has closed the view, or it cannot be shown: it is not opened again. */
  dismissed?: boolean
}

/** What tells that a call waits, or does no longer. */
const STEPS: ReadonlySet<string> = new Set(['tool.call', 'tool.decision', 'tool.result'])

type Asked = Pick<CallWith<'awaiting_approval'>, 'tool_call_id' | 'session_id' | 'workspace' | 'tool' | 'client'>

export class Views {
  readonly #frontEnds: FrontEnds
  readonly #delegations: Delegations
  readonly #most: number
  /** How many steps of calls it has heard of. */
  #heard = 0
  /** Oldest first. */
  readonly #waiting = new Map<string, Waiting>()

  constructor(
    { journal, front_ends, delegations }: { journal: Journal; front_ends: FrontEnds; delegations: Delegations },
    pending: readonly CallWith<'awaiting_approval'>[],
    { max_views }: { max_views: number }
  ) {
    this.#frontEnds = front_ends
    this.#delegations = delegations
    this.#most = max_views
    for (const call of pending) this.#wait(call, call.approval)
    journal.listen(entries => {
      const before = this.#heard
      for (const { event } of entries) this.#hear(event)
      if (this.#heard > before) this.#fill()
    })
    front_ends.listen({ entered: () => this.#fill() })
  }

  #hear(event: NewEvent) {
    if (!STEPS.has(event.type)) return
    this.#heard += 1
    if (event.type === 'tool.call') {
      const { tool_call_id, session_id, workspace, tool, client } = event as typeof event & About
      this.#leave(tool_call_id)
      if (event.requires_approval)
        this.#wait({ tool_call_id, session_id, workspace, tool, client }, event.approval as Approval)
    } else this.#leave(event.tool_call_id!)
  }

  #wait(
    { tool_call_id, session_id, workspace, tool, client }: Asked,
    { preview, level, digest, files = [] }: Approval
  ) {
    if (preview.diff === undefined) return
    this.#waiting.set(tool_call_id, {
      about: { session_id, workspace, tool_call_id },
      client,
      params: { tool, title: preview.title, level, digest, href: `/calls/${tool_call_id}/preview`, files }
    })
  }

  #leave(tool_call_id: string) {
    const view = this.#waiting.get(tool_call_id)?.view
    this.#waiting.delete(tool_call_id)
    if (view) this.#delegations.withdraw(view.delegation_id)
  }

  /** Opens what can be opened now. */
  #fill() {
    if (this.#waiting.size === 0) return
    const open = new Map<string, number>()
    for (const { view } of this.#waiting.values())
      if (view) open.set(view.client_id, (open.get(view.client_id) ?? 0) + 1)
    const hasRoom = ({ client_id }: { client_id: string }) => (open.get(client_id) ?? 0) < this.#most
    for (const waiting of this.#waiting.values()) {
      if (waiting.view || waiting.dismissed) continue
      if (this.#frontEnds.none('preview.open', hasRoom)) return
      const found = this.#frontEnds.find('preview.open', waiting.about, waiting.client, hasRoom)
      if (!found) continue
      open.set(found.client_id, (open.get(found.client_id) ?? 0) + 1)
      this.#open(waiting, found.client_id)
    }
  }

  #open(waiting: Waiting, client_id: string) {
    const { about, params } = waiting
    const asked = { effect: 'preview.open' as const, client_id, params }
    const { delegation_id, ended } = this.#delegations.begin(about, asked, Number.POSITIVE_INFINITY)
    waiting.view = { delegation_id, client_id }
    void ended.then(({ outcome }) => {
      delete waiting.view
      waiting.dismissed = outcome === 'done' || outcome === 'refused'
      this.#fill()
    })
  }
}
