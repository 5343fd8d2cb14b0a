// The tables of the toolsets, made from the data that serves them.
import type { Param, Row, Toolset } from '../src/catalog/toolset.ts'
import { TOOLSETS } from '../src/catalog/toolsets/index.ts'
import { VALUES } from '../src/catalog/toolsets/result-formats.ts'
import type { Tool } from '../src/tool/tool.ts'
import { TOOLS } from '../src/tools/index.ts'

type Table = (heading: readonly string[], rows: readonly (readonly string[])[]) => string

export const toolsetTables = (table: Table): Record<string, () => string> => ({
  toolsets: () =>
    table(
      ['toolset', 'names', 'from'],
      TOOLSETS.map(({ name, names, serves_all, about }) => [
        `\`${name}\``,
        serves_all ? 'all' : String(Object.keys(names).length),
        about
      ])
    ),
  ...Object.fromEntries(
    TOOLSETS.filter(({ name }) => name !== 'native').map(toolset => [
      `toolset_${toolset.name.replaceAll('-', '_')}`,
      () => tableOf(toolset, table)
    ])
  )
})

function tableOf(toolset: Toolset, table: Table): string {
  const rows = Object.entries(toolset.names).map(([name, row]) => [
    `\`${name}\``,
    `\`${row.tool}\``,
    paramsOf(row),
    answerOf(toolset, row),
    row.timeout_ms === undefined ? '' : `${row.timeout_ms / 1_000} s`,
    row.note ?? ''
  ])
  const notes = toolset.notes.map(note => `- ${note}`).join('\n')
  return `${table(['name', 'done by', 'params', 'answer', 'time limit', 'stricter or otherwise here'], rows)}\n\n${notes}`
}

const paramsOf = ({ params }: Row) =>
  params === undefined
    ? 'all of the tool'
    : Object.entries(params)
        .map(([name, param]) => paramOf(name, param))
        .join(', ')

function paramOf(name: string, { to = name, factor, ours }: Param) {
  const own = to === name ? '' : ` → \`${to}\``
  return `\`${name}\`${own}${factor === undefined ? '' : ` × ${factor}`}${ours ? ' (ours)' : ''}`
}

/** The fields of the answer, where the tool is there to tell them. */
function answerOf(toolset: Toolset, row: Row) {
  const form = row.value ?? toolset.value
  const tool: Tool | undefined = TOOLS.find(({ name }) => name === row.tool)
  if (form === 'data' || form === 'camel') return form === 'data' ? 'as the tool' : 'as the tool, in camelCase'
  if (!tool) return ''
  const { properties } = VALUES[form].output(tool) as { properties?: object }
  return properties === undefined
    ? 'text'
    : Object.keys(properties)
        .map(name => `\`${name}\``)
        .join(', ')
}
