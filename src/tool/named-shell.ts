// A shell that a session names: the state that one command leaves to the next.

/** Syntax of names, as a regular expression. */
export const SHELL_NAME_PATTERN = '^[a-z0-9_-]{1,32}$'

export interface NamedShell {
  name: string
  /** Canonical path of its folder, relative to the workspace's root. */
  cwd: string
  /** Variables that its commands exported. */
  env: Readonly<Record<string, string>>
}
