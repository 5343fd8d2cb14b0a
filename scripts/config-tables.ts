// The reference of the configuration, from its schema and from what reads it.
import { LIVE_SETTINGS } from '../src/config/contributions.ts'
import { Config } from '../src/config/schema.ts'
import { flagOf, settingNames, variableOf } from '../src/config/text-sources.ts'
import { workspaceMay } from '../src/config/workspace-trust.ts'
import { COMMANDS } from './cli-tables.ts'
import { asSchema, type Schema, table, takes } from './schema-tables.ts'

export const configTables = {
  configuration: () =>
    table(
      ['key', 'takes', 'default', 'does', 'a repository', 'besides files'],
      settingsOf(asSchema(Config)).map(({ at, schema }) => {
        const key = at.join('.')
        return [`\`${key}\``, takes(schema), defaultOf(schema), doesOf(key, schema), MAY[workspaceMay(key)], waysOf(at)]
      })
    )
}

const MAY = { never: 'never', tighten: 'stricter', trusted: 'if trusted' }

/** A setting by itself: sections stand for what is in them. */
interface Setting {
  at: readonly string[]
  schema: Schema
}

export const settingsOf = (schema: Schema, above: readonly string[] = []): Setting[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = [...above, name]
    return field.properties ? settingsOf(field, at) : [{ at, schema: field }]
  })

const defaultOf = ({ default: value }: Schema) => (value === undefined ? '' : `\`${JSON.stringify(value)}\``)

const doesOf = (key: string, { description = '' }: Schema) =>
  LIVE_SETTINGS.includes(key) ? `${description} Changes are taken at once.` : description

/** The variable and the flag that say it, where there are such. */
function waysOf(at: readonly string[]): string {
  const ways = [
    ...(VARIABLES.has(variableOf(at)) ? [variableOf(at)] : []),
    ...(FLAGS.has(flagOf(at)) ? [flagOf(at)] : [])
  ]
  return ways.map(way => `\`${way}\``).join(' ')
}

const VARIABLES: ReadonlySet<string> = new Set(['TOOLGATE_ROOTS', ...settingNames()])
const FLAGS: ReadonlySet<string | undefined> = new Set(
  COMMANDS.get('serve')!.options.map(({ long }) => long ?? undefined)
)
