// A source of settings.
import type { Config } from './schema.ts'

/** Any setting may be omitted; lists and tables by name are complete. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: DeepPartial<T[K]> }
    : T

export interface ConfigSource {
  /** Unvalidated until `validateSource` has found no errors. */
  value: DeepPartial<Config>
  /** Returns the location of a field for a person: `file:line:column`, a flag, or a variable. */
  locate(path: readonly (string | number)[]): string
  /** For files: the path and the hash of the content read. */
  file?: { path: string; sha256: string }
}
