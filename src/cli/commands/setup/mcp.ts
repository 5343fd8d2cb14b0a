// MCP over standard input and output, for clients that start a program: a bridge to the project's server.
import type { JsonRpcMessage } from '../../../node-client/mcp-http.ts'
import { parseObject } from '../../../text/json-object.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { EXIT } from '../../exit.ts'
import { readLines } from '../../read-lines.ts'
import { addMcpServerCommands } from './mcp-servers.ts'

interface Options {
  agent?: string
  session?: string
  workspace?: string
  toolset?: string
  approve?: true
}

const JSON_RPC_PARSE_ERROR = -32_700

const mcp: CommandSetup = (command, context) => {
  addMcpServerCommands(command, context)
  command
    .description('Run an MCP server for this project on standard input and output. Messages go to stderr.')
    .option('--agent <name>', 'name of the agent, which selects its tools and rules')
    .option('--session <id>', 'session of the calls (default: a new one)')
    .option('--workspace <name>', 'workspace of the calls, if several are served')
    .option('--toolset <name>', 'use the names and parameters of this toolset')
    .option('--approve', 'let the user of the MCP client approve calls (default: the client can only submit calls)')
    .addHelpText(
      'after',
      `
Connects to the running server of the project, or starts one that ends with the client. A call that needs approval waits for
the user of the client with --approve, otherwise for the console, an editor or toolgate approve.

Examples:
  toolgate mcp
  toolgate mcp --root ~/app --agent reviewer`
    )
    .action(async (options: Options) => {
      const { McpBridge } = await import('../../../node-client/mcp-bridge.ts')
      const { ServerLauncher } = await import('../../server-launcher.ts')
      const { stdin, stdout } = context.runtime
      const own = new ServerLauncher(context)
      const log = (text: string) => context.terminal.info(`toolgate: ${text}`)
      const onMessage = (message: JsonRpcMessage) => void stdout.write(`${JSON.stringify(message)}\n`)
      const bridge = new McpBridge({
        log,
        onMessage,
        query: toQuery(options),
        connect: () => own.findOrStart(options.approve ? 'token' : 'call_token')
      })
      context.handleInterrupt()
      for await (const line of readLines(stdin, context.signal)) receive(line)
      await bridge.close(context.signal)
      await own.stop()
      context.exitCode = EXIT.ok

      function receive(line: string) {
        if (line.trim() === '') return
        const message = parseMessage(line)
        if (message) bridge.receive(message)
        else
          onMessage({
            jsonrpc: '2.0',
            id: null,
            error: { code: JSON_RPC_PARSE_ERROR, message: 'Each line must contain one JSON object.' }
          })
      }
    })
}
export default mcp

const toQuery = ({ agent, session: session_id, workspace, toolset }: Options) =>
  Object.fromEntries(
    Object.entries({ agent, session_id, workspace, toolset }).filter(([, value]) => value !== undefined)
  ) as Record<string, string>

const parseMessage = (line: string) => parseObject(line) as JsonRpcMessage | undefined
