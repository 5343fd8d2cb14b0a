// A front end in a terminal, with fetch alone: it shows pending calls with their diffs, reads decisions from lines
// (`y 1`, `n 1 because …`), and prints which file to show. Start it beside a server:
//   TOOLGATE_URL=http://127.0.0.1:4100 TOKEN=… node examples/front-end.mjs
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const { TOOLGATE_URL: url, TOKEN: token } = process.env
if (!url || !token) throw new Error('Set TOOLGATE_URL, and TOKEN to a token that may approve.')
const client_id = `terminal-${process.pid}`
const headers = { authorization: `Bearer ${token}`, 'x-toolgate-client': 'terminal' }

async function send(method, path, body) {
  const json = body && { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers: { ...headers, ...json }, body: body && JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.detail ?? `${response.status}`)
  return answer
}

/** Pending calls, by the number that the user types. */
const waiting = new Map()
let newest = 0
const numberOf = id => [...waiting].find(([, call]) => call.tool_call_id === id)?.[0]

function show({ tool_call_id, tool, session_id, approval }) {
  const { preview, reason, level, digest } = approval
  const number = numberOf(tool_call_id) ?? ++newest
  waiting.set(number, { tool_call_id, digest, strict: level === 'strict' })
  const { title, text, diff, notes = [] } = preview
  console.log([`\n[${number}] ${tool} (${session_id}): ${title}`, `    ${reason}`, ...notes, text, diff].filter(Boolean).join('\n'))
  console.log(`y ${number} to approve${level === 'strict' ? ' (strict)' : ''}, n ${number} [why] to reject`)
}

function settle(id, how) {
  const number = numberOf(id)
  if (waiting.delete(number)) console.log(`[${number}] ${how}`)
}

/** The effects it offers. */
const effects = {
  'editor.open': ({ path, line }) => console.log(`\nLook at ${path}${line ? `, line ${line}` : ''}.`)
}

async function hear(event) {
  const { type, tool_call_id: id } = event
  if (type === 'stream.snapshot') {
    const { pending } = event.truncated ? await send('GET', '/state') : event
    for (const call of waiting.values())
      if (!pending.some(({ tool_call_id }) => tool_call_id === call.tool_call_id)) settle(call.tool_call_id, 'ended')
    for (const call of pending) if (!numberOf(call.tool_call_id)) show(call)
  } else if (type === 'tool.call' && (event.requires_approval ?? true)) {
    const call = event.truncated ? await send('GET', `/calls/${id}`) : event
    if (call.approval) show(call)
  } else if (type === 'tool.decision') settle(id, `${event.decision}${event.by?.client ? ` by ${event.by.client}` : ''}`)
  else if (type === 'tool.result') settle(id, event.status)
  else if (type === 'tool.delegate' && event.client_id === client_id) {
    effects[event.effect](event.params)
    await send('POST', `/delegations/${event.delegation_id}`, { status: 'done' })
  }
}

async function follow() {
  const types = 'tool.call,tool.decision,tool.result,tool.delegate'
  const query = new URLSearchParams({ client_id, types, effects: Object.keys(effects).join() })
  const { ok, status, body } = await fetch(`${url}/events?${query}`, { headers })
  if (!ok) throw new Error(`${url} answered ${status}.`)
  console.log(`Following ${url}.`)
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop()
    for (const data of frames.map(frame => /^data: (.*)$/m.exec(frame)?.[1]))
      if (data) await hear(JSON.parse(data)).catch(error => console.error(error.message))
  }
}

createInterface({ input: process.stdin }).on('line', line => {
  const [, vote, number, why] = /^([yn]) (\d+) ?(.*)$/.exec(line.trim()) ?? []
  const { tool_call_id, digest, strict } = waiting.get(Number(number)) ?? {}
  if (!tool_call_id) return console.log('y NUMBER or n NUMBER [why], of one that waits')
  const decision = vote === 'y' ? { digest, ...(strict && { confirm: true }) } : { ...(why && { reason: why }) }
  send('POST', `/calls/${tool_call_id}/${vote === 'y' ? 'approve' : 'reject'}`, decision).catch(error =>
    console.error(error.message)
  )
})

for (;;) {
  await follow().catch(error => console.error(error.message))
  await sleep(1_000)
}
