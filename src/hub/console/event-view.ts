// Events as a console gets them: numbered by the hub, with their server, and ids of calls that are unique among servers.
import { isObject, parseObject } from '../../text/json-object.ts'
import type { HubEvent } from '../archive.ts'
import { toConsoleId } from './call-ids.ts'

/** Length from which an event is sent without its large fields, as by a server. */
const MAX_EVENT_LENGTH = 64 * 1024
const MAX_KEPT_TEXT = 1_024

export function viewEvent({ id, server_id, server_name, seq, type, received_at, data }: HubEvent): object {
  const parsed = parseObject(data) ?? {}
  const fields = data.length > MAX_EVENT_LENGTH ? { ...withoutLarge(parsed), truncated: true } : parsed
  const { time, tool_call_id, task_id } = fields
  const isTime = typeof time === 'string' && !Number.isNaN(Date.parse(time))
  return {
    ...withoutOtherTypes(fields),
    type,
    seq: id,
    time: isTime ? time : received_at,
    server_id,
    server_name,
    server_seq: seq,
    ...(typeof tool_call_id === 'string' && { tool_call_id: toConsoleId(server_id, tool_call_id) }),
    ...(typeof task_id === 'string' && { task_id: toConsoleId(server_id, task_id) }),
    ...('by' in fields || type === 'file.changed' ? viewAuthor(server_id, type, fields.by) : {})
  }
}

/** Fields that are texts in every event. Servers of other versions, and hostile ones, may send others: a console has no use for them. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(
  (
    'agent change client client_id command context decision effect from message mode name operation outcome path reason requested_tool ' +
    'rule_id server session_id set_by source state status tool toolset user_message workspace'
  ).split(' ')
)

const withoutOtherTypes = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !TEXT_FIELDS.has(name) || typeof value === 'string')
  )

/** Returns who decided, or the call that changed a file. */
function viewAuthor(serverId: string, type: string, by: unknown) {
  if (!isObject(by)) return type === 'file.changed' ? { by: 'external' } : { by: undefined }
  const { tool_call_id, token, client } = by
  return {
    by: {
      ...by,
      tool_call_id: typeof tool_call_id === 'string' ? toConsoleId(serverId, tool_call_id) : undefined,
      token: isObject(token) && typeof token.name === 'string' ? token : undefined,
      client: typeof client === 'string' ? client : undefined
    }
  }
}

const withoutLarge = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => typeof value !== 'object' && !(typeof value === 'string' && value.length > MAX_KEPT_TEXT)
    )
  )
