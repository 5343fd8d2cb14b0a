// The filter of the lists, which is the query of the address.
import { CALL_STATUSES } from '../../src/protocol/call-statuses.ts'
import type { Query } from '../shell/address.ts'
import { type CallRow, shownStatus } from './call-row.ts'

const VIEWS = ['calls', 'timeline', 'events'] as const
export type View = (typeof VIEWS)[number]

/** Empty fields select everything. */
export interface Filter {
  view: View
  text: string
  status: string
  tool: string
  agent: string
  session: string
  /** Name of a server of a hub. */
  server: string
  /** Type of events. */
  type: string
}

/** A field whose values can be chosen from a list. */
export type Facet = 'status' | 'tool' | 'agent' | 'session' | 'server' | 'type'

const NO_FILTER: Filter = {
  view: 'calls',
  text: '',
  status: '',
  tool: '',
  agent: '',
  session: '',
  server: '',
  type: ''
}

/** Reads a query. Unknown keys and values are ignored. A timeline is that of one session. */
export function readFilter(query: Query): Filter {
  const known = Object.keys(NO_FILTER).flatMap(key => (Object.hasOwn(query, key) ? [[key, query[key]]] : []))
  const filter: Filter = { ...NO_FILTER, ...Object.fromEntries(known) }
  const isView = VIEWS.includes(filter.view) && (filter.view !== 'timeline' || filter.session !== '')
  return {
    ...filter,
    view: isView ? filter.view : 'calls',
    status: (CALL_STATUSES as readonly string[]).includes(filter.status) ? filter.status : ''
  }
}

export const toQuery = (filter: Filter): Query =>
  Object.fromEntries(Object.entries(filter).filter(([key, value]) => value !== NO_FILTER[key as keyof Filter]))

/** Returns whether any call is left out. */
export const isNarrowed = ({ view: _, ...filter }: Filter): boolean => Object.values(filter).some(value => value !== '')

export function matchesCall(row: CallRow, filter: Filter, words: readonly string[]): boolean {
  const { status, tool, agent, session, server } = filter
  return (
    (!status || shownStatus(row) === status) &&
    (!tool || row.tool === tool) &&
    (!agent || row.agent === agent) &&
    (!session || row.session === session) &&
    (!server || row.server === server) &&
    (words.length === 0 || matchesWords([row.tool, row.title, row.agent, row.session, row.id].join(' '), words))
  )
}

/** Returns the words of a text, each of which must occur. */
export const toWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

function matchesWords(text: string, words: readonly string[]): boolean {
  const searched = text.toLowerCase()
  return words.every(word => searched.includes(word))
}
