// The reference of the events, from their schemas.
import { EVENTS } from '../src/events/events.ts'
import { anchorOf, asSchema, type Field, fieldsOf, fieldTable, table } from './schema-tables.ts'

/** What every event may have is told once, above. */
const COMMON: ReadonlySet<string> = new Set([
  'type',
  'seq',
  'time',
  'session_id?',
  'workspace?',
  'tool_call_id?',
  'truncated?',
  'href?'
])

const ALL = Object.entries(EVENTS).map(([type, { description, ...schema }]) => ({
  type,
  description,
  fields: fieldsOf(asSchema(schema))
}))

export const eventTables = {
  events: () =>
    table(
      ['type', 'tells'],
      ALL.map(({ type, description }) => [`[\`${type}\`](#${anchorOf(type)})`, description])
    ),
  event_fields: () => fieldTable('field', ALL[0]!.fields.filter(isCommon)),
  event_sections: () => ALL.map(sectionOf).join('\n\n')
}

const isCommon = ({ path, schema }: Field) => COMMON.has(path) && schema.const === undefined

function sectionOf({ type, description, fields }: (typeof ALL)[number]): string {
  const own = fields.filter(({ path }) => !COMMON.has(path))
  return [`### ${type}`, description, fieldTable('field', own)].join('\n\n')
}
