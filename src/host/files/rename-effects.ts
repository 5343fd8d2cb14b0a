// Finds entries whose security classification changes when their folder is renamed. Some names are significant only together with
// their parents, as in `.docker/config.json`: moving or copying the folder must not change that without approval.
import nodePath from 'node:path'
import { listAncestors } from '../../text/ancestors.ts'
import type { Workspace } from '../workspace.ts'
import type { DirectoryEntry } from './file-snapshot.ts'
import { findNamedInFolder } from './policy/git-programs.ts'
import { isGitRepositoryFile } from './policy/git-repository-files.ts'
import { foldPath } from './policy/name-patterns.ts'
import { classifyPath, mayClassifyDescendants, type PathClassification, type PathGuard } from './policy/path-policy.ts'
import { DEPENDENCY_FOLDERS } from './policy/sensitive-names.ts'
import { TimeSlicer } from './time-slicing.ts'

/** A folder with its current path and its new one. `removesSource`: nothing remains at the current one. */
export interface FolderRename {
  from: PathClassification
  to: PathClassification
  removesSource: boolean
}

/** An entry whose security classification changes under its new name, and how the rename affects it. */
export interface RenameEffect extends PathClassification {
  access: 'read' | 'write'
}

interface FolderReader {
  workspace: Workspace
  guard: PathGuard
  entries(folder: string): DirectoryEntry[]
  /** Classifies an entry itself, without following a link. */
  peekEntry(path: string): PathClassification
}

/** Finds the entries that must be classified with a rename besides the folder. */
export async function findRenameEffects(renaming: FolderRename, tree: FolderReader): Promise<RenameEffect[]> {
  if (renaming.from.kind !== 'directory') return []
  return [...(await findReclassified(renaming, tree)), ...findArrivingPrograms(renaming, tree)]
}

/** Returns the entries whose names mean something else under the new name of the folder. */
async function findReclassified(
  { from, to, removesSource }: FolderRename,
  tree: FolderReader
): Promise<RenameEffect[]> {
  const { workspace, guard } = tree
  // In an existing folder, a program may interpret incoming files by their current names.
  const merges = to.kind === 'directory'
  // Names are ignored inside dependency folders but count elsewhere: entries that leave one are as good as new.
  const emerges = isAmongDependencies(from.path) && !isAmongDependencies(to.path)
  const isNew = merges || emerges
  const found = new Map<string, RenameEffect>()
  const add = (access: RenameEffect['access'], is: PathClassification) =>
    found.set(`${access} ${is.path}`, { ...is, access })
  const slices = new TimeSlicer()
  const folders = ['']
  for (const folder of folders) {
    const below = [under(from.path, folder), under(to.path, folder)]
    if (!isNew && !below.some(path => mayClassifyDescendants(guard, path))) continue
    for (const { name, type, closed } of tree.entries(below[0]!)) {
      const inner = folder === '' ? name : `${folder}/${name}`
      const [old, now] = [from, to].map(({ path }) =>
        classifyPath(workspace, guard, { path: under(path, inner), stat: undefined })
      ) as [PathClassification, PathClassification]
      if (old.sensitive && !now.sensitive) add('read', old)
      if (removesSource && old.protected && !now.protected) add('write', old)
      if (removesSource && old.self_starting && !now.self_starting) add('write', old)
      if (now.protected && (emerges || !old.protected)) add('write', now)
      if (now.self_starting && (isNew || !old.self_starting)) add('write', now)
      else if (isNew && isGitRepositoryFile(workspace, now.path, type === 'directory'))
        add('write', { ...now, self_starting: true })
      if (type === 'directory' && !closed) folders.push(inner)
    }
    await slices.yieldIfDue()
  }
  // The folder itself is classified with the call.
  const known = new Map([...found, [`write ${from.path}`, from], [`write ${to.path}`, to]])
  return [...found.values()].filter(
    one => !listAncestors(one.path).some(path => hasSameMeaning(one, known.get(`${one.access} ${path}`)))
  )
}

/** Returns the entries of a folder that get a name for which git runs or reads them. */
function findArrivingPrograms({ from, to }: FolderRename, { workspace, guard, peekEntry }: FolderReader) {
  const target = nodePath.join(workspace.root, to.path)
  return findNamedInFolder(target, guard.gitUser).flatMap((file): RenameEffect[] => {
    const inner = nodePath.relative(target, file)
    const arrives = inner !== '' && peekEntry(`${from.path}/${inner}`).kind !== 'missing'
    return arrives ? [{ ...peekEntry(`${to.path}/${inner}`), self_starting: true, access: 'write' }] : []
  })
}

const hasSameMeaning = (one: RenameEffect, above: PathClassification | undefined) =>
  above?.protected === one.protected && above?.sensitive === one.sensitive && above.self_starting === one.self_starting

const isAmongDependencies = (path: string) =>
  foldPath(path)
    .split('/')
    .some(name => DEPENDENCY_FOLDERS.has(name))

const under = (folder: string, inner: string) => (inner === '' ? folder : folder === '.' ? inner : `${folder}/${inner}`)
