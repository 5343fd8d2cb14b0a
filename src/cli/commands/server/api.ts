import { ToolgateError } from '../../../client/error.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import type { CliContext } from '../../context.ts'
import { parseChoice, usageError } from '../../exit.ts'
import { readJsonArgument } from '../../json-argument.ts'

interface Options {
  data?: string
  header: string[]
  include?: true
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

const api: CommandSetup = (command, context) => {
  command
    .description('Send an HTTP request with your token and print the response.')
    .usage('[options] [method] <path>')
    .argument('[method]', 'HTTP method: GET, POST, PUT or DELETE (default: GET, or POST with --data)')
    .argument('[path]', 'path of the route, such as /capabilities')
    .option('-d, --data <json>', 'request body as JSON, @file or - for stdin')
    .option('-H, --header <line>', 'additional header, such as "Accept: text/event-stream"; repeatable', collect, [])
    .option('-i, --include', 'also print the status and headers of the response, to stderr')
    .addHelpText(
      'after',
      `
The routes are described in docs/api.md.

Examples:
  toolgate api /capabilities
  toolgate api /calls -d '{"tool": "read_file", "params": {"path": "README.md"}}'
  echo '{"reason": "not now"}' | toolgate api POST /calls/tc_01J…/reject -d -
  toolgate api DELETE /rules/rule_01J…
  toolgate api /health -i
  toolgate api '/events?after=0' -H 'Accept: text/event-stream'`
    )
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      if (first === undefined) throw usageError('The path is missing.', 'Example: toolgate api /capabilities')
      const path = second ?? first
      if (second !== undefined && first.startsWith('/'))
        throw usageError('The method must be the first argument.', `Example: toolgate api GET ${first}`)
      const given = second === undefined ? undefined : parseChoice('method', first.toUpperCase(), METHODS)
      if (!path.startsWith('/'))
        throw usageError(`Invalid path: ${path}.`, 'Paths begin with /. Example: toolgate api GET /health')
      const body = await readBody(options.data, context)
      const method = given ?? (body === undefined ? 'GET' : 'POST')
      context.handleInterrupt()
      const { url, token } = await context.findServer()
      const headers = {
        accept: 'application/json',
        'x-toolgate-client': 'toolgate-cli',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...Object.fromEntries(options.header.map(parseHeader)),
        authorization: `Bearer ${token}`
      }
      const { signal, terminal } = context
      const response = await sendRequest(url, path, { method, headers, signal, ...(body !== undefined && { body }) })
      if (options.include) terminal.error(formatHead(response))
      await printBody(context, response)
      if (!response.ok) throw statusError(response)
    })
}
export default api

const collect = (value: string, before: string[]) => [...before, value]

async function readBody(given: string | undefined, { runtime }: CliContext): Promise<string | undefined> {
  if (given === undefined) return undefined
  const json = await readJsonArgument(given, runtime)
  try {
    JSON.parse(json)
    return json
  } catch {
    throw usageError('Invalid --data: expected JSON.', 'Pass the body as text, @file, or - for stdin.')
  }
}

function parseHeader(line: string): [string, string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw usageError(`Invalid header: ${line}.`, 'Write the header as "Name: value".')
  return [name.toLowerCase(), value]
}

/** Sends the token to this server only: no redirect is followed. */
async function sendRequest(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, { ...init, redirect: 'manual' })
  } catch (cause) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new ToolgateError(`${url} cannot be reached.`, { code: 'UNREACHABLE', status: 0 }, { cause })
  }
}

const formatHead = ({ status, statusText, headers }: Response) =>
  [`${status} ${statusText}`, ...[...headers].map(([name, value]) => `${name}: ${escapeInvisible(value)}`), ''].join(
    '\n'
  )

/** Streams the body, so that events appear as they arrive; strips terminal control sequences on a terminal. */
async function printBody({ terminal, runtime, signal }: CliContext, { body }: Response) {
  if (!body) return
  let last = '\n'
  const decoder = new TextDecoder()
  for await (const bytes of body) {
    const piece = decoder.decode(bytes, { stream: true })
    terminal.write(runtime.stdout.isTTY ? escapeInvisible(piece) : piece)
    await terminal.waitForDrain(signal)
    last = piece.at(-1) ?? last
  }
  if (last !== '\n') terminal.write('\n')
}

/** The body with the details has been printed. */
const statusError = ({ status, statusText }: Response) =>
  new ToolgateError(`The server returned status ${status} ${statusText}.`, {
    code: CODES_BY_STATUS[status] ?? 'BAD_ANSWER',
    status
  })

const CODES_BY_STATUS: Readonly<Record<number, ToolgateError['code']>> = {
  400: 'INVALID_PARAMS',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  504: 'TIMEOUT'
}
