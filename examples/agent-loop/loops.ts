// The agent loop, for each API of models: asks the model, runs its calls, appends what came of them, until the model answers without a call.
import { type Endpoint, post } from './endpoint.ts'

export interface Task {
  endpoint: Endpoint
  system: string
  task: string
  tools: object[]
  /** Runs the calls of a message and resolves with the messages to append. */
  run(message: object): Promise<object[]>
  /** Prints what the model says before its calls. */
  say(text: string): void
}

const MAX_TURNS = 50

/** Chat Completions, of OpenAI and many others. */
async function openai({ endpoint, system, task, tools, run, say }: Task): Promise<string> {
  type Reply = { choices: [{ message: { content: string | null; tool_calls?: object[] | null } }] }
  const headers = { authorization: `Bearer ${endpoint.key}` }
  const messages: object[] = [
    { role: 'system', content: system },
    { role: 'user', content: task }
  ]
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const { choices } = await post<Reply>(endpoint, '/chat/completions', headers, { messages, tools })
    const { message } = choices[0]
    if (!message.tool_calls?.length) return message.content ?? ''
    say(message.content ?? '')
    messages.push(message, ...(await run(message)))
  }
  throw endless()
}

/** The Responses API. */
async function responses({ endpoint, system, task, tools, run, say }: Task): Promise<string> {
  type Reply = { output: { type: string; content?: { text?: string }[] }[] }
  const headers = { authorization: `Bearer ${endpoint.key}` }
  const input: object[] = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const { output } = await post<Reply>(endpoint, '/responses', headers, { instructions: system, input, tools })
    const text = output.flatMap(({ content = [] }) => content.map(part => part.text ?? '')).join('')
    if (!output.some(({ type }) => type === 'function_call')) return text
    say(text)
    input.push(...output, ...(await run(output)))
  }
  throw endless()
}

/** The Messages API of Anthropic. */
async function anthropic({ endpoint, system, task, tools, run, say }: Task): Promise<string> {
  type Reply = { content: { type: string; text?: string }[] }
  const headers = { 'x-api-key': endpoint.key, 'anthropic-version': '2023-06-01' }
  const messages: object[] = [{ role: 'user', content: task }]
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const body = { max_tokens: 8_192, system, messages, tools }
    const { content } = await post<Reply>(endpoint, '/v1/messages', headers, body)
    const message = { role: 'assistant', content }
    const text = content.map(block => block.text ?? '').join('')
    if (!content.some(({ type }) => type === 'tool_use')) return text
    say(text)
    messages.push(message, ...(await run(message)))
  }
  throw endless()
}

const endless = () => new Error(`The model has not come to an answer in ${MAX_TURNS} turns.`)

/** The loops, by the name of the format in which Toolgate lists tools and takes calls. */
export const LOOPS = { openai, 'openai-responses': responses, anthropic }
