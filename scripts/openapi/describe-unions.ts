// Unions whose members differ in one property get a discriminator, and a component with the properties that all members share.
import { isDeepStrictEqual } from 'node:util'
import { type OpenApiDocument, referencedName, type Schema, schemaReference } from './document.ts'

interface Member {
  name: string
  schema: Schema
}

/** Describes the unions among the components by their discriminators. */
export function describeUnions({ components: { schemas } }: OpenApiDocument) {
  for (const [name, union] of Object.entries(schemas)) {
    const members = listMembers(union, schemas)
    const propertyName = members && findDiscriminator(members)
    if (!members || propertyName === undefined) continue
    const { anyOf: _, ...described } = union
    const mapping = members.map(({ name, schema }) => [
      onlyValue(schema.properties![propertyName]),
      schemaReference(name).$ref
    ])
    schemas[name] = {
      ...described,
      oneOf: members.map(member => schemaReference(member.name)),
      discriminator: { propertyName, mapping: Object.fromEntries(mapping) }
    }
    shareProperties(`${name}Base`, members, schemas)
  }
}

/** Returns the members of a union of components that are objects; undefined for any other schema. */
function listMembers(union: Schema, schemas: Record<string, Schema>): Member[] | undefined {
  if (!Array.isArray(union.anyOf) || union.anyOf.length < 2) return undefined
  const names = (union.anyOf as Schema[]).map(referencedName)
  const members = names.flatMap(name => (name === undefined ? [] : [{ name, schema: schemas[name]! }]))
  return members.length === names.length && members.every(({ schema }) => schema.properties) ? members : undefined
}

/** Finds the property that has one value in each member, and another one in all others. */
function findDiscriminator(members: readonly Member[]): string | undefined {
  return Object.keys(members[0]!.schema.properties!).find(key => {
    const values = members.map(({ schema }) => onlyValue(schema.properties![key]))
    return !values.includes(undefined) && new Set(values).size === values.length
  })
}

function onlyValue(schema: Schema | undefined): string | undefined {
  const values = (schema?.enum ?? (schema && 'const' in schema ? [schema.const] : [])) as unknown[]
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined
}

/** Moves what all members have to a separate component, unless a member allows no further properties. */
function shareProperties(base: string, members: readonly Member[], schemas: Record<string, Schema>) {
  const [first, ...others] = members.map(({ schema }) => schema) as [Schema, ...Schema[]]
  if ([first, ...others].some(({ additionalProperties }) => additionalProperties === false)) return
  const isShared = (key: string) =>
    others.every(
      ({ properties, required = [] }) =>
        isDeepStrictEqual(properties![key], first.properties![key]) &&
        required.includes(key) === (first.required ?? []).includes(key)
    )
  const shared = new Set(Object.keys(first.properties!).filter(isShared))
  if (shared.size === 0) return
  schemas[base] = objectOf(first, key => shared.has(key))
  for (const { name, schema } of members) {
    const { description } = schema
    schemas[name] = {
      ...(description !== undefined && { description }),
      allOf: [schemaReference(base), objectOf(schema, key => !shared.has(key))]
    }
  }
}

const objectOf = ({ properties = {}, required = [] }: Schema, isKept: (key: string) => boolean): Schema => ({
  type: 'object',
  required: required.filter(isKept),
  properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isKept(key)))
})
