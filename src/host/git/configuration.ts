// Builds git's settings for a repository: hardening settings that override all of the repository's, and the harmless ones of the
// user. Results are cached until one of the source files changes.
import { type BigIntStats, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { statFingerprint } from '../files/fingerprint.ts'
import type { GitUserFolders } from '../files/policy/git-programs.ts'
import { type GitSetting, neutralizeSettings } from '../git-settings.ts'
import { HARDENED_SETTINGS } from './hardening.ts'

/** Inherited settings of the user: they neither name a program nor alter the output format. */
const INHERITED_SETTINGS: ReadonlySet<string> = new Set([
  'core.autocrlf',
  'core.eol',
  'core.safecrlf',
  'core.excludesfile',
  'core.attributesfile',
  'core.precomposeunicode',
  'diff.renamelimit',
  'diff.algorithm',
  'init.defaultbranch',
  'user.name',
  'user.email',
  'user.useconfigonly',
  'author.name',
  'author.email',
  'committer.name',
  'committer.email'
])
/** Default files that git reads unless a setting names another. */
const DEFAULT_FILES: Readonly<Record<string, string>> = {
  'core.excludesfile': 'ignore',
  'core.attributesfile': 'attributes'
}
/** Conditions whose result changes without a change of any file. */
const VOLATILE_CONDITION = /^includeif\.(?:onbranch|hasconfig):/
const INCLUDE_KEY = /^include(?:if\..*)?\.path$/s
const MAX_CACHED = 256

export interface GitConfiguration {
  /** Settings for git, in order of precedence. */
  settings: readonly GitSetting[]
  /** The repository's own setting. */
  worktree: string | undefined
  bare: boolean
  /** Names of the filters configured by the repository or the user. */
  filterNames: readonly string[]
  /**
   * All settings in effect when the user runs git, in order of precedence; none is in effect here by itself. Keys are in lower
   * case except for their middle parts. May hold credentials.
   */
  allSettings: readonly GitSetting[]
  /** Settings of the user and the machine, without the repository's. */
  userSettings: readonly GitSetting[]
}

/** One line of a listing. */
interface Entry {
  scope: string
  origin: string
  key: string
  value: string
}

interface CachedConfiguration {
  configuration: GitConfiguration
  fingerprints: ReadonlyMap<string, string>
}

export class ConfigurationCache {
  readonly #cached = new Map<string, CachedConfiguration>()

  /** Returns the configuration. `list` runs `git config --list` with scopes and origins, for the repository and this user. */
  async get(
    { git_dir, common_dir }: { git_dir: string; common_dir: string },
    user: GitUserFolders,
    list: () => Promise<Buffer>
  ): Promise<GitConfiguration> {
    const known = this.#cached.get(git_dir)
    if (known && [...known.fingerprints].every(([file, stamp]) => fingerprintFile(file) === stamp))
      return known.configuration
    this.#cached.delete(git_dir)
    const own = [path.join(common_dir, 'config'), path.join(git_dir, 'config.worktree'), ...user.files]
    const began = Date.now()
    const before = fingerprintFiles(own, began)
    const entries = parseListing(await list())
    const configuration = buildConfiguration(entries, user)
    const others = fingerprintFiles(
      sourceFiles(entries, git_dir, user.home).filter(file => !own.includes(file)),
      began
    )
    if (before && others && !entries.some(({ key }) => VOLATILE_CONDITION.test(key))) {
      this.#cached.set(git_dir, { configuration, fingerprints: new Map([...before, ...others]) })
      if (this.#cached.size > MAX_CACHED) this.#cached.delete(this.#cached.keys().next().value!)
    }
    return configuration
  }
}

function buildConfiguration(entries: readonly Entry[], user: GitUserFolders): GitConfiguration {
  const isLocal = ({ scope }: Entry) => scope === 'local' || scope === 'worktree'
  const local = entries.filter(isLocal)
  const set = new Set(local.map(({ key }) => key))
  const carried = entries
    .filter(entry => !isLocal(entry) && INHERITED_SETTINGS.has(entry.key))
    .map(({ key, value }): GitSetting => [key, value.replace(/^~(?=\/)/, user.home)])
  const usual = Object.entries(DEFAULT_FILES).flatMap(([key, name]): GitSetting[] => {
    const file = path.join(user.folder, name)
    return carried.some(([each]) => each === key) || !existsSync(file) ? [] : [[key, file]]
  })
  const last = (key: string) => local.findLast(entry => entry.key === key)?.value
  return {
    settings: [
      ...[...usual, ...carried].filter(([key]) => !set.has(key)),
      ...neutralizeSettings(set),
      ...HARDENED_SETTINGS
    ],
    worktree: last('core.worktree'),
    bare: last('core.bare') === 'true',
    allSettings: entries.map(toSetting),
    userSettings: entries.filter(entry => !isLocal(entry)).map(toSetting),
    filterNames: [
      ...new Set(entries.flatMap(({ key }) => /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? []))
    ]
  }
}

const toSetting = ({ key, value }: Entry): GitSetting => [key, value]

/** Returns the effective value. */
export const lastValue = (settings: readonly GitSetting[], key: string): string | undefined =>
  settings.findLast(([each]) => each === key)?.[1]

/** Parses the output of `--list --null --show-scope --show-origin`: scope, origin, then the key and after a newline its value. */
function parseListing(listing: Buffer): Entry[] {
  const fields = listing.toString('utf8').split('\0')
  const entries: Entry[] = []
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [scope, origin, pair] = [fields[i]!, fields[i + 1]!, fields[i + 2]!]
    const end = pair.indexOf('\n')
    // A key without a value means true.
    const [key, value] = end < 0 ? [pair, 'true'] : [pair.slice(0, end), pair.slice(end + 1)]
    entries.push({ scope, origin: origin.replace(/^file:/, ''), key, value })
  }
  return entries
}

/** Returns every file that was read, or would be if it existed. */
function sourceFiles(entries: readonly Entry[], git_dir: string, home: string): string[] {
  const files = entries.filter(({ scope }) => scope !== 'command').map(({ origin }) => path.resolve(git_dir, origin))
  const included = entries
    .filter(({ key }) => INCLUDE_KEY.test(key))
    .map(({ value, origin }) => {
      if (value.startsWith('~/')) return path.join(home, value.slice(2))
      return path.resolve(git_dir, path.dirname(origin), value)
    })
  return [...new Set([...files, ...included])]
}

/** Returns undefined if a file may have changed since that time, or may change without altering its fingerprint. */
function fingerprintFiles(files: readonly string[], since: number): Map<string, string> | undefined {
  const stamps = new Map<string, string>()
  for (const file of files) {
    const stat = statIfReadable(file)
    if (stat && lastChangeMs(stat) > since - TIMESTAMP_GRANULARITY_MS) return undefined
    stamps.set(file, stat ? statFingerprint(stat) : ABSENT)
  }
  return stamps
}

const ABSENT = 'absent'
/** Timestamp granularity of file systems. */
const TIMESTAMP_GRANULARITY_MS = 50

const lastChangeMs = ({ mtimeNs, ctimeNs }: BigIntStats) => Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n)

function fingerprintFile(file: string): string {
  const stat = statIfReadable(file)
  return stat ? statFingerprint(stat) : ABSENT
}

function statIfReadable(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw new ToolError('PERMISSION_DENIED', 'A Git configuration file cannot be checked.')
  }
}
