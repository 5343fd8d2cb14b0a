// Generates the tables of the toolsets from their data.
import type { ParamMapping, ToolMapping, Toolset } from '../src/catalog/toolset.ts'
import { TOOLSETS } from '../src/catalog/toolsets/index.ts'
import { RESULT_FORMATS } from '../src/catalog/toolsets/result-formats.ts'
import type { Tool } from '../src/tool/tool.ts'
import { TOOLS } from '../src/tools/index.ts'

type Table = (heading: readonly string[], rows: readonly (readonly string[])[]) => string

export const toolsetTables = (table: Table): Record<string, () => string> => ({
  toolsets: () =>
    table(
      ['toolset', 'names', 'from'],
      TOOLSETS.map(({ name, tools, servesAll, description }) => [
        `\`${name}\``,
        servesAll ? 'all' : String(Object.keys(tools).length),
        description
      ])
    ),
  ...Object.fromEntries(
    TOOLSETS.filter(({ name }) => name !== 'native').map(toolset => [
      `toolset_${toolset.name.replaceAll('-', '_')}`,
      () => renderToolset(toolset, table)
    ])
  )
})

function renderToolset(toolset: Toolset, table: Table): string {
  const rows = Object.entries(toolset.tools).map(([name, row]) => [
    `\`${name}\``,
    `\`${row.tool}\``,
    formatParams(row),
    formatAnswer(toolset, row),
    row.timeout_ms === undefined ? '' : `${row.timeout_ms / 1_000} s`,
    row.note ?? ''
  ])
  const notes = toolset.notes.map(note => `- ${note}`).join('\n')
  return `${table(['name', 'tool', 'params', 'answer', 'time limit', 'differences'], rows)}\n\n${notes}`
}

const formatParams = ({ params }: ToolMapping) =>
  params === undefined
    ? 'all of the tool'
    : Object.entries(params)
        .map(([name, param]) => formatParam(name, param))
        .join(', ')

function formatParam(name: string, { to = name, factor, isExtension }: ParamMapping) {
  const own = to === name ? '' : ` → \`${to}\``
  return `\`${name}\`${own}${factor === undefined ? '' : ` × ${factor}`}${isExtension ? ' (ours)' : ''}`
}

/** Returns the fields of the answer, if the tool is available to name them. */
function formatAnswer(toolset: Toolset, row: ToolMapping) {
  const form = row.resultFormat ?? toolset.resultFormat
  const tool: Tool | undefined = TOOLS.find(({ name }) => name === row.tool)
  if (form === 'data' || form === 'camel') return form === 'data' ? 'as the tool' : 'as the tool, in camelCase'
  if (!tool) return ''
  const { properties } = RESULT_FORMATS[form].output(tool) as { properties?: object }
  return properties === undefined
    ? 'text'
    : Object.keys(properties)
        .map(name => `\`${name}\``)
        .join(', ')
}
