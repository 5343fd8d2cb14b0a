// Names in snake_case and in camelCase.

export type Spelling = 'snake' | 'camel'

const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/

export const spelled = (spelling: Spelling, name: string): string =>
  spelling === 'camel' && SNAKE.test(name)
    ? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name

/** A value of JSON with the names of all its fields in camelCase. Names that are none of ours stay. */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [spelled('camel', name), inCamelCase(inner)]))
}

/** The same of a schema: only what names fields is spelled anew. */
export function schemaInCamelCase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaInCamelCase)
  if (schema === null || typeof schema !== 'object') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, schemaFields(value as object)]
      if (keyword === 'required') return [keyword, (value as string[]).map(name => spelled('camel', name))]
      return [keyword, VERBATIM.has(keyword) ? value : schemaInCamelCase(value)]
    })
  )
}

const VERBATIM: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

const schemaFields = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [spelled('camel', name), schemaInCamelCase(field)]))
