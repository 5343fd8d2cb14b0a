// The same with Anthropic's Messages API.
import { type Endpoint, post } from './endpoint.ts'
import type { Chat, Wanted } from './loop.ts'

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: Wanted['params'] }

export function anthropic(
  endpoint: Endpoint,
  { system, task, tools }: { system: string; task: string; tools: unknown[] }
): Chat {
  const messages: unknown[] = [{ role: 'user', content: task }]
  return {
    async next(outcomes) {
      const results = outcomes.map(({ id, text, failed }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        is_error: failed
      }))
      if (results.length > 0) messages.push({ role: 'user', content: results })
      const { content } = await post<{ content: Block[] }>(endpoint, {
        path: '/v1/messages',
        headers: { 'x-api-key': endpoint.key, 'anthropic-version': '2023-06-01' },
        body: { model: endpoint.model, max_tokens: 8_192, system, messages, tools }
      })
      messages.push({ role: 'assistant', content })
      const calls = content.flatMap((block): Wanted[] =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, params: block.input }] : []
      )
      return { text: content.map(block => (block.type === 'text' ? block.text : '')).join(''), calls }
    }
  }
}
