// References to schemas that the API document defines once.
import { Type } from 'typebox'

/** Returns a reference to a shared schema by its name; `T` is its type. */
export const schemaRef = <T = unknown>(name: string) => Type.Unsafe<T>({ $ref: `${name}#` })
