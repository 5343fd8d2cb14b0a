// node agent.ts "task": an agent for one task. The environment configures its endpoints; see README.md.
import { connect } from 'toolgate/client'
import { anthropic } from './anthropic.ts'
import { runAgent } from './loop.ts'
import { openai } from './openai.ts'

const SYSTEM =
  'You work in a person’s project, by tools alone. Look before you change anything, change as little as the task needs, ' +
  'and check what you did. A call may be rejected: respect the reason. End with a short answer that says what you did.'

const APIS = { openai, anthropic }

const { TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_API = 'openai', MODEL_URL, MODEL_KEY = '', MODEL } = process.env
const task = process.argv.slice(2).join(' ')
if (!TOOLGATE_URL || !TOOLGATE_TOKEN || !MODEL_URL || !MODEL || !(MODEL_API in APIS) || !task) {
  console.error('Usage: node agent.ts TASK, with TOOLGATE_URL, TOOLGATE_TOKEN, MODEL_URL and MODEL set; see README.md.')
  process.exit(2)
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error('Stopped.')))

const api = MODEL_API as keyof typeof APIS
const agent = 'coder'
const toolgate = connect({ url: TOOLGATE_URL, token: TOOLGATE_TOKEN, client: 'agent-loop' })
try {
  const tools = await toolgate.toolDefinitions(api, { agent, signal: stop.signal })
  const endpoint = { url: MODEL_URL, key: MODEL_KEY, model: MODEL, signal: stop.signal }
  const chat = APIS[api](endpoint, { system: SYSTEM, task, tools })
  const session_id = `agent-loop-${process.pid}`
  console.log(
    await runAgent({ toolgate, chat, agent, session_id, say: line => console.error(line), signal: stop.signal })
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
