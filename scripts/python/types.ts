// Translates JSON schemas to Python types. Objects within other schemas get names of the places where they are.
import { referencedName, type Schema } from '../openapi/document.ts'

export interface Field {
  key: string
  type: string
  isRequired: boolean
  description: string | undefined
}

/** A TypedDict. */
export interface ObjectModel {
  name: string
  description: string | undefined
  /** Names of the models whose fields it has, too. */
  bases: string[]
  fields: Field[]
}

/** Another name of a type. */
export interface AliasModel {
  name: string
  description: string | undefined
  type: string
}

export type Model = ObjectModel | AliasModel

/** Enumerations with more values get a name. */
const MAX_INLINE_VALUES = 8
const SIMPLE_TYPES: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None'
}

export class PythonTypes {
  readonly #models = new Map<string, Model>()

  get models(): Model[] {
    return [...this.#models.values()]
  }

  /** Defines the model of a schema. Throws if another one has the name. */
  define(name: string, schema: Schema) {
    const { bases, own } = splitBases(schema)
    if (bases.length > 0 || isRecord(own)) this.#defineObject(name, schema, bases, own)
    else
      this.#add({
        name,
        description: textOf(schema),
        type: schema.enum ? literal(schema.enum) : this.#typeOf(schema, name)
      })
    this.#defineDiscriminator(name, schema)
  }

  #defineObject(name: string, schema: Schema, bases: string[], { properties = {}, required = [] }: Schema) {
    const fields = Object.entries(properties).map(([key, property]) => ({
      key,
      type: this.#typeOf(property, name + toPascalCase(key)),
      isRequired: required.includes(key),
      description: textOf(property)
    }))
    this.#add({ name, description: textOf(schema), bases, fields })
  }

  /** Names the values by which the members of a union differ: the statuses of calls, the types of events. */
  #defineDiscriminator(name: string, { discriminator }: Schema) {
    if (!discriminator) return
    const { propertyName, mapping } = discriminator
    this.#add({
      name: name + toPascalCase(propertyName),
      description: undefined,
      type: literal(Object.keys(mapping))
    })
  }

  #add(model: Model) {
    if (this.#models.has(model.name)) throw new Error(`Two Python models have the name ${model.name}.`)
    this.#models.set(model.name, model)
  }

  /** Returns the type of a schema within others; `name` is for a model of its values. */
  #typeOf(schema: Schema, name: string): string {
    const reference = referencedName(schema)
    if (reference !== undefined) return reference
    if ('const' in schema) return literal([schema.const])
    if (schema.enum) return this.#enumeration(schema.enum, name)
    const union = schema.anyOf ?? schema.oneOf
    if (union) return this.#union(union, name)
    if (schema.type === 'array') return `list[${this.#typeOf(schema.items ?? {}, `${name}Item`)}]`
    if (schema.type === 'object') return this.#object(schema, name)
    return SIMPLE_TYPES[schema.type ?? ''] ?? 'Any'
  }

  #enumeration(values: readonly unknown[], name: string): string {
    if (values.length <= MAX_INLINE_VALUES) return literal(values)
    this.#add({ name, description: undefined, type: literal(values) })
    return name
  }

  #union(members: readonly Schema[], name: string): string {
    const objects = members.filter(isRecord)
    const types = members.map(member =>
      this.#typeOf(member, objects.length > 1 ? name + toPascalCase(labelOf(member)) : name)
    )
    return [...new Set(types)].join(' | ')
  }

  #object(schema: Schema, name: string): string {
    if (isRecord(schema)) {
      this.define(name, schema)
      return name
    }
    const [values] = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})].filter(isSchema)
    return `dict[str, ${values ? this.#typeOf(values, `${name}Value`) : 'Any'}]`
  }
}

/** Returns true for an object with known fields. One that has only optional ones, and may have any others, is a dictionary. */
function isRecord({ properties = {}, required = [], additionalProperties }: Schema): boolean {
  return Object.keys(properties).length > 0 && (required.length > 0 || additionalProperties !== true)
}

/** Separates the components whose properties a schema has from its own properties. */
function splitBases(schema: Schema): { bases: string[]; own: Schema } {
  const parts = schema.allOf ?? [schema]
  const bases = parts.map(referencedName).filter(name => name !== undefined)
  const own = parts.filter(part => referencedName(part) === undefined)
  if (own.length > 1) throw new Error('A Python model has the properties of one schema, and of components.')
  return schema.allOf ? { bases, own: own[0] ?? {} } : { bases: [], own: schema }
}

/** Returns what distinguishes a member of a union: the value of a property that has only one, else the name of its first. */
function labelOf({ properties = {} }: Schema): string {
  const values = Object.values(properties).flatMap(({ enum: all = [] }) => (all.length === 1 ? all : []))
  const [value = Object.keys(properties)[0]] = values.filter(each => typeof each === 'string')
  return String(value)
}

const isSchema = (value: Schema | boolean | undefined): value is Schema => typeof value === 'object'
const textOf = ({ description }: Schema) => description
const literal = (values: readonly unknown[]) => `Literal[${values.map(toPython).join(', ')}]`
const toPython = (value: unknown) => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))

/** session_id → SessionId, awaiting-approval → AwaitingApproval */
const toPascalCase = (words: string) =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
