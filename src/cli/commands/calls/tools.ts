import type { ListedTool, ToolsQuery } from '../../../client/client.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { EXIT } from '../../exit.ts'
import { formatSchemaType, type JsonSchema } from '../../ui/format-schema-type.ts'
import { oneLine, type Terminal } from '../../ui/terminal.ts'

const tools: CommandSetup = (command, context) => {
  command
    .description('List available tools, or show the parameters of one tool.')
    .argument('[name]', 'name of the tool to show')
    .option('--agent <name>', 'only tools that this agent can use')
    .option('--toolset <name>', 'use the names and parameters of this toolset')
    .addHelpText(
      'after',
      '\nExamples:\n  toolgate tools\n  toolgate tools edit_file\n  toolgate tools --toolset opencode\n  toolgate tools --json'
    )
    .action(async (name: string | undefined, { agent, toolset }: ToolsQuery) => {
      const client = await context.connect()
      const { terminal, signal } = context
      const options = { signal, ...(agent !== undefined && { agent }), ...(toolset !== undefined && { toolset }) }
      if (name !== undefined) return printTool(terminal, await client.tool(name, options))
      const all = await client.tools(options)
      if (terminal.json) return terminal.printJson(all)
      const rows = all.map(tool =>
        [tool.name, tool.category, tool.effect, oneLine(tool.description)].map(escapeInvisible)
      )
      await terminal.table(['TOOL', 'CATEGORY', 'EFFECT', 'DESCRIPTION'], rows)
      context.exitCode = EXIT.ok
    })
}
export default tools

async function printTool(terminal: Terminal, tool: ListedTool) {
  if (terminal.json) return terminal.printJson(tool)
  const { properties = {}, required = [] } = tool.input as JsonSchema
  const rows = Object.entries(properties).map(([key, schema]) => [
    required.includes(key) ? key : `${key}?`,
    escapeInvisible(formatSchemaType(schema)),
    oneLine(schema.description ?? '')
  ])
  terminal.print(`${tool.name}: ${escapeInvisible(tool.description)}`)
  terminal.print(`effect ${tool.effect}${tool.timeout_ms === null ? '' : `, at most ${tool.timeout_ms} ms`}\n`)
  await terminal.table(['PARAMETER', 'TYPE', 'DESCRIPTION'], rows)
}
