// Search over the calls of all servers that the hub has, however old they are.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CALL_STATUSES } from '../../src/protocol/call-statuses.ts'
import type { FoundCall, FoundCallPage, ListedServer } from '../../src/protocol/hub.ts'
import { CallPage } from '../activity/call-page.tsx'
import { Status } from '../activity/status.tsx'
import { toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { useKeys } from '../shell/keys.ts'
import { goTo, hrefOf, route } from '../shell/routes.ts'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { askHub } from './hub-request.ts'
import { loadServers } from './servers.tsx'

/** Fields of the form, by the names that the hub gives them. */
const FIELDS = ['text', 'server_id', 'status', 'tool', 'agent', 'session_id', 'decided_by'] as const

export function Search() {
  const [opened] = route.value.segments
  const form = useRef<HTMLFormElement>(null)
  const found = useFoundCalls()
  const servers = useSignal<readonly ListedServer[]>([])
  useEffect(() => {
    loadServers().then(
      list => (servers.value = list),
      () => {}
    )
    void found.search(new URLSearchParams())
  }, [])
  const submit = () => void found.search(readQuery(form.current!))
  useKeys({
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    Escape: () => {
      if (route.peek().segments.length > 0) goTo('search')
    }
  })
  return (
    <div class={opened === undefined ? 'panes' : 'panes panes-open'}>
      <h1 class="spoken">Search</h1>
      <section class="panes-list" aria-label="Calls">
        <search>
          <form
            ref={form}
            class="toolbar found-form"
            onChange={submit}
            onSubmit={event => {
              event.preventDefault()
              submit()
            }}
          >
            <input
              type="search"
              class="input toolbar-search"
              name="text"
              aria-label="Text in the title"
              placeholder="Title"
            />
            <select class="input toolbar-facet" name="server_id" aria-label="Server">
              <option value="">All servers</option>
              {servers.value.map(({ server_id, name }) => (
                <option key={server_id} value={server_id}>
                  {markInvisible(name)}
                </option>
              ))}
            </select>
            <select class="input toolbar-facet" name="status" aria-label="Status">
              <option value="">Any status</option>
              {CALL_STATUSES.map(status => (
                <option key={status} value={status}>
                  {status.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
            <input class="input toolbar-facet" name="tool" aria-label="Tool" placeholder="Tool" />
            <input class="input toolbar-facet" name="agent" aria-label="Agent" placeholder="Agent" />
            <input class="input toolbar-facet" name="session_id" aria-label="Session" placeholder="Session" />
            <input
              class="input toolbar-facet"
              name="decided_by"
              aria-label="Person who approved or rejected"
              placeholder="Decided by"
            />
            <button type="submit" class="button">
              Search
            </button>
          </form>
        </search>
        <ErrorNotice text={found.fault} />
        {found.page?.calls.length === 0 && <p class="empty muted">The hub has no call that matches the search.</p>}
        <ul class="found">
          {found.page?.calls.map(call => (
            <li key={call.n}>
              <FoundLine call={call} opened={opened} />
            </li>
          ))}
        </ul>
        {found.page?.next != null && (
          <p class="row found-more">
            <button type="button" class="button" onClick={() => void found.more()}>
              More
            </button>
          </p>
        )}
      </section>
      {opened !== undefined && (
        <section class="panes-detail" aria-label="Call">
          <CallPage key={opened} id={opened} panel="search" />
        </section>
      )}
    </div>
  )
}

function FoundLine({ call, opened }: { call: FoundCall; opened: string | undefined }) {
  const { tool_call_id, server_id, server_name, tool, status, agent, session_id, title, decided_by, created_at } = call
  const id = `${tool_call_id}@${server_id}`
  return (
    <a class="asked-line" href={hrefOf('search', id)} aria-current={id === opened ? 'true' : undefined}>
      <span class="asked-top">
        <code>{markInvisible(tool)}</code>
        <Status status={status} />
        <span class="badge server">{markInvisible(server_name)}</span>
        <time class="muted">{formatDateTime(created_at)}</time>
      </span>
      <span class="asked-title">{markInvisible(title ?? '')}</span>
      <span class="muted small">
        {markInvisible([agent, session_id, decided_by && `decided by ${decided_by}`].filter(Boolean).join(', '))}
      </span>
    </a>
  )
}

function readQuery(form: HTMLFormElement): URLSearchParams {
  const given = new FormData(form)
  const query = new URLSearchParams()
  for (const name of FIELDS) {
    const value = String(given.get(name) ?? '').trim()
    if (value !== '') query.set(name, value)
  }
  return query
}

/** Loads pages of calls; an answer to an earlier query is dropped. */
function useFoundCalls() {
  const page = useSignal<FoundCallPage | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const latest = useRef<URLSearchParams | undefined>(undefined)
  const load = async (query: URLSearchParams, before: number | undefined, shown: readonly FoundCall[]) => {
    latest.current = query
    const asked = new URLSearchParams(query)
    if (before !== undefined) asked.set('before', String(before))
    try {
      const { calls, next } = await askHub<FoundCallPage>('GET', `/calls?${asked}`)
      if (latest.current !== query) return
      page.value = { calls: [...shown, ...calls], next }
      fault.value = undefined
    } catch (error) {
      if (latest.current === query) fault.value = toErrorMessage(error)
    }
  }
  return {
    page: page.value,
    fault: fault.value,
    search: (query: URLSearchParams) => load(query, undefined, []),
    more: () => load(latest.current!, page.peek()?.next ?? undefined, page.peek()?.calls ?? [])
  }
}

/** Moves the focus within the list. */
function moveFocus(by: number) {
  const lines = [...document.querySelectorAll<HTMLElement>('.found .asked-line')]
  const at = lines.indexOf(document.activeElement as HTMLElement)
  lines[Math.min(Math.max(at + by, 0), lines.length - 1)]?.focus()
}
