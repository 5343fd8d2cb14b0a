// Generates the tool reference from each tool's declaration, with the example call of its test.
import type { Tool } from '../src/tool/tool.ts'
import { TOOLS } from '../src/tools/index.ts'
import { TOOL_EXAMPLES } from '../test/conformance/tool-examples.ts'
import { listFields, markdownFieldTable, markdownTable, toSchema } from './schema-tables.ts'

export const toolTables = {
  tools: () =>
    markdownTable(
      ['tool', 'effect', 'does'],
      TOOLS.map(({ name, effect, description }) => [`[\`${name}\`](#${name})`, formatEffect(effect), description])
    ),
  tool_sections: () => TOOLS.map(renderTool).join('\n\n')
}

const formatEffect = (effect: Tool['effect']) => (typeof effect === 'function' ? 'depends' : effect)

function renderTool({ name, description, input, output }: Tool): string {
  const params = listFields(toSchema(input))
  return [
    `### ${name}`,
    description,
    params.length === 0 ? 'It takes no params.' : markdownFieldTable('param', params),
    markdownFieldTable('gives', listFields(toSchema(output))),
    `\`\`\`json\n${onOneLine({ tool: name, params: TOOL_EXAMPLES[name] })}\n\`\`\``
  ].join('\n\n')
}

const onOneLine = (value: object) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
