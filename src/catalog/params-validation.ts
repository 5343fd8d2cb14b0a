// Validates params against the input schema of a built-in tool.
import { Ajv, type ValidateFunction } from 'ajv'
import { describeSchemaError } from '../text/schema-errors.ts'
import type { Tool } from '../tool/tool.ts'
import { inputSchema } from './schema.ts'

export interface ParamsIssue {
  /** JSON pointer into the params. */
  pointer: string
  message: string
}

const NONE: readonly ParamsIssue[] = []

/** Compiled on first use. Built-in tools are constants, so all catalogs of the process share them; other tools have `validate`. */
const validators = new WeakMap<Tool, ValidateFunction>()
let ajv: Ajv | undefined

/** Returns an issue for each error, or none if the params are valid. */
export function findParamsIssues(tool: Tool, params: unknown): readonly ParamsIssue[] {
  const check = validators.get(tool) ?? compile(tool)
  return check(params) ? NONE : check.errors!.map(describeSchemaError)
}

function compile(tool: Tool): ValidateFunction {
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
  const check = ajv.compile(inputSchema(tool))
  validators.set(tool, check)
  return check
}
