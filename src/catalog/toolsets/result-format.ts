// Building blocks of result formats.
import type { TSchema } from 'typebox'
import type { Tool } from '../../tool/tool.ts'
import type { CallViewError, CallViewResult, NamedCallView } from '../call-view.ts'
import { toPlainJson } from '../schema.ts'

export type DataFields = Record<string, unknown>

export interface ResultFormat {
  /** Returns the schema of the output of `of`. */
  output(tool: Tool): unknown
  /** @param nameOf Returns the toolset's name for a native one. */
  of(result: CallViewResult, named: NamedCallView, nameOf: (tool: string) => string): unknown
  /** Returns the error of a result that clients of the toolset expect to be one. */
  failureOf?(result: CallViewResult): CallViewError | undefined
}

/** Defines a format with the same schema for every tool. */
export const defineResultFormat = (schema: TSchema, of: ResultFormat['of']): ResultFormat => ({
  output: () => toPlainJson(schema),
  of
})

export const getData = ({ data }: CallViewResult) => data as DataFields

/** Selects and renames fields of the tool's data, each with its schema. */
export const renameFields = (names: Readonly<Record<string, string>>): ResultFormat => ({
  output(tool) {
    const { properties = {}, required = [] } = toPlainJson(tool.output) as {
      properties?: DataFields
      required?: string[]
    }
    const entries = Object.entries(names)
    return {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, own]) => [name, properties[own] ?? {}])),
      required: entries.filter(([, own]) => required.includes(own)).map(([name]) => name)
    }
  },
  of: ({ data }) =>
    Object.fromEntries(
      Object.entries(names)
        .map(([name, own]) => [name, (data as DataFields)[own]])
        .filter(([, value]) => value !== undefined)
    )
})
