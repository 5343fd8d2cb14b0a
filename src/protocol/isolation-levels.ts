// Names of the isolation levels, from the least to the most isolation.

/** Levels that a call may request. */
const REQUESTABLE_LEVELS = ['none', 'workspace', 'read-only'] as const
export const ISOLATION_LEVELS = [...REQUESTABLE_LEVELS, 'container'] as const

/**
 * `none`: all rights of the user. `workspace`: sees the system's programs and the workspace, and writes only in the workspace.
 * `read-only`: the same, but writes only to its private temporary folder. `container`: the whole server runs in a container, which
 * is the sandbox.
 */
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number]
export type RequestableLevel = (typeof REQUESTABLE_LEVELS)[number]

/** Implementation that confines the programs of a level. */
export type BackendName = 'bubblewrap' | 'landlock' | 'seatbelt'

/** Former name of `read-only`. Requests, configuration and stored rules may still contain it; the server never writes it. */
export const FORMER_READ_ONLY = 'strict'
type FormerReadOnly = typeof FORMER_READ_ONLY

/** Levels that requests, hooks and rules may name. */
export const ACCEPTED_LEVELS = [...REQUESTABLE_LEVELS, FORMER_READ_ONLY] as const
export type AcceptedLevel = IsolationLevel | FormerReadOnly

/** Returns the current name of a level. */
export const currentLevel = <L extends string>(level: L): Exclude<L, FormerReadOnly> | 'read-only' =>
  level === FORMER_READ_ONLY ? 'read-only' : (level as Exclude<L, FormerReadOnly>)
