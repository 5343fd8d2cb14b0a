// The reference of the tools, from what each declares of itself, with the call that its test makes.
import type { Tool } from '../src/tool/tool.ts'
import { TOOLS } from '../src/tools/index.ts'
import { EXAMPLES } from '../test/conformance/tool-examples.ts'
import { asSchema, fieldsOf, fieldTable, table } from './schema-tables.ts'

export const toolTables = {
  tools: () =>
    table(
      ['tool', 'effect', 'does'],
      TOOLS.map(({ name, effect, description }) => [`[\`${name}\`](#${name})`, effectOf(effect), description])
    ),
  tool_sections: () => TOOLS.map(sectionOf).join('\n\n')
}

const effectOf = (effect: Tool['effect']) => (typeof effect === 'function' ? 'depends' : effect)

function sectionOf({ name, description, input, output }: Tool): string {
  const params = fieldsOf(asSchema(input))
  return [
    `### ${name}`,
    description,
    params.length === 0 ? 'It takes no params.' : fieldTable('param', params),
    fieldTable('gives', fieldsOf(asSchema(output))),
    `\`\`\`json\n${onOneLine({ tool: name, params: EXAMPLES[name] })}\n\`\`\``
  ].join('\n\n')
}

const onOneLine = (value: object) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
