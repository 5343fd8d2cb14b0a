// The views of the panel, and the filters of the address.
import { CALL_STATUSES } from '../../src/protocol/call-statuses.ts'
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import { has } from '../session/place.ts'
import { hrefWith, replaceQuery } from '../shell/routes.ts'
import { type Facet, type Filter, toQuery, type View } from './filter.ts'
import { facets, filter, isPaused, missedCount, togglePause } from './list-state.ts'
import { statusLabel } from './status.tsx'

export function Filters() {
  const { view, session } = filter.value
  const { tool, agent, session: sessions, server, type } = facets.value
  return (
    <search class="toolbar">
      <fieldset class="views">
        <legend class="spoken">View</legend>
        <ViewButton view="calls">Calls</ViewButton>
        {session !== '' && <ViewButton view="timeline">Timeline</ViewButton>}
        <ViewButton view="events">Events</ViewButton>
      </fieldset>
      <input
        type="search"
        class="input toolbar-search"
        aria-label={view === 'events' ? 'Text in events' : 'Text in calls'}
        placeholder="Filter"
        value={filter.value.text}
        onInput={({ currentTarget }) => replaceQuery(toQuery({ ...filter.peek(), text: currentTarget.value }))}
      />
      {view === 'events' ? (
        <FacetSelect name="type" all="All types" values={type} />
      ) : (
        <FacetSelect name="status" all="Any status" values={CALL_STATUSES} labelOf={statusLabel} />
      )}
      <FacetSelect name="tool" all="All tools" values={tool} />
      {view !== 'events' && <FacetSelect name="agent" all="All agents" values={agent} />}
      <FacetSelect name="session" all="All sessions" values={sessions} />
      {has('servers') && <FacetSelect name="server" all="All servers" values={server} />}
      <button type="button" class="button toolbar-end" aria-pressed={isPaused.value} onClick={togglePause}>
        {isPaused.value ? `Resume (${missedCount.value.toLocaleString('en')} new)` : 'Pause'}
      </button>
    </search>
  )
}

function change(changed: Partial<Filter>) {
  location.hash = hrefWith({ query: toQuery({ ...filter.peek(), ...changed }) })
}

const ViewButton = ({ view, children }: { view: View; children: string }) => (
  <button type="button" class="button" aria-pressed={filter.value.view === view} onClick={() => change({ view })}>
    {children}
  </button>
)

interface FacetSelectProps {
  name: Facet
  all: string
  values: readonly string[]
  labelOf?: (value: string) => string
}

function FacetSelect({ name, all, values, labelOf = escapeInvisible }: FacetSelectProps) {
  const chosen = filter.value[name]
  // The chosen value remains an option even if no row has it any more.
  const offeredNow = chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <select
      class="input toolbar-facet"
      aria-label={all}
      value={chosen}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {offeredNow.map(value => (
        <option key={value} value={value}>
          {labelOf(value)}
        </option>
      ))}
    </select>
  )
}
