// Runs an agent of the Agent Client Protocol for an editor: its permission requests, files and commands become calls.

import { connect } from '../../../client/client.ts'
import { packageFolder } from '../../../host/user-file.ts'
import { parseObject } from '../../../text/json-object.ts'
import type { AcpMessage } from '../../acp/message.ts'
import { AcpProxy } from '../../acp/proxy.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { CliError, EXIT } from '../../exit.ts'
import { httpFetch } from '../../http-fetch.ts'
import { launchCommand } from '../../launch-command.ts'
import { readLines } from '../../read-lines.ts'
import { ServerLauncher } from '../../server-launcher.ts'

interface Options {
  agent?: string
}

/** Time in milliseconds in which the agent can end after its input has ended. */
const END_TIMEOUT_MS = 5_000

const acp: CommandSetup = (command, context) => {
  command
    .description('Run an agent that speaks the Agent Client Protocol (ACP) behind the approvals of this project.')
    .argument('<agent...>', 'command of the agent, after --')
    .option('--agent <name>', 'name of the agent, which selects its tools and rules')
    .addHelpText(
      'after',
      `
Configure this command as the agent of an editor, such as Zed, a JetBrains IDE or agent-shell. The files that the agent reads and
writes by the editor, its commands and its permission requests become calls. The editor shows calls that need approval, and every
other front end does, too: the first decision applies. The agent also gets the tools of Toolgate as an MCP server.

Examples:
  toolgate acp -- gemini --experimental-acp
  toolgate acp --agent coder -- npx @zed-industries/claude-code-acp`
    )
    .action(async ([program = '', ...args]: string[], { agent: name }: Options) => {
      const { runtime, terminal } = context
      const { execa } = await import('execa')
      context.handleInterrupt()
      const child = execa(program, args, {
        cwd: runtime.cwd,
        env: runtime.env,
        extendEnv: false,
        stdin: 'pipe',
        stdout: 'pipe',
        stderr: 'inherit',
        buffer: false,
        reject: false,
        forceKillAfterDelay: END_TIMEOUT_MS
      })
      const own = new ServerLauncher(context)
      const log = (text: string) => terminal.info(`toolgate: ${text}`)
      const write = (output: NodeJS.WritableStream) => (message: AcpMessage) =>
        void output.write(`${JSON.stringify(message)}\n`)
      const { command: self, before } = launchCommand(packageFolder())
      const proxy = new AcpProxy({
        log,
        agent: name,
        toEditor: write(runtime.stdout),
        toAgent: write(child.stdin),
        async connect() {
          const client = async (kind: 'token' | 'call_token') =>
            connect({
              ...(await own.findOrStart(kind)),
              client: 'toolgate-acp',
              rediscover: () => own.findOrStart(kind),
              fetch: httpFetch
            })
          return { calls: await client('call_token'), decisions: await client('token') }
        },
        mcpServer: ({ session_id }) => ({
          name: 'toolgate',
          command: self,
          args: [
            ...before,
            ...['mcp', '--root', context.project, '--session', session_id],
            ...(name === undefined ? [] : ['--agent', name])
          ],
          env: []
        })
      })
      child.stdin.on('error', () => {})
      const fromAgent = receiveAll(child.stdout, message => proxy.fromAgent(message))
      const fromEditor = receiveAll(runtime.stdin, message => proxy.fromEditor(message)).then(() => child.stdin.end())
      const ended = await Promise.race([child, fromEditor.then(() => afterInput())])
      await fromAgent
      await proxy.close()
      await own.stop()
      if (ended.code === 'ENOENT')
        throw new CliError(`The agent was not started: ${program} was not found.`, {
          exit: EXIT.failed,
          code: 'NOT_STARTED',
          hint: 'Write the command of the agent after --, with its whole path if it is not on PATH.'
        })
      context.exitCode = ended.exitCode ?? EXIT.failed

      /** Ends the agent, which may take a while to finish. */
      function afterInput() {
        const timer = setTimeout(() => child.kill(), END_TIMEOUT_MS)
        return child.finally(() => clearTimeout(timer))
      }

      async function receiveAll(
        input: typeof runtime.stdin | typeof child.stdout,
        take: (message: AcpMessage) => void
      ) {
        for await (const line of readLines(input, context.signal)) {
          if (line.trim() === '') continue
          const message = parseObject(line) as AcpMessage | undefined
          if (message) take(message)
          else log('Ignored a line that is not a JSON object.')
        }
      }
    })
}
export default acp
