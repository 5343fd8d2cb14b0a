// Git's own files that may hold credentials: addresses with a password or token, and settings. Tools and the sandbox share this list.
import path from 'node:path'
import { listReadable, lstatSync, readFileSync } from '../byte-path-fs.ts'
import { originalNames } from './backup-names.ts'
import { foldPath, NamePatterns } from './name-patterns.ts'

/**
 * Entries of a Git folder, and of those of its worktrees, in which Git writes addresses or settings: gitrepository-layout(5). Those in
 * `logs` and `FETCH_HEAD` have credentials only where an old Git wrote them.
 */
const ENTRIES = [
  'config',
  'config.worktree',
  'config.lock',
  'credentials',
  'remotes',
  'branches',
  'logs',
  'fetch_head',
  'cookies',
  'git-crypt'
]
const BY_NAME = new NamePatterns(ENTRIES.flatMap(name => [`*.git/${name}`, `*.git/worktrees/*/${name}`]))
const SUBMODULES = '.gitmodules'
/** Names that Git's configurations have wherever they lie, as in a Git folder of another name. */
const CONFIGS = ['config', 'config.worktree', SUBMODULES]

/** Larger files are not written by Git. */
const MAX_BYTES = 1 << 20
/** Maximum numbers of files in a folder with many, and of its levels. */
const MAX_FILES = 1_000
const MAX_DEPTH = 6

/** Checks a path, given as folded names: reading it requires strict approval. Back-ups of these files count as they do. */
export function mayHoldGitCredentials(names: readonly string[]): boolean {
  if (!names.some(name => name.endsWith('.git'))) return false
  const originals = names.map(originalNames)
  const count = Math.max(...originals.map(({ length }) => length))
  return Array.from({ length: count }, (_, i) => originals.map(each => each[Math.min(i, each.length - 1)]!)).some(
    spelled => BY_NAME.covers(spelled)
  )
}

/** Checks a list of submodules, or what may be a configuration, by its content: most hold no credentials, and are to be read. */
export function isConfigWithCredentials(names: readonly string[], file: string): boolean {
  const last = names.at(-1)!
  const isConfig = CONFIGS.some(name => last.includes(name) && originalNames(last).includes(name))
  return isConfig && readGitCredentials(file) !== undefined
}

/** A file with credentials, and its text without them. */
export interface GitCredentialFile {
  path: string
  sanitized: string
}

/** Returns the files with credentials of a Git folder and of its worktrees, and the lists of submodules beside it; absolute. */
export function findGitCredentials(gitFolder: string): GitCredentialFile[] {
  const worktrees = listReadable(path.join(gitFolder, 'worktrees')).map(({ name }) =>
    path.join(gitFolder, 'worktrees', name)
  )
  const own = [gitFolder, ...worktrees].flatMap(folder => filesIn(folder, isCredentialEntry))
  return own.flatMap(toCredentialFile)
}

/** Returns the lists of submodules in a folder that hold credentials, and their back-ups. */
export const findSubmoduleCredentials = (folder: string): GitCredentialFile[] =>
  listReadable(folder)
    .filter(({ name }) => originalNames(foldPath(name)).includes(SUBMODULES))
    .flatMap(({ name }) => toCredentialFile(path.join(folder, name)))

const isCredentialEntry = (name: string) => originalNames(foldPath(name)).some(one => ENTRIES.includes(one))

function toCredentialFile(file: string): GitCredentialFile[] {
  const sanitized = readGitCredentials(file)
  return sanitized === undefined ? [] : [{ path: file, sanitized }]
}

/** Returns the files among the entries of a folder, and in folders among them. */
function filesIn(folder: string, isWanted: (name: string) => boolean, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  return listReadable(folder)
    .filter(({ name }) => isWanted(name))
    .slice(0, MAX_FILES)
    .flatMap(entry => {
      const file = path.join(folder, entry.name)
      return entry.isDirectory() ? filesIn(file, () => true, depth + 1) : [file]
    })
}

/** Returns the text of a file without credentials; undefined if it has none, or is no file that Git writes. */
function readGitCredentials(file: string): string | undefined {
  try {
    const stat = lstatSync(file)
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined
    const text = readFileSync(file, 'latin1')
    const sanitized = withoutGitCredentials(text)
    return sanitized === text ? undefined : sanitized
  } catch {
    return undefined
  }
}

/** User information in an address by which a password or token is sent; that of SSH names an account only. */
const USER_INFO = /\b((?:https?|ftps?):\/\/)[^\s/@"]{1,4096}@/gi
/** Variables whose values are credentials, or programs that print them. A line ending in a backslash goes on. */
const SECRET_VARIABLE =
  /^([ \t]*(?:\[[^\]\n]*\][ \t]*)?)((?:extraheader|pass|passwd|password|smtppass|token|oauthtoken|helper|sshcommand|cookiefile)[ \t]*=)(?:[^\n\\]|\\(?:\r?\n|.))*/gim

/** Removes credentials from a configuration or log of Git; `latin1` keeps all other bytes. */
export const withoutGitCredentials = (text: string): string =>
  text.replace(USER_INFO, '$1').replace(SECRET_VARIABLE, '$1# $2 (omitted)')
