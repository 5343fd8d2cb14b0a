// The operations of openapi.yaml, and checks of answers against what it says of them.
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read as they come
export type Schema = any

interface Response {
  description: string
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  parameters?: { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}

export interface Route {
  method: string
  path: string
  operation: Operation
}

interface Document {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

export const DOCUMENT = parse(readFileSync('openapi.yaml', 'utf8')) as Document

export const ROUTES: readonly Route[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
)

const ajv = formats.default(new Ajv2020({ strict: false, validateSchema: false, logger: false }))
ajv.addSchema(DOCUMENT, 'api')
const compiled = new Map<string, ValidateFunction>()

/** Returns how a value breaks the schema at a JSON pointer of the document; undefined if it does not. */
export function findSchemaError(pointer: string, value: unknown): string | undefined {
  let validate = compiled.get(pointer)
  if (!validate) {
    validate = ajv.compile({ $ref: `api#${pointer}` })
    compiled.set(pointer, validate)
  }
  if (validate(value)) return undefined
  const [first] = validate.errors!
  return `${first!.instancePath} ${first!.message} ${JSON.stringify(first!.params)}`
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the pointer to the schema of an answer. */
export const responsePointer = ({ method, path }: Route, status: number, type: string) =>
  `/paths/${escapePointer(path)}/${method.toLowerCase()}/responses/${status}/content/${escapePointer(type)}/schema`
