// What gets another name with the folder that it is in. Some names mean something only together with those above, as in
// `.docker/config.json`: moving or copying the folder must not take that meaning away, nor give it, unasked.
import { foldersAbove } from '../../text/ancestors.ts'

import type { Workspace } from '../host.ts'
import type { Entry } from './file-snapshot.ts'
import { fold } from './policy/name-patterns.ts'
import { type Guard, judge, judgesBeneath, type Resolved } from './policy/path-policy.ts'
import { DEPENDENCY_FOLDERS } from './policy/sensitive-names.ts'
import { Slices } from './time-slicing.ts'

/** A folder with its present path and the one it will have. `leaves`: nothing stays at the present one. */
export interface Renaming {
  from: Resolved
  to: Resolved
  leaves: boolean
}

/** Something that means another thing to security under its new name, and what the renaming does to it by that. */
export interface Renamed extends Resolved {
  access: 'read' | 'write'
}

interface Tree {
  workspace: Workspace
  guard: Guard
  entries(folder: string): Entry[]
  /** Whether git would obey what is put at a path. */
  isForRepository(path: string, isFolder: boolean): boolean
}

/** What must be judged with a renaming besides the folder. */
export async function renamedBeneath({ from, to, leaves }: Renaming, tree: Tree): Promise<Renamed[]> {
  if (from.kind !== 'directory') return []
  const { workspace, guard } = tree
  // In a folder that is there already, a program may obey what comes to it under the name it has.
  const merges = to.kind === 'directory'
  // Among dependencies things are left alone that count elsewhere: out there they are as good as new.
  const emerges = isAmongDependencies(from.path) && !isAmongDependencies(to.path)
  const isNew = merges || emerges
  const found = new Map<string, Renamed>()
  const add = (access: Renamed['access'], is: Resolved) => found.set(`${access} ${is.path}`, { ...is, access })
  const slices = new Slices()
  const folders = ['']
  for (const folder of folders) {
    const below = [under(from.path, folder), under(to.path, folder)]
    if (!isNew && !below.some(path => judgesBeneath(guard, path))) continue
    for (const { name, type, closed } of tree.entries(below[0]!)) {
      const inner = folder === '' ? name : `${folder}/${name}`
      const [old, now] = [from, to].map(({ path }) =>
        judge(workspace, guard, { path: under(path, inner), stat: undefined })
      ) as [Resolved, Resolved]
      if (old.sensitive && !now.sensitive) add('read', old)
      if (leaves && old.protected && !now.protected) add('write', old)
      if (leaves && old.self_starting && !now.self_starting) add('write', old)
      if (now.protected && (emerges || !old.protected)) add('write', now)
      if (now.self_starting && (isNew || !old.self_starting)) add('write', now)
      else if (isNew && tree.isForRepository(now.path, type === 'directory'))
        add('write', { ...now, self_starting: true })
      if (type === 'directory' && !closed) folders.push(inner)
    }
    await slices.rest()
  }
  return [...found.values()].filter(
    one => !foldersAbove(one.path).some(path => isSame(one, found.get(`${one.access} ${path}`)))
  )
}

const isSame = (one: Renamed, above: Renamed | undefined) =>
  above?.protected === one.protected && above?.sensitive === one.sensitive && above.self_starting === one.self_starting

const isAmongDependencies = (path: string) =>
  fold(path)
    .split('/')
    .some(name => DEPENDENCY_FOLDERS.has(name))

const under = (folder: string, inner: string) => (inner === '' ? folder : folder === '.' ? inner : `${folder}/${inner}`)
