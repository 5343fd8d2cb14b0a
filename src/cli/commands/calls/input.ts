import type { Client } from '../../../client/client.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import type { Verb } from '../../run.ts'
import { jobStatus } from '../../ui/format-job-status.ts'

/** What one request may carry, in characters. */
const PIECE = 32_768

interface Options {
  newline: boolean
  end?: boolean
  resize?: string
}

const input: Verb = (command, context) => {
  command
    .description('Send input to a running job: the given words as one line, or stdin.')
    .argument('<task>', 'id of the job')
    .argument('[words...]', 'text to send')
    .option('-n, --no-newline', 'do not append a newline')
    .option('--end', 'close the input afterwards')
    .option('--resize <size>', 'resize its terminal, such as 120x40')
    .addHelpText('after', '\nExamples:\n  toolgate input tc_01J… yes\n  toolgate input tc_01J… --end < answers.txt')
    .action(async (id: string, words: string[], options: Options) => {
      const resize = options.resize === undefined ? undefined : sizeOf(options.resize)
      const client = await context.connect()
      const { terminal, signal } = context
      for await (const text of texts(context, words, options)) await send(client, id, text, signal)
      if (resize) await client.input(id, { resize, signal })
      if (options.end) await client.input(id, { end: true, signal })
      const job = await client.job(id, { signal })
      if (terminal.json) terminal.outJson(job)
      else terminal.say(`${id} ${jobStatus(job)}`)
    })
}
export default input

async function* texts({ world }: Context, words: string[], { newline, end, resize }: Options) {
  if (words.length > 0) yield words.join(' ') + (newline ? '\n' : '')
  else if (resize !== undefined || (end && world.stdin.isTTY)) return
  else for await (const text of world.stdin.setEncoding('utf8')) yield text as string
}

async function send(client: Client, id: string, text: string, signal: AbortSignal) {
  for (const piece of pieces(text)) await client.input(id, { text: piece, signal })
}

/** Whole characters, at most so many of their halves at once. */
function* pieces(text: string) {
  for (let from = 0; from < text.length; ) {
    const to = from + PIECE - (isFirstHalf(text, from + PIECE - 1) ? 1 : 0)
    yield text.slice(from, to)
    from = to
  }
}

const isFirstHalf = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xffff

function sizeOf(text: string) {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? []
  if (cols === undefined || rows === undefined)
    throw usage('Invalid --resize: expected columns and rows, such as 120x40.')
  return { cols: Number(cols), rows: Number(rows) }
}
