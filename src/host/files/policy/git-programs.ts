// Finds the paths that git's configuration names as hooks, programs or further configuration: git executes or interprets files there
// without being asked, so writing one is code execution.

import type { BigIntStats } from 'node:fs'
import path from 'node:path'
import { isInFolder } from '../../../text/ancestors.ts'
import { listReadable, readFileSync, realpathSync, statSync } from '../byte-path-fs.ts'
import { isRacyStat, statFingerprint } from '../fingerprint.ts'
import { type ConfigSetting, parseConfigText } from './git-config-text.ts'
import { readGitPointer } from './git-pointer.ts'
import { foldPath } from './name-patterns.ts'

/** Folders of the user's own configuration of git. */
export interface GitUserFolders {
  home: string
  /** Folder of the file `config`, usually `~/.config/git`. */
  folder: string
  /** Configuration files of the system and the user. */
  files: readonly string[]
  /** Variables of the environment that name these files. */
  variables: Readonly<Record<string, string>>
}

/** A repository's configuration files, and the folder that relative paths start from. */
interface RepositoryConfig {
  top: string
  gitDir: string
  files: string[]
}

/** Folders from which names in a configuration are resolved. */
interface NameBase {
  /** Folder of the working tree. */
  top: string
  /** Without it, names that begin with `~/` are left out. */
  home: string | undefined
}

interface RelevantSettings {
  fingerprint: string
  programs: readonly ConfigSetting[]
  included: readonly string[]
  /** `core.worktree`. */
  worktree?: string | undefined
  /** It is there, but is not read. */
  isUnread?: true
}

/** Settings by which git runs programs, in a configuration and the files that it includes, whatever the condition. */
interface ProgramSettings {
  /** `file` is absolute. */
  programs: readonly { key: string; file: string }[]
  /** A configuration file whose settings cannot be determined, or whose names cannot be passed on. */
  unread?: string
}

/** Larger files are no configuration. */
const MAX_CONFIG_BYTES = 1 << 20
/** Maximum depth of names of submodules in `modules`. */
const MAX_MODULE_DEPTH = 6
/** Maximum number of files read for one configuration. */
const MAX_INCLUDED = 100
const MAX_CACHED = 1_024

const INCLUDE = /^include(?:if\..*)?\.path$/s
/** Folders whose files git executes, and a file with attributes, by which it chooses programs. */
const PATHS = /^(?:core\.hookspath|core\.attributesfile|init\.templatedir)$/
/** Command lines. Source: https://git-scm.com/docs/git-config#_variables, and the manuals of the programs named there. */
const COMMANDS = new RegExp(
  `^(?:${[
    'core\\.(?:fsmonitor|sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)',
    'sequence\\.editor',
    'pager\\..*',
    'alias\\..*',
    'interactive\\.difffilter',
    'diff\\.external',
    'diff\\..*\\.(?:command|textconv)',
    'filter\\..*\\.(?:clean|smudge|process)',
    'merge\\..*\\.driver',
    '(?:diff|merge)tool\\..*\\.(?:cmd|path)',
    'guitool\\..*\\.cmd',
    '(?:browser|man)\\..*\\.(?:cmd|path)',
    'gpg\\.(?:.*\\.)?program',
    'gpg\\.ssh\\.defaultkeycommand',
    'credential\\.(?:.*\\.)?helper',
    'hook\\..*\\.command',
    'trailer\\..*\\.(?:cmd|command)',
    'submodule\\..*\\.update',
    'remote\\..*\\.(?:url|pushurl|uploadpack|receivepack)',
    'uploadpack\\.packobjectshook',
    'tar\\..*\\.command',
    'sendemail\\.(?:.*\\.)?(?:\\w*cmd|smtpserver)',
    'imap\\.tunnel',
    'instaweb\\.httpd',
    'lfs\\.customtransfer\\..*\\.(?:path|args)',
    'lfs\\.extension\\..*\\.(?:clean|smudge)'
  ].join('|')})$`,
  's'
)
/** Separates the words of a command line, whatever their quotes mean. */
const SEPARATORS = /[\s"'`;|&()<>${}=!,]+/
/** A word that may name a file that is not found by PATH. */
const FILE_WORD = /^[^-].*[/.]|^\.?\.?\//

const cache = new Map<string, RelevantSettings>()

/** Checks if git's configuration names a path or a folder of it. `file` is absolute and canonical. */
export const isNamedByGitConfig = (file: string, user: GitUserFolders | undefined): boolean =>
  findNamedPaths(file, user).some(named => isInFolder(foldPath(file), foldPath(named)))

/** Returns the absolute paths in a folder that git's configuration names. `folder` is absolute and canonical. */
export const findNamedInFolder = (folder: string, user: GitUserFolders | undefined): string[] =>
  findNamedPaths(folder, user).filter(named => isInFolder(foldPath(named), foldPath(folder)))

/** Returns the paths named by the user's configuration and that of each repository that contains a file. */
function findNamedPaths(file: string, user: GitUserFolders | undefined): string[] {
  const own = user?.files ?? []
  const around = findRepositoryConfigs(path.dirname(file))
  const others = around.flatMap(({ gitDir }) => [...findWorktreeConfigs(gitDir), ...findModuleConfigs(gitDir)])
  return [...around.map(({ top, files }) => ({ top, files: [...files, ...own] })), ...others].flatMap(
    ({ top, files }) =>
      files
        .flatMap(config => readNamedPaths(config, { top, home: user?.home }))
        .map(resolveExistingPart)
        // A path that contains the working tree names none of its files.
        .filter(named => !isInFolder(foldPath(top), foldPath(named)))
  )
}

/** Returns the absolute paths that a configuration file names, and those of the files that it includes, each read once. */
export function readNamedPaths(config: string, { top, home }: NameBase): string[] {
  const resolve = (folder: string, name: string) => {
    if (!name.startsWith('~')) return [path.resolve(folder, name)]
    return home === undefined ? [] : [name.replace(/^~(?=\/)/, home)]
  }
  const files = new Set([config])
  const named: string[] = []
  // Grows while it is read.
  for (const file of files) {
    const { programs, included } = readRelevantSettings(file)
    const names = programs.flatMap(([key, value]) => (PATHS.test(key) ? [value] : commandWords(key, value)))
    named.push(...names.flatMap(name => resolve(top, name)))
    for (const each of included.flatMap(name => resolve(path.dirname(file), name))) {
      named.push(each)
      if (files.size < MAX_INCLUDED) files.add(each)
    }
  }
  return named
}

/** Returns the settings by which git runs programs, as defined by some configuration files; those that do not exist define none. */
export function readProgramSettings(configs: readonly string[], home: string): ProgramSettings {
  const files = new Set(configs)
  const programs: { key: string; file: string }[] = []
  // Grows while it is read.
  for (const file of files) {
    const { programs: found, included, isUnread } = readRelevantSettings(file)
    programs.push(...found.map(([key]) => ({ key, file })))
    const isOpaque =
      isUnread || found.some(([key]) => NOT_UTF8.test(key)) || included.some(name => INTERPOLATED.test(name))
    if (isOpaque || files.size > MAX_INCLUDED * configs.length) return { programs, unread: file }
    for (const name of included) files.add(path.resolve(path.dirname(file), name.replace(/^~(?=\/)/, home)))
  }
  return { programs }
}

/** Stands for bytes that are no UTF-8: the key cannot be named. */
const NOT_UTF8 = /\ufffd/
/** Git replaces the beginning of such a path by the home of another user, or by the folder of its programs. */
const INTERPOLATED = /^(?:~[^/]|%\()/

/** Returns the configuration files of the repositories that contain a folder, up to `root`; all paths are absolute. */
export const findRepositoryConfigFiles = (folder: string, root: string): string[] =>
  findRepositoryConfigs(folder).flatMap(({ top, files }) => (isInFolder(top, root) ? files : []))

function commandWords(key: string, value: string): string[] {
  // Other values of these settings are no command lines.
  if (key.startsWith('remote.') && /url$/.test(key) && !value.startsWith('ext::')) return []
  if ((key.startsWith('alias.') || key.startsWith('submodule.')) && !value.startsWith('!')) return []
  return value.split(SEPARATORS).filter(word => FILE_WORD.test(word))
}

function readRelevantSettings(file: string): RelevantSettings {
  const stat = statIfReadable(file)
  if (!stat) return NO_SETTINGS
  if (!stat.isFile() || stat.size > MAX_CONFIG_BYTES) return { ...NO_SETTINGS, isUnread: true }
  const fingerprint = statFingerprint(stat)
  const known = cache.get(file)
  if (known?.fingerprint === fingerprint) return known
  const settings = parseConfigText(readFileSync(file, 'utf8'))
  const found = {
    fingerprint,
    programs: settings.filter(([key]) => PATHS.test(key) || COMMANDS.test(key)),
    included: settings.filter(([key]) => INCLUDE.test(key)).map(([, value]) => value),
    worktree: settings.findLast(([key]) => key === 'core.worktree')?.[1]
  }
  if (cache.size >= MAX_CACHED) cache.clear()
  if (!isRacyStat(stat)) cache.set(file, found)
  return found
}

const NO_SETTINGS: RelevantSettings = { fingerprint: '', programs: [], included: [] }

/** Returns the configurations of all repositories that contain a folder: the nearest one, and those that it is nested in. */
function findRepositoryConfigs(folder: string): RepositoryConfig[] {
  const found: RepositoryConfig[] = []
  for (let top = folder; ; top = path.dirname(top)) {
    const gitDir = findGitDir(path.join(top, '.git')) ?? (isFile(path.join(top, 'HEAD')) ? top : undefined)
    if (gitDir !== undefined) found.push({ top, gitDir, files: configFiles(gitDir) })
    if (top === path.dirname(top)) return found
  }
}

/** Returns the configurations of linked worktrees. */
const findWorktreeConfigs = (gitDir: string): RepositoryConfig[] =>
  listFolders(path.join(gitDir, 'worktrees')).flatMap(folder => {
    const entry = readGitPointer(path.join(folder, 'gitdir'), /^(.+)$/m)
    return entry === undefined
      ? []
      : [{ top: path.dirname(path.resolve(folder, entry)), gitDir: folder, files: configFiles(folder) }]
  })

/** Returns the configurations of submodules, and of theirs: their names may contain slashes. */
const findModuleConfigs = (gitDir: string, depth = 0): RepositoryConfig[] =>
  depth > MAX_MODULE_DEPTH ? [] : listFolders(path.join(gitDir, 'modules')).flatMap(folder => toModule(folder, depth))

function toModule(folder: string, depth: number): RepositoryConfig[] {
  if (depth > MAX_MODULE_DEPTH) return []
  const files = ['config', 'config.worktree'].map(name => path.join(folder, name))
  const { fingerprint, worktree = '.' } = readRelevantSettings(files[0]!)
  if (fingerprint === '') return listFolders(folder).flatMap(child => toModule(child, depth + 1))
  return [{ top: path.resolve(folder, worktree), gitDir: folder, files }, ...findModuleConfigs(folder, depth + 1)]
}

/** Returns the paths of the folders in a folder; none if it does not exist. */
function listFolders(folder: string): string[] {
  // An exception for a missing folder would cost more than this check.
  if (!statIfReadable(folder)?.isDirectory()) return []
  return listReadable(folder).flatMap(entry => (entry.isDirectory() ? [path.join(folder, entry.name)] : []))
}

const isFile = (file: string) => statIfReadable(file)?.isFile() ?? false

function findGitDir(entry: string): string | undefined {
  const stat = statIfReadable(entry)
  if (!stat?.isFile()) return stat && entry
  const named = readGitPointer(entry, /^gitdir: (.+)$/m)
  return named && path.resolve(path.dirname(entry), named)
}

function configFiles(gitDir: string): string[] {
  const common = readGitPointer(path.join(gitDir, 'commondir'), /^(.+)$/m)
  return [
    path.join(common === undefined ? gitDir : path.resolve(gitDir, common), 'config'),
    path.join(gitDir, 'config.worktree')
  ]
}

function statIfReadable(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Resolves the links of a path's existing part. */
function resolveExistingPart(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    const folder = path.dirname(file)
    return folder === file ? file : path.join(resolveExistingPart(folder), path.basename(file))
  }
}
