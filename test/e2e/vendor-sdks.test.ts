// Tests of tool listings and tool messages against the types of the vendors' SDKs: the compiler checks the assignments, the MCP SDK
// parses its form.
import type Anthropic from '@anthropic-ai/sdk'
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type OpenAI from 'openai'
import t from 'tap'
import { LISTING_FORMATS } from '../../src/catalog/listing.ts'
import { MESSAGE_FORMATS } from '../../src/routes/tool-calls/message-formats.ts'
import { TOOLS } from '../../src/tools/index.ts'

t.test("each listing matches the types of its vendor's SDK", async t => {
  for (const tool of TOOLS) {
    const chat: OpenAI.Chat.Completions.ChatCompletionFunctionTool = LISTING_FORMATS.openai(tool)
    const response: OpenAI.Responses.FunctionTool = LISTING_FORMATS['openai-responses'](tool)
    const message: Anthropic.Tool = LISTING_FORMATS.anthropic(tool)
    t.strictSame([chat.function.name, response.name], [message.name, message.name])
  }
  t.equal(ListToolsResultSchema.parse({ tools: TOOLS.map(LISTING_FORMATS.mcp) }).tools.length, TOOLS.length)
})

t.test("each tool message matches the types of its vendor's SDK", async t => {
  const attachments = ['image/png', 'application/pdf'].map(media_type => ({ media_type, data_url: 'data:,' }))
  const state = { id: 'call_1', status: 'error' as const }
  const answers = [{ id: 'call_1', text: 'It failed.', attachments, failed: true, pending: false, state }]
  const [chat]: OpenAI.Chat.ChatCompletionMessageParam[] = MESSAGE_FORMATS.openai.answer(answers)
  const [output]: OpenAI.Responses.ResponseInputItem[] = MESSAGE_FORMATS['openai-responses'].answer(answers)
  const [user]: Anthropic.MessageParam[] = MESSAGE_FORMATS.anthropic.answer(answers)
  t.match(
    [chat, output, user],
    [
      { tool_call_id: 'call_1' },
      { call_id: 'call_1', output: [{ type: 'input_text' }, { type: 'input_image' }, { type: 'input_file' }] },
      { content: [{ tool_use_id: 'call_1', content: [{ type: 'text' }, { type: 'image' }, { type: 'document' }] }] }
    ]
  )
})
