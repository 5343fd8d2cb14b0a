// Makes and approves a call and reads events, with a client that @hey-api/openapi-ts generated.
import { client } from './client/client.gen.ts'
import { approveCall, type Call, type Event, followEvents, submitCall } from './client/index.ts'

const [baseUrl, auth] = process.argv.slice(2) as [string, string]
client.setConfig({ baseUrl, auth, throwOnError: true })

const { data: submitted } = await submitCall({
  body: { tool: 'delete_file', params: { path: 'a.txt' } },
  throwOnError: true
})
if ('dry_run' in submitted) throw new Error('a dry run')
const waiting: Call = submitted
if (waiting.status !== 'awaiting_approval') throw new Error(waiting.status)
const { data: ended } = await approveCall({
  path: { id: waiting.tool_call_id },
  query: { wait_ms: 60_000 },
  body: { digest: waiting.approval.digest, confirm: true },
  throwOnError: true
})
if (ended.status !== 'success') throw new Error(ended.status)
const { stream } = await followEvents({ query: { after: '0' } })
const types: Event['type'][] = []
for await (const event of stream) {
  types.push(event.type)
  if (event.type === 'tool.decision' && event.decision !== 'approved') throw new Error(event.decision)
  if (event.type === 'tool.result') break
}
console.log(JSON.stringify({ title: ended.result.title, approved_by: ended.approved_by?.source, types }))
process.exit()
