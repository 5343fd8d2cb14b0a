// Generates the tool reference from each tool's declaration, with the example call of its test: a page for each category.
import type { Tool } from '../src/tool/tool.ts'
import { TOOLS } from '../src/tools/index.ts'
import { TOOL_EXAMPLES } from '../test/conformance/tool-examples.ts'
import { listFields, markdownFieldTable, markdownTable, toSchema } from './schema-tables.ts'

/** Titles of the pages by category, in the order of the list of tools. */
const PAGE_TITLES: Readonly<Record<string, string>> = {
  files: 'File tools',
  search: 'Search tools',
  code: 'Code intelligence tools',
  commands: 'Command tools',
  git: 'Git tools',
  web: 'Web tools',
  session: 'Session tools',
  editor: 'Editor tools',
  mcp: 'MCP tools'
}

export const toolTables = {
  tools: () =>
    markdownTable(
      ['tool', 'effect', 'description'],
      TOOLS.map(({ name, category, effect, description }) => [
        `[\`${name}\`](tools/${category}.md#${name})`,
        formatEffect(effect),
        description
      ])
    )
}

/** Returns the pages of the tools by their path. */
export const renderToolPages = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(PAGE_TITLES).map(([category, title]) => [
      `docs/tools/${category}.md`,
      `${[
        `# ${title}`,
        '[How to read this page](../tools.md#one-tool)',
        ...TOOLS.filter(tool => tool.category === category).map(renderTool)
      ].join('\n\n')}\n`
    ])
  )

const formatEffect = (effect: Tool['effect']) => (typeof effect === 'function' ? 'depends' : effect)

function renderTool({ name, description, input, output }: Tool): string {
  const params = listFields(toSchema(input))
  return [
    `## ${name}`,
    description,
    params.length === 0 ? 'No params.' : markdownFieldTable('param', params),
    markdownFieldTable('result', listFields(toSchema(output))),
    `\`\`\`json\n${onOneLine({ tool: name, params: TOOL_EXAMPLES[name] })}\n\`\`\``
  ].join('\n\n')
}

const onOneLine = (value: object) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
