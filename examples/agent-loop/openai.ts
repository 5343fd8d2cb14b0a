// A conversation over the Chat Completions API of OpenAI and many others.

import { type Endpoint, parsed, post } from './endpoint.ts'
import type { Chat, Wanted } from './loop.ts'

interface Message {
  role: 'assistant'
  content: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

export function openai(
  endpoint: Endpoint,
  { system, task, tools }: { system: string; task: string; tools: unknown[] }
): Chat {
  const messages: unknown[] = [
    { role: 'system', content: system },
    { role: 'user', content: task }
  ]
  return {
    async next(outcomes) {
      for (const { id, text } of outcomes) messages.push({ role: 'tool', tool_call_id: id, content: text })
      const { choices } = await post<{ choices: { message: Message }[] }>(endpoint, {
        path: '/chat/completions',
        headers: { authorization: `Bearer ${endpoint.key}` },
        body: { model: endpoint.model, messages, tools }
      })
      const { message } = choices[0]!
      messages.push(message)
      const calls = (message.tool_calls ?? []).map(
        ({ id, function: { name, arguments: text } }): Wanted => ({ id, name, params: parsed(text) })
      )
      return { text: message.content ?? '', calls }
    }
  }
}
