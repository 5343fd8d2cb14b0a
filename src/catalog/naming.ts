// Converts names between snake_case and camelCase.

type NamingStyle = 'snake' | 'camel'

const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/

export const applyNamingStyle = (spelling: NamingStyle, name: string): string =>
  spelling === 'camel' && SNAKE.test(name)
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name

/** Converts the keys of a JSON value to camelCase. Foreign names do not change. */
export function toCamelCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCaseKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [applyNamingStyle('camel', name), toCamelCaseKeys(inner)])
  )
}

/** Converts a schema: only the parts that name fields change. */
export function toCamelCaseSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toCamelCaseSchema)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, toCamelCaseProperties(value as object)]
      if (keyword === 'required') return [keyword, (value as string[]).map(name => applyNamingStyle('camel', name))]
      return [keyword, VERBATIM_KEYWORDS.has(keyword) ? value : toCamelCaseSchema(value)]
    })
  )
}

const VERBATIM_KEYWORDS: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

const toCamelCaseProperties = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [applyNamingStyle('camel', name), toCamelCaseSchema(field)])
  )
