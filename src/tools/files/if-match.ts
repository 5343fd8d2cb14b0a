import { Type } from 'typebox'

/** A hash as reads give it, or its hex digits alone. */
export const ifMatch = (description: string) => Type.String({ pattern: '^(sha256:)?[0-9a-f]{64}$', description })
