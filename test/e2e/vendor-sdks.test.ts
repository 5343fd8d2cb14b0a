// Tests of tool listings against the types of the vendors' SDKs: the compiler checks the assignments, the MCP SDK parses its
// form.
import type Anthropic from '@anthropic-ai/sdk'
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type OpenAI from 'openai'
import t from 'tap'
import { LISTING_FORMATS } from '../../src/catalog/listing.ts'
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
