// Primary param of a tool: the one with the subject of a call, which a rule's pattern matches by default.
import type { Tool } from './tool.ts'

interface ObjectSchema {
  required?: readonly string[]
  properties?: object
}

/** Returns the name of the param; undefined for a tool without params. */
export function primaryParam({ traits, input }: Pick<Tool, 'traits' | 'input'>): string | undefined {
  const { required = [], properties = {} } = input as ObjectSchema
  return traits?.primary ?? required[0] ?? Object.keys(properties)[0]
}
