// Generates the configuration reference from the schema and from the code that reads it.
import { RELOADABLE_SETTINGS } from '../src/config/contributions.ts'
import { Config } from '../src/config/schema.ts'
import { listSettingVariables, toFlagName, toVariableName } from '../src/config/text-sources.ts'
import { workspacePermission } from '../src/config/workspace-trust.ts'
import { COMMANDS } from './cli-tables.ts'
import { formatType, markdownTable, type Schema, toSchema } from './schema-tables.ts'

export const configTables = {
  configuration: () =>
    markdownTable(
      ['key', 'type', 'default', 'description', 'in a repository', 'variable or flag'],
      listSettings(toSchema(Config)).map(({ at, schema }) => {
        const key = at.join('.')
        return [
          `\`${key}\``,
          formatType(schema),
          formatDefault(schema),
          formatDescription(key, schema),
          TRUST_LABELS[workspacePermission(key)],
          formatOverrides(at)
        ]
      })
    )
}

const TRUST_LABELS = { never: 'never', tighten: 'stricter', trusted: 'if trusted' }

/** A single setting; sections are flattened. */
interface Setting {
  at: readonly string[]
  schema: Schema
}

export const listSettings = (schema: Schema, above: readonly string[] = []): Setting[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = [...above, name]
    return field.properties ? listSettings(field, at) : [{ at, schema: field }]
  })

const formatDefault = ({ default: value }: Schema) => (value === undefined ? '' : `\`${JSON.stringify(value)}\``)

const formatDescription = (key: string, { description = '' }: Schema) =>
  RELOADABLE_SETTINGS.includes(key) ? `${description} Applied without a restart.` : description

/** Returns the environment variable and the flag that override it, if any. */
function formatOverrides(at: readonly string[]): string {
  const ways = [
    ...(VARIABLES.has(toVariableName(at)) ? [toVariableName(at)] : []),
    ...(FLAGS.has(toFlagName(at)) ? [toFlagName(at)] : [])
  ]
  return ways.map(way => `\`${way}\``).join(' ')
}

const VARIABLES: ReadonlySet<string> = new Set(['TOOLGATE_ROOTS', ...listSettingVariables()])
const FLAGS: ReadonlySet<string | undefined> = new Set(
  COMMANDS.get('serve')!.options.map(({ long }) => long ?? undefined)
)
