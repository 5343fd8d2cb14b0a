// Groups of waiting calls that are reviewed together and decided at once. Every front end forms them by this.

/** A call as far as its group depends on it. */
export interface GroupableCall {
  tool_call_id: string
  session_id: string
  workspace: string
  server_name?: string
  params: unknown
  approval: {
    level: 'ask' | 'strict'
    group?: string
    /** Set if several persons must approve the call. */
    approvals_needed?: number
    matched_rules: readonly { effect: string }[]
    files?: readonly { path: string; to?: string }[]
    preview: { diff?: string; cut?: true }
  }
}

export interface ApprovalGroup<C extends GroupableCall> {
  key: string
  /** Two or more, in order of arrival. */
  calls: readonly C[]
}

/** Maximum number of calls in a group: a person has to review all of them. */
export const MAX_GROUP_CALLS = 20

/**
 * Groups the waiting calls that have the same `approval.group`. A call about a file of an earlier call of the group is left out: once
 * the earlier one has run, its preview is no longer what was shown, so that it must be reviewed again.
 */
export const groupApprovals = <C extends GroupableCall>(waiting: readonly C[]): ApprovalGroup<C>[] =>
  collectGroups(waiting).filter(({ calls }) => calls.length > 1)

/** Returns the calls of the group with this key, also if there is only one left. */
export const findGroupCalls = <C extends GroupableCall>(waiting: readonly C[], key: string): readonly C[] =>
  collectGroups(waiting).find(group => group.key === key)?.calls ?? []

function collectGroups<C extends GroupableCall>(waiting: readonly C[]): ApprovalGroup<C>[] {
  const groups = new Map<string, { key: string; calls: C[]; paths: PathSet }>()
  for (const call of waiting) {
    const { level, group: key, approvals_needed, preview } = call.approval
    if (key === undefined || level !== 'ask' || approvals_needed !== undefined || preview.cut) continue
    const id = JSON.stringify([key, call.server_name, call.workspace, call.session_id])
    const group = groups.get(id) ?? { key, calls: [], paths: new PathSet() }
    groups.set(id, group)
    const paths = listGroupedPaths(call)
    if (group.calls.length === MAX_GROUP_CALLS || paths.some(path => group.paths.overlaps(path))) continue
    group.calls.push(call)
    for (const path of paths) group.paths.add(path)
  }
  return Array.from(groups.values(), ({ key, calls }) => ({ key, calls }))
}

/** Describes the calls of a group: `4 edits in 5 files`, `3 commands`. */
export function describeGroup(calls: readonly GroupableCall[]): string {
  const count = calls.length
  if (calls.every(({ approval }) => approval.preview.diff !== undefined)) {
    const files = new Set(calls.flatMap(listGroupedPaths)).size
    return `${count} ${count === 1 ? 'edit' : 'edits'} in ${files} ${files === 1 ? 'file' : 'files'}`
  }
  const areCommands = calls.every(({ approval }) => approval.matched_rules[0]?.effect === 'execute')
  const noun = areCommands ? 'command' : 'call'
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}

const PATH_PARAMS = ['path', 'from', 'to'] as const

/** Lists the files of a call: those of its diff, or else those that its params name. */
function listGroupedPaths({ approval: { files = [] }, params }: GroupableCall): string[] {
  if (files.length > 0) return files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
  const named = (params ?? {}) as Record<string, unknown>
  return PATH_PARAMS.flatMap(name => {
    const path = named[name]
    return typeof path === 'string' ? [path.replace(/^(?:\.\/)+/, '')] : []
  })
}

/** Paths, and the folders that contain them. */
class PathSet {
  readonly #paths = new Set<string>()
  readonly #folders = new Set<string>()

  add(path: string) {
    this.#paths.add(path)
    for (const folder of listFolders(path)) this.#folders.add(folder)
  }

  /** Returns true if the set contains the path, a folder around it, or something in it. */
  overlaps(path: string): boolean {
    return this.#paths.has(path) || this.#folders.has(path) || listFolders(path).some(each => this.#paths.has(each))
  }
}

const listFolders = (path: string): string[] => {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}
