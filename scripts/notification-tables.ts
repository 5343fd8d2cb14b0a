// Generates the tables of the notifications page from the schemas of messages and channels.
import { CHANNEL_SCHEMAS } from '../src/config/notifications.ts'
import { WaitingCallNotification } from '../src/protocol/notifications.ts'
import { listFields, markdownFieldTable, toSchema } from './schema-tables.ts'

const renderFields = (schema: object) => markdownFieldTable('field', listFields(toSchema(schema)))

const channelTables = Object.entries(CHANNEL_SCHEMAS).map(([kind, schema]) => [
  `channel_${kind.replaceAll('-', '_')}`,
  () => renderFields(schema)
])

export const notificationTables = {
  notification: () => renderFields(WaitingCallNotification),
  ...(Object.fromEntries(channelTables) as Record<string, () => string>)
}
