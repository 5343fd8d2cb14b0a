// What the levels of isolation are called, from the least to the most.

/** Those that a call may ask for. */
export const REQUESTABLE_LEVELS = ['none', 'workspace', 'strict'] as const
export const ISOLATION_LEVELS = [...REQUESTABLE_LEVELS, 'container'] as const

/** `none`: with all rights of the user. `workspace`: sees the system's programs and the workspace, writes only there.
 * `strict`: the same, writes nothing but its own temporary folder. `container`: the whole server stands in a container that
 * is the sandbox. */
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number]
export type RequestableLevel = (typeof REQUESTABLE_LEVELS)[number]
