// Makes and approves a call and reads events, with types of openapi-typescript and the client openapi-fetch.
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

type Call = components['schemas']['Call']
type Event = components['schemas']['Event']

const [baseUrl, token] = process.argv.slice(2) as [string, string]
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } })

const { data: submitted, error } = await client.POST('/calls', {
  body: { tool: 'delete_file', params: { path: 'a.txt' } }
})
if (!submitted || typeof submitted === 'string' || 'dry_run' in submitted) throw new Error(error?.detail ?? 'no call')
const waiting: Call = submitted
if (waiting.status !== 'awaiting_approval') throw new Error(waiting.status)
const { data: ended, error: refused } = await client.POST('/calls/{id}/approve', {
  params: { path: { id: waiting.tool_call_id }, query: { wait_ms: 60_000 } },
  body: { digest: waiting.approval.digest, confirm: true }
})
if (!ended) throw new Error(refused.detail)
if (ended.status !== 'success') throw new Error(ended.status)
const { response, error: lost } = await client.GET('/events', { params: { query: { after: '0' } }, parseAs: 'stream' })
if (lost) throw new Error(lost.detail)
const types: Event['type'][] = []
let text = ''
for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
  text += chunk
  const frames = text.split('\n\n')
  text = frames.pop()!
  for (const frame of frames) {
    const [, data] = /^data: (.*)$/m.exec(frame) ?? []
    if (data === undefined) continue
    const event = JSON.parse(data) as Event
    types.push(event.type)
    if (event.type === 'tool.decision' && event.decision !== 'approved') throw new Error(event.decision)
  }
  if (types.includes('tool.result')) break
}
console.log(JSON.stringify({ title: ended.result.title, approved_by: ended.approved_by?.source, types }))
process.exit()
