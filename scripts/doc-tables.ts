// The tables of the documents, made from the code they speak of.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { Config } from '../src/config.ts'
import { ERRORS } from '../src/errors.ts'
import { EVENTS } from '../src/events/events.ts'
import { LANGUAGE_SERVERS } from '../src/host/lsp/servers.ts'
import { FRONT_END_EFFECTS } from '../src/tool/front-end.ts'
import { TOOLS } from '../src/tools/index.ts'
import { cliTables } from './cli-tables.ts'
import { toolsetTables } from './toolset-tables.ts'

/** A document keeps each table between `<!-- table: name -->` and `<!-- end of table -->`. */
const PLACE = /(<!-- table: (\w+) -->)[\s\S]*?(<!-- end of table -->)/g

const TABLES: Record<string, () => string> = {
  errors: () =>
    table(
      ['code', 'HTTP', 'try again', 'means', 'what to do'],
      Object.entries(ERRORS).map(([code, { status, recoverable, means, cure }]) => [
        `\`${code}\``,
        String(status),
        recoverable ? 'yes' : 'no',
        means,
        cure
      ])
    ),

  events: () =>
    table(
      ['type', 'tells', 'data, besides `seq` and `time`'],
      Object.entries(EVENTS).map(([type, { description, ...schema }]) => [
        `\`${type}\``,
        description,
        fieldsOf(asSchema(schema))
      ])
    ),

  configuration: () =>
    table(
      ['key', 'takes', 'default', 'does'],
      settings(asSchema(Config), []).map(({ key, schema }) => [
        `\`${key}\``,
        takes(schema),
        schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
        schema.description ?? ''
      ])
    ),

  routes: () => {
    const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, { summary: string }>>
    }
    return table(
      ['route', 'does'],
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { summary }]) => [
          `\`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}\``,
          summary
        ])
      )
    )
  },

  effects: () =>
    table(
      ['effect', 'what is asked', 'params', 'answer', 'time'],
      Object.entries(FRONT_END_EFFECTS).map(([effect, { asks, params, answer, ms }]) => [
        `\`${effect}\``,
        asks,
        namesOf(asSchema(params)).join(', '),
        namesOf(asSchema(answer)).join(', '),
        Number.isFinite(ms) ? `${ms / 1_000} s` : 'while the call waits'
      ])
    ),

  language_servers: () =>
    table(
      ['server', 'files', 'to install'],
      LANGUAGE_SERVERS.map(({ name, languages, install }) => [
        `\`${name}\``,
        Object.values(languages)
          .flat()
          .map(one => `\`${one}\``)
          .join(' '),
        install.startsWith('see ') ? install : `\`${install}\``
      ])
    ),

  ...toolsetTables(table),
  ...cliTables,

  tools: () =>
    table(
      ['tool', 'effect', 'params', 'does'],
      TOOLS.map(({ name, effect, input, description }) => [
        `\`${name}\``,
        typeof effect === 'function' ? 'depends' : effect,
        namesOf(asSchema(input)).join(', '),
        description
      ])
    )
}

/** The document with every table made anew. */
export const withTables = (markdown: string): string =>
  markdown.replace(PLACE, (_all, start: string, name: string, end: string) => {
    const make = TABLES[name]
    if (!make) throw new Error(`There is no table ${name}.`)
    return `${start}\n\n${make()}\n\n${end}`
  })

interface Schema {
  type?: string
  enum?: unknown[]
  items?: Schema
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: string[]
}

/** A schema as the plain JSON it stands for. */
const asSchema = (schema: object) => JSON.parse(JSON.stringify(schema)) as Schema

/** Field names; a question mark follows those that may be left out. */
const namesOf = ({ properties = {}, required = [] }: Schema): string[] =>
  Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))

/** Everything that can be set by itself; sections stand for what is in them. */
function settings(schema: Schema, at: readonly string[]): { key: string; schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = [...at, name]
    return field.properties ? settings(field, here) : [{ key: here.join('.'), schema: field }]
  })
}

function takes({ type, enum: values, items, minimum, maximum }: Schema): string {
  if (values) return values.map(value => `\`${value}\``).join(', ')
  if (type === 'array') return items?.type === 'string' ? 'list of strings' : 'list'
  if (type === 'object') return 'object by name'
  if (type !== 'integer') return type ?? 'any'
  return maximum === undefined ? `integer from ${minimum}` : `integer from ${minimum} to ${maximum}`
}

/** What every event has is told once, above the table. */
const COMMON: readonly string[] = [
  'type',
  'seq',
  'time',
  'session_id',
  'workspace',
  'tool_call_id',
  'truncated',
  'href'
]

const fieldsOf = ({ properties = {}, required = [] }: Schema): string =>
  Object.entries(properties)
    .filter(([name]) => !COMMON.includes(name))
    .map(([name, { enum: values }]) => {
      const optional = required.includes(name) ? name : `${name}?`
      return values ? `\`${optional}\` (${values.join(', ')})` : `\`${optional}\``
    })
    .join(', ')

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')
}
