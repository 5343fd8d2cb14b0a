// Effective settings of a folder, each with its sources.
import { isDeepStrictEqual } from 'node:util'
import { homeFolder } from '../server/xdg.ts'
import { isObject } from '../text/json-object.ts'
import type { ConfigSource } from './config-source.ts'
import { readFileSource } from './file-source.ts'
import { type ConfigInputs, globalConfigFiles, loadConfig, workspaceConfigFile } from './load.ts'
import { Config } from './schema.ts'
import { readTextSources } from './text-sources.ts'
import type { ConfigIssue } from './validation.ts'

interface EffectiveSetting {
  value: unknown
  /** Locations for a person; undefined for a default. Several for lists that are merged across files. */
  from: string[]
}

/** Settings that accumulate across all files, instead of one file overriding another. */
const ADDITIVE_SETTINGS: readonly string[] = ['rules', 'mcp_servers', 'command_tools', 'hooks']

/** Resolves the settings. Throws a ConfigError with all errors. */
export async function resolveEffectiveSettings(
  inputs: ConfigInputs
): Promise<(path: readonly string[]) => EffectiveSetting | undefined> {
  const { env, cwd } = inputs
  const { settings } = await loadConfig(inputs)
  const sources = await readSources(inputs, settings.roots)
  const environment = readTextSources(inputs.flags, env, cwd, homeFolder(env)).environment
  const strongestFirst = [environment, ...sources.toReversed()]
  const added = Object.fromEntries(ADDITIVE_SETTINGS.map(name => [name, mergeAdditive(sources, name)]))
  const whole = pickSettings({ ...settings, ...added })
  return path => {
    if (path.length > 0 && !isSetting(path)) return undefined
    const value = at(whole, path)
    const setting = strongestFirst.filter(source => path.length > 0 && at(source.value, path) !== undefined)
    const of = ADDITIVE_SETTINGS.includes(path[0] ?? '') ? setting : findDecidingSource(setting, path, value)
    return { value, from: of.map(source => source.locate(path)) }
  }
}

/** A workspace's value may have been ignored. */
const findDecidingSource = (sources: readonly ConfigSource[], path: readonly string[], value: unknown) =>
  sources.filter(source => isSubset(at(source.value, path), value)).slice(0, 1)

const isSubset = (some: unknown, whole: unknown): boolean =>
  isObject(some) && isObject(whole)
    ? Object.entries(some).every(([name, value]) => isSubset(value, whole[name]))
    : isDeepStrictEqual(some, whole)

/** Returns the sources, weakest first. */
async function readSources({ env }: ConfigInputs, roots: readonly { path: string }[]): Promise<ConfigSource[]> {
  const { admin, user } = globalConfigFiles(env)
  const issues: ConfigIssue[] = []
  const files = [admin, user, ...roots.map(({ path }) => workspaceConfigFile(path))]
  const all = await Promise.all(files.map(file => readFileSource(file, homeFolder(env), issues)))
  return all.filter(source => source !== undefined)
}

function mergeAdditive(sources: readonly ConfigSource[], name: string): unknown {
  const given = sources.map(({ value }) => (value as Record<string, unknown>)[name]).filter(each => each !== undefined)
  return given.some(Array.isArray) ? given.flat() : given.length === 0 ? getDefault(name) : Object.assign({}, ...given)
}

const PROPERTIES = Config.properties as Record<string, Schema>

interface Schema {
  default?: unknown
  properties?: Record<string, Schema>
  type?: string
}

const getDefault = (name: string) => PROPERTIES[name]?.default

/** Returns true for an existing setting or section; tables accept any name. */
export function isSetting(path: readonly string[]): boolean {
  return schemaAt(path) !== undefined
}

/** Returns the schema of a setting; an empty one for entries of a table. */
export function schemaAt(path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = { properties: PROPERTIES }
  for (const name of path) {
    if (!schema) return undefined
    if (!schema.properties) return schema.type === 'object' ? {} : undefined
    schema = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  }
  return schema
}

/** Lists all named settings and sections, for completion. */
export function settingPaths(schema: Schema = { properties: PROPERTIES }, above: readonly string[] = []): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = [...above, name]
    return field.properties ? settingPaths(field, here) : [here.join('.')]
  })
}

/** Returns what a user can set. */
const pickSettings = (whole: object, properties: Record<string, Schema> = PROPERTIES): object =>
  Object.fromEntries(
    Object.entries(whole).flatMap(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (!schema) return []
      return [[name, schema.properties && isObject(value) ? pickSettings(value, schema.properties) : value]]
    })
  )

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((here, name) => (isObject(here) && Object.hasOwn(here, name) ? here[name] : undefined), value)
