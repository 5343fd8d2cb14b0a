// The operations of openapi.yaml, and checks of answers against what it says of them.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { DOCUMENT, type Operation, type Route } from '../../support/openapi.ts'

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

/** Returns the response that an operation documents for a status. */
export const documentedResponse = ({ responses }: Operation, status: number) => responses[status] ?? responses.default

/** Returns the pointer to the schema of an answer. */
export function responsePointer({ method, path }: Route, status: number, type: string): string {
  const responses = `/paths/${escapePointer(path)}/${method.toLowerCase()}/responses/`
  const { [status]: own, default: common } = (
    DOCUMENT.paths[path]![method.toLowerCase()] as { responses: Record<string, { $ref?: string }> }
  ).responses
  const response = (own ?? common)?.$ref?.slice(1) ?? responses + (own ? status : 'default')
  return `${response}/content/${escapePointer(type)}/schema`
}
