// Which param of a tool says what a call of it is about: what a rule's pattern is held against, where it names no other.
import type { Tool } from './tool.ts'

interface ObjectSchema {
  required?: readonly string[]
  properties?: object
}

/** Undefined for a tool that takes no params. */
export function primaryParam({ primary, input }: Pick<Tool, 'primary' | 'input'>): string | undefined {
  const { required = [], properties = {} } = input as ObjectSchema
  return primary ?? required[0] ?? Object.keys(properties)[0]
}
