// Schemas that have a title become components of the document, each written once, with references in their places.
import { isDeepStrictEqual } from 'node:util'
import { type OpenApiDocument, type Schema, schemaReference } from './document.ts'

/** Names of types, as generators make them of components. */
const TYPE_NAME = /^[A-Z][A-Za-z0-9]*$/

/** Moves titled schemas to the components. Throws if different schemas have one title, or if a title is no name of a type. */
export function nameSchemas(document: OpenApiDocument) {
  const titled = new Map<string, Schema>()
  const { schemas } = document.components
  collectTitled([schemas, document.paths], titled)
  const untitled = Object.entries(schemas).filter(([, { title }]) => title === undefined)
  const inlined = untitled.map(([name, schema]) => [name, withReferences(schema)] as const)
  document.paths = replaceTitled(document.paths) as OpenApiDocument['paths']
  const named = [...titled].map(([name, { title: _, ...schema }]) => [name, withReferences(schema)] as const)
  document.components.schemas = Object.fromEntries([...inlined, ...named].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function collectTitled(value: unknown, titled: Map<string, Schema>) {
  if (typeof value !== 'object' || value === null) return
  if (isTitled(value)) {
    const { title } = value
    if (!TYPE_NAME.test(title)) throw new Error(`The title ${JSON.stringify(title)} of a schema is no name of a type.`)
    const known = titled.get(title)
    if (known && !isDeepStrictEqual(known, value)) throw new Error(`Different schemas have the title ${title}.`)
    titled.set(title, value)
  }
  for (const inner of Object.values(value)) collectTitled(inner, titled)
}

function replaceTitled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(replaceTitled)
  return isTitled(value) ? schemaReference(value.title) : withReferences(value as Schema)
}

const withReferences = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, replaceTitled(value)]))

/** A property may be called `title`, too: then its value is a schema. */
const isTitled = (value: object): value is Schema & { title: string } =>
  'title' in value && typeof value.title === 'string'
