/** Encodes fields for a program that reads them from a file: each is ended by NUL. */
export const encodeFields = (fields: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(fields.flatMap(field => [Buffer.from(field), Buffer.of(0)]))
