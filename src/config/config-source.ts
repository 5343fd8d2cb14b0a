// One place that settings come from.
import type { Config } from './schema.ts'

/** Any setting may be left out; lists and tables by name come whole. */
type Partially<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: Partially<T[K]> }
    : T

export interface Source {
  /** Unchecked until `faultsIn` found nothing. */
  value: Partially<Config>
  /** Where a field stands, as a person would look for it: `file:line:column`, a flag, or a variable. */
  at(path: readonly (string | number)[]): string
  /** Of files: the path and the hash of what was read. */
  file?: { path: string; sha256: string }
}
