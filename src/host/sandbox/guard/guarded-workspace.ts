// Guards one workspace: determines what is protected from a command before it runs, and what is quarantined afterwards.
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { openWorkspaceTree } from '../../files/owner-rights.ts'
import { readProgramSettings } from '../../files/policy/git-programs.ts'
import { type ServerEntries, statIfReachable } from '../../files/policy/server-entries.ts'
import { type GitSetting, neutralizeSettings } from '../../git-settings.ts'
import type { Watcher } from '../../watch/watcher.ts'
import type { Workspace } from '../../workspace.ts'
import { ancestorFolders } from '../bubblewrap/mount-check.ts'
import { type PinnedEntry, pinEntries } from '../bubblewrap/pinned-entries.ts'
import { removePlaceholders } from '../bubblewrap/placeholders.ts'
import { isWithin } from '../path-within.ts'
import type { SandboxReport, SecretExposure } from '../sandbox.ts'
import type { Confinement, SandboxedLevel } from '../sandbox-backend.ts'
import { type ExposableEntry, ExposureTracker } from './exposure-tracker.ts'
import { trustRepositories } from './foreign-repositories.ts'
import { findConfigFiles, findConfigsWithCredentials, findInfoFolders, type GitConfig } from './git-configs.ts'
import { resolveGitFolders } from './git-folders.ts'
import { findGitFolders, findGitStores } from './git-stores.ts'
import type { GuardedNames } from './guarded-names.ts'
import {
  type GuardedEntry,
  GuardedTree,
  inodeIdentity,
  SERVER_ENTRY,
  statFacts,
  type TreeScan
} from './guarded-tree.ts'
import { findHardLinks } from './hard-links.ts'
import type { InterruptedCommands } from './interrupted-commands.ts'
import { findLinkTargets } from './link-targets.ts'
import { ProtectedCopies } from './protected-copies.ts'
import { newQuarantineFolder, quarantine, restoreFile, restoreLink } from './quarantine.ts'
import { SpecialFiles } from './special-files.ts'
import { type SurroundingRepository, SurroundingRepositoryFinder } from './surrounding-repository.ts'

/** Limit beyond which a workspace cannot be sandboxed: scanning it, or mounting that much, would take too long. */
const MAX_FOLDERS = 100_000
const MAX_GUARDED_ENTRIES = 1_000
/** Limit of files that programs execute automatically though approved commands may write them. */
const MAX_SELF_STARTING_ENTRIES = 10_000
/** So many write-protected files are mounted at most; of further ones that programs execute automatically a copy is put back. */
const MAX_MOUNTED_ENTRIES = 100
/** A command may create further folders. */
const MAX_FOLDERS_AFTER_RUN = 300_000
/** A command that runs unasked leaves no more than are watched by default, unless there were more before. */
const MAX_FOLDERS_LEFT_UNASKED = 16_384
const MAX_ATTEMPTS = 3
const MAX_REPORTED_PATHS = 5

interface GuardedWorkspaceOptions {
  names: GuardedNames
  /** Files and folders of servers: hidden from commands. */
  servers: ServerEntries
  /** Absolute path of the folder for quarantined files. */
  quarantine: string
  interrupted: InterruptedCommands
  watcher?: Watcher | undefined
}

/**
 * Access of a command to a workspace: it reads, writes what no program executes automatically, writes all but protected names, or
 * writes those, too.
 */
type WorkspaceAccess = 'reads' | 'writes-ordinary' | 'writes' | 'writes-all'

export interface WorkspaceGuard {
  readOnlyEntries: readonly PinnedEntry[]
  /** Folders with protected entries, the upper ones first: their contents may change, but they cannot be moved. */
  pinnedFolders: readonly PinnedEntry[]
  /** Other commands with write access are already running. */
  hasConcurrentWriters: boolean
  /** Absolute paths of hidden entries. */
  hidden: readonly string[]
  /** Those of them that belong to a server. */
  serverEntries: readonly string[]
  /** Absolute paths of git's external folders, mounted read-only. */
  outside: readonly string[]
  /** Finds the repository of which the workspace is a folder: read-only for commands that may read its history, hidden from others. */
  findSurrounding(): SurroundingRepository | undefined
  /** Absolute paths of the files and folders in which git repositories store contents. */
  gitStores: readonly string[]
  /**
   * Returns the settings that disable the programs which configurations of git name for files. `home`: as `~` of included files. Throws
   * SANDBOX_UNAVAILABLE if a configuration cannot be read.
   */
  neutralizeGit(home: string): GitSetting[]
  /** Returns the settings by which git trusts the repositories of the workspace that belong to another user. */
  trustRepositories(): GitSetting[]
  /** Returns the absolute paths of the folders in which repositories keep attributes that precede those of their files. */
  findGitInfo(): string[]
  /** Configurations of git with credentials. */
  gitConfigs: readonly GitConfig[]
  /** Undefined for a command with write access. */
  exposure?: SecretExposure | undefined
  /** Call once the command has ended: quarantines the self-starting files that it left behind. */
  release(): Promise<SandboxReport>
}

/** A running command with all rights of the user. */
interface UnsandboxedCommand {
  /** Entries that existed before it could act concurrently with a sandboxed command; undefined while there is none. */
  baseline: ReadonlySet<string> | undefined
}

function neutralizeConfigs(files: readonly string[], home: string, changing: string | undefined): GitSetting[] {
  if (changing !== undefined)
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `Git commands cannot run without approval now: ${changing} was created while a command was running that may still ` +
        'change it. Wait until the command has ended.'
    )
  const { programs, unread } = readProgramSettings(files, home)
  if (unread === undefined) return neutralizeSettings(programs.map(({ key }) => key))
  throw new ToolError(
    'SANDBOX_UNAVAILABLE',
    `Git commands cannot run without approval here: the programs that ${unread} names cannot be determined.`
  )
}

/** Returns the access of a program at a level. One that may change only what undo can take back leaves nothing that others execute. */
export function accessOf(level: SandboxedLevel, { readOnly }: Pick<Confinement, 'readOnly'>): WorkspaceAccess {
  if (level !== 'workspace') return 'reads'
  return readOnly ? 'writes-ordinary' : 'writes'
}

/** Restrictions of a command with write access besides protected names; paths are relative to the root. */
interface FurtherRestrictions {
  /** It may not change these. */
  readOnly: readonly string[]
  /** It sees others in place of these folders. */
  replaced: readonly string[]
  /** It sees nothing of these, wherever it would move the folders above them. */
  hidden: readonly string[]
}

const NOTHING: SandboxReport = { quarantined: [] }
const NO_RESTRICTIONS: FurtherRestrictions = { readOnly: [], replaced: [], hidden: [] }

/** Guarded entries before commands ran. */
interface GuardBaseline {
  access: Exclude<WorkspaceAccess, 'reads'>
  identities: ReadonlySet<string>
  guarded: readonly GuardedEntry[]
  readOnlyEntries: readonly PinnedEntry[]
  /** Paths that other programs would have interpreted if they had existed. */
  missing: readonly string[]
  /** Copies of the protected files, if the commands could change them. */
  copies?: ProtectedCopies | undefined
  /** Entries created after this time, in milliseconds, are not attributed to the commands. */
  endedBy: number
  /** Limit of folders, and the time in milliseconds since which new ones are the command's. */
  limit?: { folders: number; since: number }
}

export class GuardedWorkspace {
  readonly #workspace: Workspace
  readonly #tree: GuardedTree
  readonly #servers: ServerEntries
  readonly #quarantine: string
  readonly #interrupted: InterruptedCommands
  /** Entries created by calls of this server and by unsandboxed commands, while sandboxed commands with write access run. */
  #ownWrites = new Set<string>()
  #running = 0
  /** Identities of the entries from before, of each running program that may write. */
  readonly #baselines = new Set<ReadonlySet<string>>()
  readonly #unsandboxed = new Set<UnsandboxedCommand>()
  readonly #exposures: ExposureTracker
  readonly #surrounding: SurroundingRepositoryFinder
  readonly #special: SpecialFiles
  #recovered: Promise<SandboxReport> | undefined

  constructor(workspace: Workspace, { names, servers, quarantine, interrupted, watcher }: GuardedWorkspaceOptions) {
    this.#workspace = workspace
    this.#servers = servers
    this.#tree = new GuardedTree({ root: workspace.root, names, servers, watcher, maxFolders: MAX_FOLDERS_AFTER_RUN })
    this.#special = new SpecialFiles(workspace)
    this.#surrounding = new SurroundingRepositoryFinder(workspace.root)
    this.#quarantine = quarantine
    this.#interrupted = interrupted
    this.#exposures = new ExposureTracker({
      root: workspace.root,
      findSecrets: async exposed => {
        const { guarded, hidden } = await this.#scanSecrets(exposed)
        const { gitFolders, worktrees } = this.#findGitFolders(guarded)
        return toExposable({ guarded, hidden, gitConfigs: findConfigsWithCredentials(gitFolders, worktrees) })
      },
      isSensitive: name => isRepository(name) || names.isSensitive(name),
      watcher
    })
  }

  /** Quarantines what commands of a killed server left behind. */
  recover(): Promise<SandboxReport> {
    this.#recovered ??= this.#recover()
    // A request after a failure retries.
    this.#recovered.catch(() => {
      this.#recovered = undefined
    })
    return this.#recovered
  }

  /** Records that a call of this server has created an entry itself: it was approved, and is not attributed to a command. */
  noteOwnWrite(name: string) {
    if (this.#running > 0) this.#ownWrites.add(name)
  }

  /**
   * Tracks an approved unsandboxed command. Returns a function to call when it has ended: entries created by then while sandboxed
   * commands run are attributed to it.
   */
  async trackUnsandboxed(): Promise<() => Promise<void>> {
    const unsandboxed: UnsandboxedCommand = { baseline: undefined }
    this.#unsandboxed.add(unsandboxed)
    if (this.#running > 0) unsandboxed.baseline = identitiesOf(await this.#scanAll())
    return async () => {
      this.#unsandboxed.delete(unsandboxed)
      const { baseline } = unsandboxed
      if (!baseline || this.#running === 0) return
      for (const { path: name, identity } of await this.#scanAll()) if (!baseline.has(identity)) this.noteOwnWrite(name)
    }
  }

  /**
   * Returns the files and folders in which git repositories store contents: paths relative to the root, or absolute ones of worktrees whose
   * repository is outside. Throws SANDBOX_UNAVAILABLE if the workspace cannot be scanned.
   */
  async findGitStores(): Promise<string[]> {
    const { root } = this.#workspace
    const { guarded } = await this.#scanSecrets([])
    return findGitStores(this.#findGitFolders(guarded).gitFolders).map(store =>
      isWithin(store, root) ? path.relative(root, store) : store
    )
  }

  /**
   * Returns the uppermost files and folders with secrets, relative to the root, but for those below `exposed`, which are absolute
   * paths. Throws SANDBOX_UNAVAILABLE if the workspace cannot be scanned.
   */
  async findSecrets(exposed: readonly string[]): Promise<string[]> {
    const { hidden } = await this.#scanSecrets(exposed)
    return hidden.filter(one => !one.isServerEntry).map(one => one.path)
  }

  /**
   * `exposed`: absolute paths below which secrets are visible. `further`: restrictions of a command with write access besides
   * protected names.
   */
  async begin(
    access: WorkspaceAccess,
    exposed: readonly string[],
    further: FurtherRestrictions = NO_RESTRICTIONS
  ): Promise<WorkspaceGuard> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#begin(access, exposed, further)
      } catch (error) {
        // An entry was replaced between the scan and pinning it.
        if (tries === MAX_ATTEMPTS || !(error instanceof ToolError && error.code === 'STALE_FILE')) throw error
      }
    }
  }

  async #begin(
    access: WorkspaceAccess,
    exposed: readonly string[],
    further: FurtherRestrictions
  ): Promise<WorkspaceGuard> {
    await this.recover()
    if (access === 'reads') return this.#guardReadOnly(exposed)
    // Entries created by calls from here on, during the scan, may be missing in its result.
    this.#running += 1
    try {
      return await this.#guardWriter(access, exposed, further)
    } catch (error) {
      this.#end()
      throw error
    }
  }

  /** Guards against a program that can change nothing. */
  async #guardReadOnly(exposed: readonly string[]): Promise<WorkspaceGuard> {
    const exposure = await this.#exposures.track(exposed)
    try {
      const { guarded, hidden } = await this.#scanSecrets(exposed)
      const { inside: _, submoduleLists, ...paths } = this.#resolvePaths(guarded, hidden)
      // A program that writes could commit a list without its credentials.
      const guard = { ...paths, gitConfigs: [...paths.gitConfigs, ...submoduleLists()] }
      exposure.hide(toExposable({ guarded, hidden, gitConfigs: guard.gitConfigs }))
      return {
        ...guard,
        readOnlyEntries: [],
        pinnedFolders: [],
        hasConcurrentWriters: false,
        exposure,
        release: async () => {
          exposure.end()
          return { quarantined: [] }
        }
      }
    } catch (error) {
      exposure.end()
      throw error
    }
  }

  async #guardWriter(
    access: GuardBaseline['access'],
    exposed: readonly string[],
    { readOnly: further, replaced, hidden: alsoHidden }: FurtherRestrictions
  ): Promise<WorkspaceGuard> {
    const { root } = this.#workspace
    const since = Date.now()
    const { guarded, missing, hidden, identities, folders } = await this.#scanSecrets(exposed, access)
    const maxFolders = folders > MAX_FOLDERS_LEFT_UNASKED ? MAX_FOLDERS : MAX_FOLDERS_LEFT_UNASKED
    const { inside, submoduleLists: _, ...guard } = this.#resolvePaths(guarded, hidden)
    const isReplaced = (name: string) => replaced.some(folder => isWithin(name, folder))
    const { mounted: readOnly, copied } = divideProtected(
      guarded.filter(one => one.writeProtected && !isReplaced(one.path))
    )
    const { held, pinned, close } = pinEntries(this.#workspace, {
      readOnly,
      inside: [...inside, ...further],
      pinned: ancestorFolders([...[...readOnly, ...hidden].map(one => one.path), ...alsoHidden])
    })
    try {
      const toCopy = access === 'writes-all' ? guarded : copied
      const copies = toCopy.length > 0 ? new ProtectedCopies(root, toCopy) : undefined
      this.#baselines.add(identities)
      const over = this.#interrupted.recordStart(root, { identities: [...identities], access })
      for (const unsandboxed of this.#unsandboxed) unsandboxed.baseline ??= identities
      const release = async () => {
        try {
          removePlaceholders(this.#workspace, hidden)
          const aftermath = await this.#quarantineNew({
            access,
            identities,
            guarded,
            readOnlyEntries: held,
            missing,
            copies,
            endedBy: Number.POSITIVE_INFINITY,
            ...(access === 'writes-ordinary' && { limit: { folders: maxFolders, since } })
          })
          over()
          const shut = hidden.filter(one => one.hiddenByKind).map(one => one.path)
          return { ...aftermath, ...(shut.length > 0 && { special_files: shut.slice(0, MAX_REPORTED_PATHS) }) }
        } finally {
          this.#baselines.delete(identities)
          close()
          this.#end()
        }
      }
      const isSeen = (one: PinnedEntry) => !guard.hidden.some(file => isWithin(one.path, file))
      const hasConcurrentWriters = this.#running > 1
      return {
        ...guard,
        readOnlyEntries: held.filter(isSeen),
        pinnedFolders: pinned.filter(isSeen),
        hasConcurrentWriters,
        release
      }
    } catch (error) {
      this.#baselines.delete(identities)
      close()
      throw error
    }
  }

  /** Checks if a `.git` appeared while a program runs that may still change it: the others are protected from all that run. */
  mayStillChange(file: string): boolean {
    if (this.#baselines.size === 0 || !isWithin(file, this.#workspace.root)) return false
    const stat = statIfReachable(file)
    return stat !== undefined && this.#isNew(inodeIdentity(stat))
  }

  #mayStillChangeGit({ path: name, identity }: GuardedEntry) {
    return path.basename(name) === '.git' && this.#isNew(identity)
  }

  #isNew(identity: string) {
    return [...this.#baselines].some(identities => !identities.has(identity))
  }

  /** Scans for guarded entries; `hidden` are the uppermost of those with secrets. */
  async #scanSecrets(exposed: readonly string[], access: WorkspaceAccess = 'reads') {
    const { root } = this.#workspace
    this.#assertServerFilesNotLinked()
    const { guarded: named, identities, folders } = await this.#scanGuarded(access)
    const { existing, missing } = findLinkTargets(root, named)
    const known = [...named, ...existing, ...findServerFiles(root, this.#servers)]
    const isExposed = (one: GuardedEntry) =>
      !one.isServerEntry && exposed.some(folder => isWithin(path.join(root, one.path), folder))
    // A program that reads, or runs unasked, could have one do what it may not do itself.
    const harmless =
      access === 'writes' || access === 'writes-all' ? await this.#findHarmless(known) : new Set<string>()
    const isSecret = (one: GuardedEntry) =>
      one.sensitive && one.kind !== 'link' && !isExposed(one) && !harmless.has(one.path)
    const links = await findHardLinks(root, known.filter(isSecret))
    const guarded = [...known, ...links]
    const secret = guarded.filter(isSecret)
    if (secret.length > MAX_GUARDED_ENTRIES)
      throw workspaceTooLarge(`more than ${MAX_GUARDED_ENTRIES} files whose names suggest secrets`)
    const hidden = secret.filter(one => !secret.some(other => other !== one && isWithin(one.path, other.path)))
    return { guarded, missing, hidden, identities: new Set([...identities, ...identitiesOf(guarded)]), folders }
  }

  /** Returns the paths of sockets and pipes by which commands reach no program outside. */
  #findHarmless(entries: readonly GuardedEntry[]): Promise<Set<string>> {
    if (this.#unsandboxed.size === 0)
      this.#special.recordMade(entries.filter(one => this.#isNew(one.identity) && !this.#isOwnWrite(one.path)))
    return this.#special.findHarmless(entries)
  }

  /** A further name of such a file may be anywhere: it cannot be hidden. */
  #assertServerFilesNotLinked() {
    const linked = this.#servers.findLinked()
    if (linked !== undefined)
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        `${linked} belongs to the Toolgate server and has a second name (hard link), through which a command might read ` +
          'it. Remove the hard link.'
      )
  }

  /** Returns the absolute paths to hide, and what is special in git's folders. */
  #resolvePaths(guarded: readonly GuardedEntry[], hidden: readonly GuardedEntry[]) {
    const { outside, inside, gitFolders, worktrees } = this.#findGitFolders(guarded)
    return {
      hidden: hidden.map(one => path.join(this.#workspace.root, one.path)),
      serverEntries: hidden.filter(one => one.isServerEntry).map(one => path.join(this.#workspace.root, one.path)),
      outside,
      inside,
      findSurrounding: () => this.#surrounding.find(),
      gitStores: findGitStores(gitFolders),
      neutralizeGit: (home: string) =>
        neutralizeConfigs(findConfigFiles(gitFolders), home, guarded.find(one => this.#mayStillChangeGit(one))?.path),
      trustRepositories: () => trustRepositories([...worktrees, ...gitFolders]),
      findGitInfo: () => findInfoFolders(gitFolders),
      gitConfigs: findConfigsWithCredentials(gitFolders),
      submoduleLists: () => findConfigsWithCredentials([], worktrees)
    }
  }

  /**
   * Returns git's folders and the roots of worktrees, absolute; of the folders to which a `.git` file leads, `inside` are the ones in
   * the workspace, relative to the root, and `outside` the others.
   */
  #findGitFolders(guarded: readonly GuardedEntry[]) {
    const { root } = this.#workspace
    const gitFiles = guarded.filter(one => one.kind === 'file' && path.basename(one.path) === '.git')
    const pointers = gitFiles.map(one => resolveGitFolders(root, one.path))
    const outside = pointers.flatMap(one => one.outside)
    const inside = pointers.flatMap(one => one.inside)
    const further = [...outside, ...inside.map(name => path.join(root, name))]
    const git = guarded.filter(one => path.basename(one.path) === '.git')
    const worktrees = [...new Set([root, ...git.map(one => path.join(root, path.dirname(one.path)))])]
    return { outside, inside, gitFolders: findGitFolders(root, guarded, further), worktrees }
  }

  #end() {
    this.#running -= 1
    if (this.#running === 0) this.#ownWrites.clear()
  }

  /** Returns the entries that are guarded for this access, with the identities of all that any access guards. */
  async #scanGuarded(access: WorkspaceAccess) {
    const scan = await this.#tree.scan()
    const { folders = Number.POSITIVE_INFINITY, unreadable = [] } = scan ?? {}
    const guarded = scan ? guardedFor(access, scan) : []
    if (unreadable.includes('.')) throw unsandboxableWorkspace('a root folder that cannot be read', 'Make it readable')
    if (folders > MAX_FOLDERS) throw workspaceTooLarge(`more than ${MAX_FOLDERS} folders`)
    if ((scan?.guarded.length ?? 0) > MAX_GUARDED_ENTRIES)
      throw workspaceTooLarge(`more than ${MAX_GUARDED_ENTRIES} files and folders that need protection`)
    if (guarded.length > MAX_SELF_STARTING_ENTRIES)
      throw workspaceTooLarge(`more than ${MAX_SELF_STARTING_ENTRIES} files that programs execute automatically`)
    return {
      guarded,
      folders,
      identities: scan ? identitiesOf(guardedFor('writes-ordinary', scan)) : new Set<string>()
    }
  }

  /** Returns all that any access guards; nothing if the workspace has too many folders. */
  async #scanAll(): Promise<GuardedEntry[]> {
    const scan = await this.#tree.scan()
    return scan ? guardedFor('writes-ordinary', scan) : []
  }

  /** Scans what a command left, once the folders that it has closed are open for their owner. */
  async #scanOpened(identities: ReadonlySet<string>): Promise<TreeScan | undefined> {
    for (;;) {
      const scan = await this.#tree.scan()
      const known = new Set(scan?.guarded.filter(one => identities.has(one.identity)).map(one => one.path))
      const isOpened = (folder: string) => !known.has(folder) && openWorkspaceTree(this.#workspace, folder)
      if (!scan || scan.unreadable.filter(isOpened).length === 0) return scan
    }
  }

  async #recover(): Promise<SandboxReport> {
    const left = this.#interrupted.findInterrupted(this.#workspace.root)
    if (!left) return { quarantined: [] }
    const aftermath = await this.#quarantineNew({ ...left, guarded: [], readOnlyEntries: [], missing: [] })
    // The remainder is left for the next start.
    if (!aftermath.unchecked) left.forget()
    return aftermath
  }

  // Entries moved together with their parent folder are unchanged: they could not be written. Entries replaced by another program
  // are not: with the entry it covered, a mount disappears too, and the command may write there.
  async #quarantineNew({
    access,
    identities,
    guarded,
    readOnlyEntries,
    missing,
    copies,
    endedBy,
    limit
  }: GuardBaseline): Promise<SandboxReport> {
    const own = newQuarantineFolder(this.#quarantine)
    const look = () => (access === 'writes-ordinary' ? this.#scanOpened(identities) : this.#tree.scan())
    const found = await look()
    const isExcess = limit !== undefined && (found?.folders ?? Number.POSITIVE_INFINITY) > limit.folders
    const excess = isExcess ? await this.#quarantineFolders(limit.since, own) : NOTHING
    const scan = isExcess ? await look() : found
    if (!scan) return { ...excess, unchecked: `The workspace now has more than ${MAX_FOLDERS_AFTER_RUN} folders.` }
    const after = { guarded: guardedFor(access, scan), unreadable: scan.unreadable }
    const made = after.guarded.filter(
      one => !identities.has(one.identity) && one.born <= endedBy && !this.#isOwnWrite(one.path)
    )
    if (this.#unsandboxed.size === 0) this.#special.recordMade(made)
    // What cannot be looked into could hold anything.
    const closed = new Set(access === 'writes-ordinary' ? scan.unreadable : [])
    // A program that opens a pipe waits, and there are many names that programs open automatically.
    const isStalling = ({ kind }: GuardedEntry) => access === 'writes-ordinary' && kind === 'other'
    const isLeftover = (one: GuardedEntry) => one.writeProtected || closed.has(one.path) || isStalling(one)
    const leftovers = made.filter(isLeftover)
    const secrets = made.filter(one => !isLeftover(one))
    const fresh = [...leftovers, ...excessSecrets(scan.guarded.length - leftovers.length, secrets)]
    const elsewhere = access === 'writes-ordinary' ? (copies?.findChangedElsewhere(after.guarded) ?? []) : []
    const changed = [...(copies?.findChanged() ?? []), ...elsewhere].filter(name => !this.#isOwnWrite(name))
    const paths = [...fresh.map(one => one.path), ...missing.filter(name => !this.#isOwnWrite(name)), ...changed]
    const taken = await quarantine(this.#workspace, paths.toSorted(byDepth), this.#quarantine, own)
    const left = new Map(after.guarded.filter(one => !fresh.includes(one)).map(one => [one.path, one.identity]))
    for (const link of guarded)
      if (link.writeProtected && link.target !== undefined && left.get(link.path) !== link.identity)
        restoreLink(this.#workspace, link.path, link.target)
    for (const file of readOnlyEntries) {
      const name = path.relative(this.#workspace.root, file.path)
      if (taken.quarantined.includes(name) && access !== 'writes-all') restoreFile(this.#workspace, name, file)
    }
    for (const name of changed) copies?.restore(this.#workspace, name)
    // What was unreadable before was hidden from the command.
    const known = new Set(after.guarded.filter(one => identities.has(one.identity)).map(one => one.path))
    const isUnknown = (name: string) => !known.has(name) && !taken.quarantined.includes(name)
    const unchecked = [
      ...[excess, taken].flatMap(({ unchecked }) => unchecked ?? []),
      ...(copies?.uncopied
        ? [`${copies.uncopied} protected files were not copied, so the command's changes to them cannot be reverted.`]
        : []),
      ...after.unreadable
        .filter(isUnknown)
        .slice(0, MAX_REPORTED_PATHS)
        .map(name => `${name} cannot be read.`)
    ]
    return {
      ...excess,
      ...taken,
      quarantined: [...excess.quarantined, ...taken.quarantined],
      ...(unchecked.length > 0 && { unchecked: unchecked.join(' ') })
    }
  }

  /** Quarantines the folders made since a time: so many would keep every later command from running, and changes from being noticed. */
  async #quarantineFolders(since: number, own: string): Promise<SandboxReport> {
    const folders = await this.#tree.findNewFolders(since)
    return quarantine(
      this.#workspace,
      folders.filter(name => !this.#isOwnWrite(name)),
      this.#quarantine,
      own
    )
  }

  #isOwnWrite(name: string) {
    return [...this.#ownWrites].some(made => isWithin(made, name) || isWithin(name, made))
  }
}

/** Returns created secrets beyond what can be hidden: if left there, they would prevent every later command from running. */
const excessSecrets = (left: number, secrets: readonly GuardedEntry[]) =>
  secrets.slice(0, Math.max(0, left - MAX_GUARDED_ENTRIES))

/** Finds the single files of servers in a workspace: their folders are found with the others. */
function findServerFiles(root: string, servers: ServerEntries): GuardedEntry[] {
  return servers.paths
    .filter(file => isWithin(file, root))
    .flatMap(file => {
      const stat = statIfReachable(file)
      if (!stat || stat.isDirectory()) return []
      return [{ path: path.relative(root, file), ...SERVER_ENTRY, ...statFacts(stat) }]
    })
}

const isRepository = (name: string) => path.basename(name) === '.git'

interface ExposableParts extends Pick<WorkspaceGuard, 'gitConfigs'> {
  guarded: readonly GuardedEntry[]
  hidden: readonly GuardedEntry[]
}

/** Returns what may become visible to a program that runs: secrets, and git repositories with their histories and credentials. */
const toExposable = ({ guarded, hidden, gitConfigs }: ExposableParts): ExposableEntry[] => [
  ...hidden,
  ...guarded.filter(one => isRepository(one.path) && !hidden.includes(one)),
  ...gitConfigs.map(one => ({ ...one, kind: 'file' as const }))
]

/** Divides write-protected entries into those that are mounted, and those whose copy is put back: the lower ones of a large number. */
function divideProtected(entries: readonly GuardedEntry[]) {
  const always = entries.filter(one => !one.isSelfStarting)
  const others = entries.filter(one => one.isSelfStarting).toSorted((a, b) => byDepth(a.path, b.path))
  const places = Math.max(0, MAX_MOUNTED_ENTRIES - always.length)
  return { mounted: [...always, ...others.slice(0, places)], copied: others.slice(places) }
}

const byDepth = (one: string, other: string) => depthOf(one) - depthOf(other)

const depthOf = (name: string) => name.split('/').length

/** Returns the entries of a scan that are guarded for this access. */
const guardedFor = (access: WorkspaceAccess, { guarded, selfStarting }: TreeScan): GuardedEntry[] =>
  access === 'writes-ordinary' ? [...guarded, ...selfStarting] : guarded

const identitiesOf = (guarded: readonly GuardedEntry[]) => new Set(guarded.map(({ identity }) => identity))

const workspaceTooLarge = (what: string) => unsandboxableWorkspace(what, 'Serve a smaller folder')

const unsandboxableWorkspace = (what: string, hint: string) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `This workspace has ${what}: commands cannot be sandboxed. ${hint}, or request isolation none.`
  )
