// The filters of the list, and its three buttons.
import { has } from '../session/place.ts'
import { clearEvents, facetOptions, filter, isPaused, missedCount, togglePause } from './list-state.ts'

export function Filters() {
  const { types, tools, sessions, servers } = facetOptions.value
  return (
    <search class="toolbar">
      <input
        type="search"
        class="input toolbar-search"
        aria-label="Text in events"
        placeholder="Filter"
        value={filter.value.text}
        onInput={({ currentTarget }) => {
          filter.value = { ...filter.peek(), text: currentTarget.value }
        }}
      />
      {has('servers') && <Facet name="server" all="All servers" values={servers} />}
      <Facet name="type" all="All types" values={types} />
      <Facet name="tool" all="All tools" values={tools} />
      <Facet name="session" all="All sessions" values={sessions} />
      <div class="row toolbar-end">
        <button type="button" class="button" aria-pressed={isPaused.value} onClick={togglePause}>
          {isPaused.value ? `Resume (${missedCount.value.toLocaleString('en')} new)` : 'Pause'}
        </button>
        <button type="button" class="button" onClick={clearEvents}>
          Clear
        </button>
      </div>
    </search>
  )
}

interface FacetProps {
  name: 'server' | 'type' | 'tool' | 'session'
  all: string
  values: string[]
}

function Facet({ name, all, values }: FacetProps) {
  const chosen = filter.value[name]
  // The chosen value remains an option even if no event has it any more.
  const offeredNow = chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <select
      class="input toolbar-facet"
      aria-label={all}
      value={chosen}
      onChange={({ currentTarget }) => {
        filter.value = { ...filter.peek(), [name]: currentTarget.value }
      }}
    >
      <option value="">{all}</option>
      {offeredNow.map(value => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  )
}
