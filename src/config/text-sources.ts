// Textual sources of settings: TOOLGATE_* variables and flags. Their names are derived from the schema, so that a new setting is
// available in both.
import path from 'node:path'
import type { ConfigSource } from './config-source.ts'
import { resolvePath } from './file-source.ts'
import { Config } from './schema.ts'
import type { ConfigIssue } from './validation.ts'

/** Flags by setting. `true` for a flag without a value. */
export interface ConfigFlags {
  /** `path` or `name=path` each. */
  root?: readonly string[] | undefined
  /** `file=sha256` each. */
  trust?: readonly string[] | undefined
  /** By setting, such as `port` or `log.level`. */
  [setting: string]: string | boolean | readonly string[] | undefined
}

/** TOOLGATE_* variables that are not settings of the server. */
const NON_SETTING_VARIABLES: readonly string[] = [
  'TOOLGATE_ADMIN_CONFIG',
  'TOOLGATE_STATE_DIR',
  'TOOLGATE_RUN_DIR',
  'TOOLGATE_URL',
  'TOOLGATE_ROOTS'
]

interface Schema {
  type?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
}

interface TextSetting {
  path: readonly string[]
  schema: Schema
}

/** Settings that fit in one line of text, by variable name. */
const TEXT_SETTINGS: ReadonlyMap<string, TextSetting> = new Map(
  collectLeafSettings(Config as Schema, []).map(setting => [
    `TOOLGATE_${setting.path.join('_').toUpperCase()}`,
    setting
  ])
)

function collectLeafSettings(schema: Schema, at: readonly string[]): TextSetting[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const here = [...at, key]
    if (field.properties) return collectLeafSettings(field, here)
    const plain = field.type === 'array' ? field.items?.type === 'string' : field.type !== 'object'
    return plain ? [{ path: here, schema: field }] : []
  })
}

export const listSettingVariables = (): string[] => [...TEXT_SETTINGS.keys()]

export function readTextSources(
  flags: ConfigFlags,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  home: string
) {
  const warnings: string[] = []
  const environment: Record<string, unknown> = {}
  const flagged: Record<string, unknown> = {}

  for (const [name, text] of Object.entries(env)) {
    const setting = TEXT_SETTINGS.get(name)
    if (!name.startsWith('TOOLGATE_') || !text) continue
    if (setting) setAt(environment, setting.path, parseSettingText(setting, text, cwd, home))
    else if (!NON_SETTING_VARIABLES.includes(name)) warnings.push(`${name}: ignored, it is not a setting`)
  }
  if (env.TOOLGATE_ROOTS)
    environment.roots = env.TOOLGATE_ROOTS.split(path.delimiter).map(text => parseRoot(text, cwd, home))

  const byPath = new Map([...TEXT_SETTINGS.values()].map(setting => [setting.path.join('.'), setting]))
  for (const [name, given] of Object.entries(flags)) {
    const setting = byPath.get(name)
    if (!setting || given === undefined) continue
    setAt(flagged, setting.path, typeof given === 'string' ? parseSettingText(setting, given, cwd, home) : given)
  }
  if (flags.root?.length) flagged.roots = flags.root.map(text => parseRoot(text, cwd, home))
  if (flags.trust?.length) flagged.trust = Object.fromEntries(flags.trust.map(text => parseTrust(text, cwd, home)))

  return {
    warnings,
    environment: createSource(environment, toVariableName),
    flags: createSource(flagged, toFlagName)
  }
}

type SettingPath = readonly (string | number)[]

const stringParts = (at: SettingPath) => at.filter(part => typeof part === 'string')

/** Returns the environment variable of a setting. */
export const toVariableName = (at: SettingPath): string => `TOOLGATE_${stringParts(at).join('_').toUpperCase()}`

/** Returns the flag of a setting, if there is one. */
export const toFlagName = (at: SettingPath): string =>
  `--${FLAG_NAMES[String(at[0])] ?? stringParts(at).join('-').replaceAll('_', '-')}`

const FLAG_NAMES: Record<string, string> = { roots: 'root', trust: 'trust', log: 'log-level' }

const createSource = (value: object, locate: ConfigSource['locate']): ConfigSource => ({
  value: value as ConfigSource['value'],
  locate
})

/** Parses text by the schema. Invalid text is returned unchanged, so that validation reports the expected type. */
function parseSettingText({ path: at, schema }: TextSetting, text: string, cwd: string, home: string): unknown {
  if (schema.type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text
  if (schema.type === 'array')
    return text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== '')
  return FILE_SETTINGS.includes(at.join('.')) ? resolvePath(text, cwd, home) : text
}
const BOOLEANS: Record<string, boolean> = { true: true, '1': true, yes: true, false: false, '0': false, no: false }
const FILE_SETTINGS: readonly string[] = ['socket', 'token_file', 'call_token_file', 'hub.token_file']

function setAt(target: Record<string, unknown>, at: readonly string[], value: unknown) {
  const [key = '', ...rest] = at
  if (rest.length === 0) target[key] = value
  else {
    target[key] ??= {}
    setAt(target[key] as Record<string, unknown>, rest, value)
  }
}

/** Parses a root with an optional name; a path that contains `=` remains a path if its first part is not a valid name. */
function parseRoot(text: string, cwd: string, home: string) {
  const [, name, given] = /^([A-Za-z0-9_-]{1,64})=(.+)$/s.exec(text) ?? [undefined, undefined, text]
  return { ...(name && { name }), path: resolvePath(given!, cwd, home) }
}

function parseTrust(text: string, cwd: string, home: string): [string, string] {
  const cut = text.lastIndexOf('=')
  return [resolvePath(text.slice(0, cut), cwd, home), text.slice(cut + 1)]
}

/**
 * Validates textual settings. They are single values, which need no compiled schema: most starts have no file, and avoid that
 * cost.
 */
export function validateTextSource(source: ConfigSource): ConfigIssue[] {
  return [...TEXT_SETTINGS.values()].flatMap(({ path: at, schema }) => {
    const value = at.reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
      source.value
    )
    const message = value === undefined ? undefined : findValueError(schema, value)
    return message === undefined ? [] : [{ where: source.locate(at), field: at.join('/'), message }]
  })
}

function findValueError({ type, enum: allowed, minimum, maximum }: Schema, value: unknown): string | undefined {
  if (allowed) return allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be boolean'
  if (type !== 'integer') return undefined
  if (typeof value !== 'number') return 'must be integer'
  if (minimum !== undefined && value < minimum) return `must be >= ${minimum}`
  return maximum !== undefined && value > maximum ? `must be <= ${maximum}` : undefined
}
