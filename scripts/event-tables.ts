// Generates the event reference from the event schemas.
import { EVENTS } from '../src/protocol/events.ts'
import {
  headingAnchor,
  listFields,
  markdownFieldTable,
  markdownTable,
  type SchemaField,
  toSchema
} from './schema-tables.ts'

/** Fields of every event are documented once, above the tables. */
const COMMON_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'seq',
  'time',
  'session_id?',
  'workspace?',
  'tool_call_id?',
  'truncated?',
  'href?',
  'content_removed?'
])

const DESCRIBED_EVENTS = Object.entries(EVENTS).map(([type, { description, ...schema }]) => ({
  type,
  description,
  fields: listFields(toSchema(schema))
}))

export const eventTables = {
  events: () =>
    markdownTable(
      ['type', 'meaning'],
      DESCRIBED_EVENTS.map(({ type, description }) => [`[\`${type}\`](#${headingAnchor(type)})`, description])
    ),
  event_fields: () => markdownFieldTable('field', DESCRIBED_EVENTS[0]!.fields.filter(isCommon)),
  event_sections: () => DESCRIBED_EVENTS.map(renderEvent).join('\n\n')
}

const isCommon = ({ path, schema }: SchemaField) => COMMON_FIELDS.has(path) && schema.const === undefined

function renderEvent({ type, description, fields }: (typeof DESCRIBED_EVENTS)[number]): string {
  const own = fields.filter(({ path }) => !COMMON_FIELDS.has(path))
  return [`### ${type}`, description, markdownFieldTable('field', own)].join('\n\n')
}
