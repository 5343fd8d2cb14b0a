// What a form of an answer's value is made of.
import type { TSchema } from 'typebox'
import type { Tool } from '../../tool/tool.ts'
import type { Named, ToldResult } from '../call-view.ts'
import { plain } from '../schema.ts'

export type Fields = Record<string, unknown>

export interface Value {
  /** The schema of what `of` gives. */
  output(tool: Tool): unknown
  of(result: ToldResult, named: Named): unknown
}

/** A form whose schema is the same for every tool. */
export const formOf = (schema: TSchema, of: Value['of']): Value => ({ output: () => plain(schema), of })

export const dataOf = ({ data }: ToldResult) => data as Fields

/** Some fields of the tool's own data by other names, each with the schema that the tool has for it. */
export const renamed = (names: Readonly<Record<string, string>>): Value => ({
  output(tool) {
    const { properties = {}, required = [] } = plain(tool.output) as { properties?: Fields; required?: string[] }
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
        .map(([name, own]) => [name, (data as Fields)[own]])
        .filter(([, value]) => value !== undefined)
    )
})
