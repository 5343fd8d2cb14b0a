// Finds git configurations with credentials. A sandboxed program without network sees them without: it needs the rest, as git does,
// and a copy in another encoding would pass every mask.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { inodeIdentity } from './guarded-tree.ts'

/** A configuration file with credentials. */
export interface GitConfig {
  /** Absolute. */
  path: string
  identity: string
  /** Its text without them. */
  sanitized: string
}

/** A larger file is no configuration. */
const MAX_BYTES = 1 << 20
/** Maximum depth of names of submodules in `modules`. */
const MAX_DEPTH = 6
const CONFIG_NAMES = ['config', 'config.worktree']

/** `gitFolders`: absolute paths of repositories' git folders. */
export function findConfigsWithCredentials(gitFolders: readonly string[]): GitConfig[] {
  const folders = gitFolders.flatMap(folder => [folder, ...findModules(path.join(folder, 'modules'))])
  return folders.flatMap(folder => CONFIG_NAMES.flatMap(name => readConfig(path.join(folder, name))))
}

/** Returns the git folders of submodules: their names may contain slashes. */
function findModules(folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  return subfolders(folder).flatMap(child => {
    if (!existsSync(path.join(child, 'HEAD'))) return findModules(child, depth + 1)
    return [child, ...findModules(path.join(child, 'modules'), depth + 1)]
  })
}

function readConfig(file: string): GitConfig[] {
  try {
    const stat = lstatSync(file, { bigint: true })
    if (!stat.isFile() || stat.size > MAX_BYTES) return []
    const text = readFileSync(file, 'latin1')
    const sanitized = withoutCredentials(text)
    return sanitized === text ? [] : [{ path: file, identity: inodeIdentity(stat), sanitized }]
  } catch {
    return []
  }
}

/** User information in an address by which a password or token is sent; that of SSH names an account only. */
const USER_INFO = /\b((?:https?|ftps?):\/\/)[^\s/@"]{1,4096}@/gi
/** Variables whose values are credentials, or programs that print them. A line ending in a backslash goes on. */
const SECRET_VARIABLE =
  /^([ \t]*(?:\[[^\]\n]*\][ \t]*)?)((?:extraheader|pass|passwd|password|smtppass|token|oauthtoken|helper|sshcommand|cookiefile)[ \t]*=)(?:[^\n\\]|\\(?:\r?\n|.))*/gim

/** Removes credentials from a configuration; `latin1` keeps all other bytes. */
export const withoutCredentials = (text: string): string =>
  text.replace(USER_INFO, '$1').replace(SECRET_VARIABLE, '$1# $2 (left out)')

/** Returns the folders in a folder; links are not followed. */
function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => path.join(folder, name))
  } catch {
    return []
  }
}
