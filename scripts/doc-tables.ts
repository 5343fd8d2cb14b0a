// Generates the tables of the documents from the code.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ORDINARY_NAMES, SELF_STARTING_GROUPS } from '../src/host/files/policy/self-starting-names.ts'
import { LANGUAGE_SERVERS } from '../src/host/lsp/servers/servers.ts'
import { ERRORS } from '../src/protocol/error-codes.ts'
import { FRONT_END_EFFECTS } from '../src/protocol/front-end.ts'
import { cliTables } from './cli-tables.ts'
import { configTables } from './config-tables.ts'
import { documentTables } from './document-tables.ts'
import { eventTables } from './event-tables.ts'
import { expectationTables } from './expectation-tables.ts'
import { notificationTables } from './notification-tables.ts'
import { markdownTable, toSchema } from './schema-tables.ts'
import { toolTables } from './tool-tables.ts'
import { toolsetTables } from './toolset-tables.ts'

/** Tables are placed between `<!-- table: name -->` and `<!-- end of table -->`. */
const TABLE_MARKERS = /(<!-- table: (\w+) -->)[\s\S]*?(<!-- end of table -->)/g

const TABLES: Record<string, () => string> = {
  errors: () =>
    markdownTable(
      ['code', 'HTTP', 'retry', 'description', 'resolution'],
      Object.entries(ERRORS).map(([code, { status, recoverable, description, resolution }]) => [
        `\`${code}\``,
        String(status),
        recoverable ? 'yes' : 'no',
        description,
        resolution
      ])
    ),

  routes: () => {
    const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, { summary: string }>>
    }
    return markdownTable(
      ['route', 'description'],
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { summary }]) => [
          `\`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}\``,
          summary
        ])
      )
    )
  },

  effects: () =>
    markdownTable(
      ['effect', 'description', 'params', 'answer', 'time limit'],
      Object.entries(FRONT_END_EFFECTS).map(([effect, { description, params, answer, ms }]) => [
        `\`${effect}\``,
        description,
        propertyNames(params).join(', '),
        propertyNames(answer).join(', '),
        Number.isFinite(ms) ? `${ms / 1_000} s` : 'while the call waits'
      ])
    ),

  language_servers: () =>
    markdownTable(
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

  self_starting: () =>
    markdownTable(
      ['program', 'files and folders', 'sandboxed commands'],
      SELF_STARTING_GROUPS.map(({ program, names, source, commandsMayWrite }) => [
        `[${program}](${source})`,
        names.map(name => `\`${name}\``).join(' '),
        commandsMayWrite ? 'may write' : 'may not write'
      ])
    ),

  ordinary_names: () =>
    markdownTable(
      ['name', 'reason'],
      ORDINARY_NAMES.map(({ name, reason, source }) => [`[\`${name}\`](${source})`, `${reason}.`])
    ),

  ...eventTables,
  ...configTables,
  ...toolTables,
  ...toolsetTables(markdownTable),
  ...documentTables,
  ...expectationTables,
  ...cliTables,
  ...notificationTables
}

/** Returns the document with every table regenerated. */
export const replaceTables = (markdown: string): string =>
  markdown.replace(TABLE_MARKERS, (_all, start: string, name: string, end: string) => {
    const make = TABLES[name]
    if (!make) throw new Error(`There is no table ${name}.`)
    return `${start}\n\n${make()}\n\n${end}`
  })

/** Returns the field names; optional ones end in a question mark. */
const propertyNames = (schema: object): string[] => {
  const { properties = {}, required = [] } = toSchema(schema)
  return Object.keys(properties).map(name => (required.includes(name) ? name : `${name}?`))
}
