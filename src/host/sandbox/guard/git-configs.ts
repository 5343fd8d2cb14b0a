// Finds Git's own files with credentials. A sandboxed program without network sees them without: it needs the rest, as git does, and a
// copy in another encoding would pass every mask.
import path from 'node:path'
import { existsSync, listReadable } from '../../files/byte-path-fs.ts'
import {
  findGitCredentials,
  findSubmoduleCredentials,
  type GitCredentialFile
} from '../../files/policy/git-credentials.ts'
import { statIfReachable } from '../../files/policy/server-entries.ts'
import { isGitDir, resolveCommonDir } from './git-dir.ts'
import { inodeIdentity } from './guarded-tree.ts'

/** A file of Git with credentials. `path` is absolute. */
export interface GitConfig extends GitCredentialFile {
  identity: string
}

/** Maximum depth of names of submodules in `modules`. */
const MAX_DEPTH = 6

/** `gitFolders`: absolute paths of repositories' git folders; `worktrees`: of folders that may have lists of submodules. */
export function findConfigsWithCredentials(
  gitFolders: readonly string[],
  worktrees: readonly string[] = []
): GitConfig[] {
  const folders = gitFolders.flatMap(folder => [folder, ...findModules(path.join(folder, 'modules'))])
  const found = [...folders.flatMap(findGitCredentials), ...worktrees.flatMap(findSubmoduleCredentials)]
  return found.flatMap(file => {
    const stat = statIfReachable(file.path)
    return stat ? [{ ...file, identity: inodeIdentity(stat) }] : []
  })
}

/** Returns the configuration files of these git folders, and of those of their submodules and worktrees; some may not exist. */
export const findConfigFiles = (gitFolders: readonly string[]): string[] =>
  findAllFolders(gitFolders).flatMap(folder => ['config', 'config.worktree'].map(name => path.join(folder, name)))

/** Returns the folders of these repositories, and of their submodules, in which git looks for `attributes`; some may not exist. */
export const findInfoFolders = (gitFolders: readonly string[]): string[] =>
  [...new Set(findAllFolders(gitFolders).map(resolveCommonDir))]
    .filter(isGitDir)
    .map(folder => path.join(folder, 'info'))

/** Returns git folders with those of their submodules, and the ones that worktrees share. */
function findAllFolders(gitFolders: readonly string[]): string[] {
  const folders = gitFolders.flatMap(folder => [folder, ...findModules(path.join(folder, 'modules'))])
  return [...new Set([...folders, ...folders.map(resolveCommonDir)])]
}

/** Returns the git folders of submodules: their names may contain slashes. */
function findModules(folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  return listReadable(folder).flatMap(entry => {
    if (!entry.isDirectory()) return []
    const child = path.join(folder, entry.name)
    if (!existsSync(path.join(child, 'HEAD'))) return findModules(child, depth + 1)
    return [child, ...findModules(path.join(child, 'modules'), depth + 1)]
  })
}
