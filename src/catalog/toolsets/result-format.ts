// What a form of an answer's value is made of.
import type { TSchema } from 'typebox'
import type { Tool } from '../../tool/tool.ts'
import type { CallViewResult, NamedCallView } from '../call-view.ts'
import { toPlainJson } from '../schema.ts'

export type DataFields = Record<string, unknown>

export interface ResultFormat {
  /** The schema of what `of` gives. */
  output(tool: Tool): unknown
  of(result: CallViewResult, named: NamedCallView): unknown
}

/** A form whose schema is the same for every tool. */
export const defineResultFormat = (schema: TSchema, of: ResultFormat['of']): ResultFormat => ({
  output: () => toPlainJson(schema),
  of
})

export const getData = ({ data }: CallViewResult) => data as DataFields

/** Some fields of the tool's own data by other names, each with the schema that the tool has for it. */
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
