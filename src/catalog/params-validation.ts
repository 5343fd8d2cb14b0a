// Validates params against the input schema of a built-in tool.
import { Ajv, type ValidateFunction } from 'ajv'
import { memoizeByObject } from '../text/memoize-by-object.ts'
import { describeSchemaError } from '../text/schema-errors.ts'
import type { Tool } from '../tool/tool.ts'
import { inputSchema } from './schema.ts'

export interface ParamsIssue {
  /** JSON pointer into the params. */
  pointer: string
  message: string
}

const NONE: readonly ParamsIssue[] = []

let ajv: Ajv | undefined

/** Returns an issue for each error, or none if the params are valid. */
export function findParamsIssues(tool: Tool, params: unknown): readonly ParamsIssue[] {
  const check = compile(tool)
  return check(params) ? NONE : check.errors!.map(describeSchemaError)
}

/** Compiled on first use. Built-in tools are constants, so all catalogs of the process share them; other tools have `validate`. */
const compile = memoizeByObject((tool: Tool): ValidateFunction => {
  ajv ??= new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    meta: false,
    validateSchema: false
  })
  return ajv.compile(inputSchema(tool))
})
