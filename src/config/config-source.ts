// One place that settings come from.
import type { Config } from './schema.ts'

/** Any setting may be left out; lists and tables by name come whole. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: DeepPartial<T[K]> }
    : T

export interface ConfigSource {
  /** Unchecked until `validateSource` found nothing. */
  value: DeepPartial<Config>
  /** Where a field stands, as a person would look for it: `file:line:column`, a flag, or a variable. */
  locate(path: readonly (string | number)[]): string
  /** Of files: the path and the hash of what was read. */
  file?: { path: string; sha256: string }
}
