// Which settings git is given for a repository: those that keep it from running anything, against all that the repository
// configures, and of the user's own those that are harmless. What was found is kept as long as the files it came from.
import { type BigIntStats, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { statFingerprint } from '../files/fingerprint.ts'
import { type GitSetting, HARDENED_SETTINGS, neutralizeSettings } from './hardening.ts'

/** Of the user's own: what neither names a program nor changes what an answer looks like. */
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
/** Files that git reads where no setting names another. */
const DEFAULT_FILES: Readonly<Record<string, string>> = {
  'core.excludesfile': 'ignore',
  'core.attributesfile': 'attributes'
}
/** Conditions that change while no file does. */
const VOLATILE_CONDITION = /^includeif\.(?:onbranch|hasconfig):/
const INCLUDE_KEY = /^include(?:if\..*)?\.path$/s
const MAX_CACHED = 256

export interface GitConfiguration {
  /** For git, in the order in which they count. */
  settings: readonly GitSetting[]
  /** Of the repository itself. */
  worktree: string | undefined
  bare: boolean
  /** Names of the filters that it, or the user, configures. */
  filterNames: readonly string[]
  /** All that holds for git as the user runs it, in the order in which it counts; none of it is in force here by itself.
   * Keys are in lower case but for their middle parts. It may hold credentials. */
  allSettings: readonly GitSetting[]
  /** Of that what the user and the machine say, not the repository. */
  userSettings: readonly GitSetting[]
}

export interface GitUser {
  home: string
  /** Where the user's settings of git are, besides. */
  folder: string
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

  /** `list` runs `git config --list` with scopes and origins, for the repository and this user. */
  async get(
    { git_dir, common_dir }: { git_dir: string; common_dir: string },
    user: GitUser,
    list: () => Promise<Buffer>
  ): Promise<GitConfiguration> {
    const known = this.#cached.get(git_dir)
    if (known && [...known.fingerprints].every(([file, stamp]) => fingerprintFile(file) === stamp))
      return known.configuration
    this.#cached.delete(git_dir)
    const own = [
      path.join(common_dir, 'config'),
      path.join(git_dir, 'config.worktree'),
      path.join(user.home, '.gitconfig'),
      path.join(user.folder, 'config')
    ]
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

function buildConfiguration(entries: readonly Entry[], user: GitUser): GitConfiguration {
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

/** The value that counts. */
export const lastValue = (settings: readonly GitSetting[], key: string): string | undefined =>
  settings.findLast(([each]) => each === key)?.[1]

/** Of `--list --null --show-scope --show-origin`: scope, origin, then the key and after a newline its value. */
function parseListing(listing: Buffer): Entry[] {
  const fields = listing.toString('utf8').split('\0')
  const entries: Entry[] = []
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [scope, origin, pair] = [fields[i]!, fields[i + 1]!, fields[i + 2]!]
    const end = pair.indexOf('\n')
    // A key without a value is one that is true.
    const [key, value] = end < 0 ? [pair, 'true'] : [pair.slice(0, end), pair.slice(end + 1)]
    entries.push({ scope, origin: origin.replace(/^file:/, ''), key, value })
  }
  return entries
}

/** Every file that was read, or would be if it were there. */
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

/** Undefined where one might have changed since the time, or might change without its stamp. */
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
/** File systems keep times in steps. */
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
    throw new ToolError('PERMISSION_DENIED', 'A configuration file of git cannot be looked at.')
  }
}
