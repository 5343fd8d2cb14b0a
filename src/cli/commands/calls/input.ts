import type { Client } from '../../../client/client.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { usageError } from '../../exit.ts'
import { formatJobStatus } from '../../ui/format-job-status.ts'

/** Maximum length of one request in characters. */
const MAX_CHUNK_LENGTH = 32_768

interface Options {
  newline: boolean
  end?: boolean
  resize?: string
}

const input: CommandSetup = (command, context) => {
  command
    .description('Send input to a running job: the words as one line, or standard input.')
    .argument('<task>', 'id of the job')
    .argument('[words...]', 'text to send')
    .option('-n, --no-newline', 'do not append a newline')
    .option('--end', "close the job's input afterwards")
    .option('--resize <size>', "resize the job's terminal, such as 120x40")
    .addHelpText('after', '\nExamples:\n  toolgate input tc_01J… yes\n  toolgate input tc_01J… --end < answers.txt')
    .action(async (id: string, words: string[], options: Options) => {
      const resize = options.resize === undefined ? undefined : parseSize(options.resize)
      const client = await context.connect()
      const { terminal, signal } = context
      for await (const text of readInput(context, words, options)) await sendText(client, id, text, signal)
      if (resize) await client.sendInput(id, { resize, signal })
      if (options.end) await client.sendInput(id, { end: true, signal })
      const job = await client.job(id, { signal })
      if (terminal.json) terminal.printJson(job)
      else terminal.info(`${id} ${formatJobStatus(job)}`)
    })
}
export default input

async function* readInput({ runtime }: CliContext, words: string[], { newline, end, resize }: Options) {
  if (words.length > 0) yield words.join(' ') + (newline ? '\n' : '')
  else if (resize !== undefined || (end && runtime.stdin.isTTY)) return
  else for await (const text of runtime.stdin.setEncoding('utf8')) yield text as string
}

async function sendText(client: Client, id: string, text: string, signal: AbortSignal) {
  for (const piece of splitChunks(text)) await client.sendInput(id, { text: piece, signal })
}

/** Splits text without breaking surrogate pairs, with a maximum length in UTF-16 code units. */
function* splitChunks(text: string) {
  for (let from = 0; from < text.length; ) {
    const to = from + MAX_CHUNK_LENGTH - (isHighSurrogate(text, from + MAX_CHUNK_LENGTH - 1) ? 1 : 0)
    yield text.slice(from, to)
    from = to
  }
}

const isHighSurrogate = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xffff

function parseSize(text: string) {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? []
  if (cols === undefined || rows === undefined)
    throw usageError('Invalid --resize: expected columns and rows, such as 120x40.')
  return { cols: Number(cols), rows: Number(rows) }
}
