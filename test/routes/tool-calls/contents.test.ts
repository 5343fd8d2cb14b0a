// Tests of the contents of tool messages: attachments where an API takes them, and the size of an answer.
// tier: quick
import t from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../../src/tool/tool.ts'
import { type Json, startApp } from '../../start-app.ts'
import { chat, chatCall } from './messages.ts'

const attachment = (media_type: string) => ({ media_type, data_url: `data:${media_type};base64,AAAA` })
const IMAGE = attachment('image/png')
const PDF = attachment('application/pdf')
const SOUND = attachment('audio/wav')

const presentingTool = (name: string, presented: { content: string; attachments?: (typeof IMAGE)[] }) =>
  defineTool({
    name,
    category: 'custom',
    description: 'Presents what the test wants.',
    input: Type.Object({ n: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'read',
    request: () => ({}),
    run: () => ({}),
    present: () => ({ title: name, ...presented })
  })

const LEFT_OUT = (type: string) =>
  `[An attachment of type ${type} is omitted, because tool messages of this API do not support this type.]`

t.test('attachments are parts of a message where its API takes them, and are named elsewhere', async t => {
  const tools = [
    presentingTool('all', { content: 'All.', attachments: [IMAGE, PDF, SOUND] }),
    presentingTool('image', { content: '', attachments: [IMAGE] }),
    presentingTool('nothing', { content: '' })
  ]
  const app = await startApp(t, {}, { tools })
  const names = tools.map(({ name }) => name)
  const send = async (format: string, body: unknown) =>
    (await app.post(`/tool-calls?format=${format}&session_id=${format}`, body)).messages

  const chatMessages = await send('openai', chat(...names.map(name => chatCall(name, name, {}))))
  t.strictSame(
    chatMessages.map(({ content }: Json) => content),
    [['All.', ...['image/png', 'application/pdf', 'audio/wav'].map(LEFT_OUT)].join('\n'), LEFT_OUT('image/png'), '']
  )

  const calls = names.map(name => ({ type: 'function_call', call_id: name, name, arguments: '' }))
  const image = { type: 'input_image', image_url: IMAGE.data_url, detail: 'auto' }
  const outputs = await send('openai-responses', calls)
  t.strictSame(
    outputs.map(({ output }: Json) => output),
    [
      [
        { type: 'input_text', text: `All.\n${LEFT_OUT('audio/wav')}` },
        image,
        { type: 'input_file', filename: 'attachment.pdf', file_data: PDF.data_url }
      ],
      [image],
      ''
    ]
  )

  const content = names.map(name => ({ type: 'tool_use', id: name, name, input: {} }))
  const [{ content: results }] = await send('anthropic', { role: 'assistant', content })
  const source = (media_type: string) => ({ type: 'base64', media_type, data: 'AAAA' })
  t.strictSame(
    results.map((result: Json) => result.content),
    [
      [
        { type: 'text', text: `All.\n${LEFT_OUT('audio/wav')}` },
        { type: 'image', source: source('image/png') },
        { type: 'document', source: source('application/pdf') }
      ],
      [{ type: 'image', source: source('image/png') }],
      ''
    ]
  )
})

t.test('an answer is bounded as that of a batch: what has no room is shortened', async t => {
  const content = 'x'.repeat(200_000)
  const app = await startApp(t, {}, { tools: [presentingTool('long', { content })] })
  const calls = Array.from({ length: 60 }, (_, n) => chatCall(`${n}`, 'long', { n }))
  const { messages } = await app.post('/tool-calls?format=openai', chat(...calls))
  const lengths: number[] = messages.map((message: Json) => message.content.length)
  const whole = lengths.filter(length => length === content.length).length
  t.ok(whole >= 39 && whole <= 41, `${whole} are whole`)
  t.ok(
    lengths.every(length => length === content.length || (length > 1_000 && length < 10_000)),
    'the others begin'
  )
  const short = messages.find((message: Json) => message.content.length < content.length)
  t.match(short.content, /\n\[This result is shortened, .* Repeat this call without other calls\.\]$/)
})
