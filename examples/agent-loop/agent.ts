// node agent.ts "task": an agent for one task. The environment configures its endpoints; see README.md.
import { randomUUID } from 'node:crypto'
import { connect, type Event, type ToolCallTaken } from 'toolgate/client'
import { LOOPS } from './loops.ts'

const SYSTEM =
  'You work in a person’s project, by tools alone. Look before you change anything, change as little as the task needs, ' +
  'and check what you did. A call may be rejected: respect the reason. End with a short answer that says what you did.'

const { TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_API = 'openai', MODEL_URL, MODEL_KEY = '', MODEL } = process.env
const task = process.argv.slice(2).join(' ')
if (!TOOLGATE_URL || !TOOLGATE_TOKEN || !MODEL_URL || !MODEL || !(MODEL_API in LOOPS) || !task) {
  console.error('Usage: node agent.ts TASK, with TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_URL and MODEL set; see README.md.')
  process.exit(2)
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error('Stopped.')))
const { signal } = stop

const api = MODEL_API as keyof typeof LOOPS
const agent = 'coder'
/** Ids of calls differ within a session: each conversation has one. */
const session_id = `agent-loop-${randomUUID()}`
const toolgate = connect({ url: TOOLGATE_URL, token: TOOLGATE_TOKEN, client: 'agent-loop' })

const say = (text: string) => {
  if (text !== '') console.error(text)
}

function onEvent(event: Event | ToolCallTaken) {
  if (event.type === 'tool.result') say(`${event.tool}: ${event.status}`)
  if (event.type !== 'tool.call' || !event.requires_approval) return
  const { tool, approval } = event
  say(
    `${approval?.preview.title ?? tool} needs your approval: ${approval?.reason ?? ''}\n` +
      `  in your editor or the console, or: toolgate approve ${event.tool_call_id}`
  )
}

/** Runs the calls of a message, however long decisions take. When the agent is stopped, those that have not ended are cancelled. */
async function run(message: object): Promise<object[]> {
  const options = { agent, session_id, on_disconnect: 'cancel', signal, onEvent } as const
  return (await toolgate.toolCalls(api, message, options)).messages
}

try {
  const tools = await toolgate.toolDefinitions(api, { agent, signal })
  const endpoint = { url: MODEL_URL, key: MODEL_KEY, model: MODEL, signal }
  console.log(await LOOPS[api]({ endpoint, system: SYSTEM, task, tools, run, say }))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
