// Events: the call of each, and the filter of the list of events.
import type { Event } from '../../src/client/client.ts'
import { serverNameOf } from '../hub/server-name.ts'
import { type Filter, toWords } from './filter.ts'

/** Returns the id of the call that an event belongs to. */
export function callIdOf(event: Event): string | undefined {
  if (event.tool_call_id !== undefined) return event.tool_call_id
  if (event.type === 'file.changed') return event.by === 'external' ? undefined : event.by.tool_call_id
  return 'task_id' in event ? event.task_id : undefined
}

/** Returns the events that match a filter. Fields that an event lacks do not match. */
export function filterEvents(
  events: readonly Event[],
  { type, tool, session, server, text }: Filter
): readonly Event[] {
  const words = toWords(text)
  if (!type && !tool && !session && !server && words.length === 0) return events
  return events.filter(
    event =>
      (!type || event.type === type) &&
      (!tool || toolOf(event) === tool) &&
      (!session || event.session_id === session) &&
      (!server || serverNameOf(event) === server) &&
      words.every(word => searchTextOf(event).includes(word))
  )
}

const toolOf = (event: Event) => ('tool' in event ? event.tool : undefined)

/** The searchable text of each event. Events never change, so it is built once. */
const searchTexts = new WeakMap<Event, string>()
function searchTextOf(event: Event): string {
  const known = searchTexts.get(event)
  if (known !== undefined) return known
  const text = JSON.stringify(event).toLowerCase()
  searchTexts.set(event, text)
  return text
}
