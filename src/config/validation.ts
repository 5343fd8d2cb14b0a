// Validates a source, with actionable messages.

import { parseJsonPointer } from '../text/json-pointer.ts'
import type { ConfigSource } from './config-source.ts'
import { Config } from './schema.ts'

export interface ConfigIssue {
  where: string
  field: string
  message: string
}

export class ConfigError extends Error {
  readonly issues: readonly ConfigIssue[]

  constructor(issues: readonly ConfigIssue[]) {
    super(issues.map(({ where, field, message }) => `${where}: ${field && `${field} `}${message}`).join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
  }
}

/** Returns all schema errors of a source. Compiles only the sections that are present, to keep startup fast. */
export async function validateSource(source: ConfigSource): Promise<ConfigIssue[]> {
  const keys = Object.keys(source.value)
  if (keys.length === 0) return []
  const [{ Ajv }, { hostPatternError }, { parseNamePattern }] = await Promise.all([
    import('./ajv.ts'),
    import('../host/egress/host-patterns.ts'),
    import('../host/files/policy/name-patterns.ts')
  ])
  const ajv = new Ajv({
    allErrors: true,
    discriminator: true,
    strict: false,
    meta: false,
    validateSchema: false,
    formats: {
      'date-time': isTime,
      host: text => hostPatternError(text) === undefined,
      'name-pattern': text => parseNamePattern(text) !== undefined
    }
  })
  const check = ajv.compile(partialSchema(Config as Schema, keys))
  if (check(source.value)) return []
  return (check.errors ?? [])
    .filter(({ keyword }) => keyword !== 'anyOf')
    .map(({ instancePath, keyword, params, message }) => {
      const extra = keyword === 'additionalProperties' ? [String(params.additionalProperty)] : []
      const path = [...parsePointer(instancePath), ...extra]
      return {
        where: source.locate(path),
        field: path.join('/'),
        message: ISSUE_MESSAGES[keyword]?.(params) ?? `${message}`
      }
    })
    .sort((a, b) => a.where.localeCompare(b.where, 'en', { numeric: true }))
}

const ISSUE_MESSAGES: Record<string, (params: Record<string, unknown>) => string> = {
  additionalProperties: () => 'is not a setting',
  required: ({ missingProperty }) => `must have "${missingProperty}"`,
  discriminator: ({ tag }) => `must have a known "${tag}"`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  format: ({ format }) => `must be ${FORMAT_MESSAGES[String(format)]}`
}

const FORMAT_MESSAGES: Record<string, string> = {
  'date-time': 'a time such as 2030-01-31T00:00:00Z',
  host: 'a host such as example.com, *.example.com or example.com:8443',
  'name-pattern':
    'a name such as *.secret or private/keys.json, which matches at any depth: without ?, [ ], { }, \\ and **, and without !, / or ./ at its beginning'
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))

const parsePointer = (pointer: string) =>
  parseJsonPointer(pointer).map(part => (/^\d+$/.test(part) ? Number(part) : part))

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[] | undefined
}

/** Builds the schema of a file that may omit any setting. Items of lists keep their required fields. */
function partialSchema(schema: Schema, keys: readonly string[]): Schema {
  const { required: _, ...rest } = schema
  const properties = schema.properties ?? {}
  const parts = keys
    .filter(key => Object.hasOwn(properties, key))
    .map(key => {
      const part = properties[key]!
      return [key, part.properties ? partialSchema(part, Object.keys(part.properties)) : part]
    })
  return { ...rest, properties: Object.fromEntries(parts) }
}
