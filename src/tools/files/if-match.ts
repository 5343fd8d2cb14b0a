import { Type } from 'typebox'

/** Precondition: a hash as returned by reads, or only its hex digits. */
export const ifMatch = (description: string) => Type.String({ pattern: '^(sha256:)?[0-9a-f]{64}$', description })
