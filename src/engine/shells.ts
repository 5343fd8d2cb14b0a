// Named shells of sessions: the folder and the exported variables that one command leaves to the next. They belong to one token's
// session in one workspace, and persist across restarts.
import { ToolError } from '../errors.ts'
import type { ShellInfo } from '../protocol/shells.ts'
import type { Store } from '../store/store.ts'
import type { NamedShell } from '../tool/named-shell.ts'
import type { ActiveCall } from './active-call.ts'

/** Maximum number of shells of a session. */
const MAX_SHELLS = 16
const KEY_PREFIX = 'shell:'

/** A session of one token in one workspace. */
export interface ShellScope {
  workspace: string
  session_id: string
  /** The call-only token; undefined for those that may approve. */
  owner: string | undefined
}

interface StoredShell extends Omit<NamedShell, 'name'> {
  updated_at: string
}

/** Returns the session key of the store: sessions of different call-only tokens are apart. */
export const sessionKey = (session_id: string, owner: string | undefined): string =>
  owner === undefined ? session_id : `${owner} ${session_id}`

export const shellScope = ({ call, owner }: Pick<ActiveCall, 'call' | 'owner'>): ShellScope => ({
  workspace: call.workspace,
  session_id: call.session_id,
  owner
})

const keyOf = ({ workspace, session_id, owner }: ShellScope): [workspace: string, session: string] => [
  workspace,
  sessionKey(session_id, owner)
]

export class Shells {
  readonly #store: Pick<Store, 'note' | 'notes' | 'write'>

  constructor(store: Pick<Store, 'note' | 'notes' | 'write'>) {
    this.#store = store
  }

  /** Returns the shell, which starts in the workspace's root if it is new. Throws QUOTA_EXCEEDED if there are too many. */
  open(scope: ShellScope, name: string): NamedShell {
    const stored = this.#store.note(...keyOf(scope), KEY_PREFIX + name)
    if (stored !== undefined) {
      const { cwd, env } = JSON.parse(stored) as StoredShell
      return { name, cwd, env }
    }
    if (this.list(scope).length >= MAX_SHELLS)
      throw new ToolError(
        'QUOTA_EXCEEDED',
        `The session has ${MAX_SHELLS} shells, which is the maximum. Reset one of them.`
      )
    return { name, cwd: '.', env: {} }
  }

  /** Stores a shell; resolves when that is durable. */
  save(scope: ShellScope, { name, cwd, env }: NamedShell): Promise<void> {
    const stored: StoredShell = { cwd, env, updated_at: new Date().toISOString() }
    return this.#store.write(() => [['note', ...keyOf(scope), KEY_PREFIX + name, JSON.stringify(stored)]])
  }

  /** Lists the shells of a session by name. */
  list(scope: ShellScope): ShellInfo[] {
    return this.#store.notes(...keyOf(scope), KEY_PREFIX).map(({ key, value }) => {
      const { cwd, env, updated_at } = JSON.parse(value) as StoredShell
      const token = scope.owner === undefined ? {} : { token_id: scope.owner }
      return { name: key.slice(KEY_PREFIX.length), ...token, cwd, variables: Object.keys(env).sort(), updated_at }
    })
  }

  /** Removes a shell; resolves when that is durable. */
  reset(scope: ShellScope, name: string): Promise<void> {
    return this.#store.write(() => [['forgetNote', ...keyOf(scope), KEY_PREFIX + name]])
  }
}
