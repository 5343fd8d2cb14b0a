// One workspace under guard: what of it is put out of a command's reach before it runs, and what is looked for after.
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import type { Workspace } from '../../workspace.ts'
import { ancestorFolders } from '../bubblewrap/mount-check.ts'
import { type PinnedEntry, pinEntries } from '../bubblewrap/pinned-entries.ts'
import { removePlaceholders } from '../bubblewrap/placeholders.ts'
import { isWithin } from '../path-within.ts'
import type { SandboxReport } from '../sandbox.ts'
import { resolveGitFolders } from './git-folders.ts'
import type { GuardedNames } from './guarded-names.ts'
import { type GuardedEntry, GuardedTree } from './guarded-tree.ts'
import type { InterruptedCommands } from './interrupted-commands.ts'
import { findLinkTargets } from './link-targets.ts'
import { quarantine, restoreFile, restoreLink } from './quarantine.ts'

/** Beyond these a workspace cannot be kept: looking at it, or mounting that much, would take too long. */
const MAX_FOLDERS = 100_000
const MAX_GUARDED_ENTRIES = 1_000
/** What a command leaves may be more. */
const MAX_FOLDERS_AFTER_RUN = 300_000
const MAX_ATTEMPTS = 3
const MAX_REPORTED_PATHS = 5

export interface WorkspaceGuard {
  readOnlyEntries: readonly PinnedEntry[]
  /** Folders that hold such, the upper ones first: what is in them may change, but they stay where they are. */
  pinnedFolders: readonly PinnedEntry[]
  /** Other commands that write have begun already. */
  hasConcurrentWriters: boolean
  /** Absolute paths of what may not be seen. */
  hidden: readonly string[]
  /** Absolute folders of git's outside, to be read only. */
  outside: readonly string[]
  /** Once the command has ended: takes away what it left behind for others to obey. */
  release(): Promise<SandboxReport>
}

/** A command with all rights of the user that runs. */
interface UnsandboxedCommand {
  /** What was there before it could do anything beside a kept one; undefined while there is none. */
  baseline: ReadonlySet<string> | undefined
}

/** What was guarded before commands ran. */
interface GuardBaseline {
  identities: ReadonlySet<string>
  guarded: readonly GuardedEntry[]
  readOnlyEntries: readonly PinnedEntry[]
  /** What others would have obeyed if it had been there. */
  missing: readonly string[]
  /** What came to be later is nobody's work of theirs, in milliseconds. */
  endedBy: number
}

export class GuardedWorkspace {
  readonly #workspace: Workspace
  readonly #tree: GuardedTree
  readonly #quarantine: string
  readonly #interrupted: InterruptedCommands
  /** What calls of this server made, and commands that nothing keeps, for as long as kept ones run that write. */
  #ownWrites = new Set<string>()
  #running = 0
  readonly #unsandboxed = new Set<UnsandboxedCommand>()
  #recovered: Promise<SandboxReport> | undefined

  constructor(workspace: Workspace, names: GuardedNames, quarantineFolder: string, unfinished: InterruptedCommands) {
    this.#workspace = workspace
    this.#tree = new GuardedTree(workspace.root, names, MAX_FOLDERS_AFTER_RUN)
    this.#quarantine = quarantineFolder
    this.#interrupted = unfinished
  }

  /** Takes away what commands of a server left behind that was killed. */
  recover(): Promise<SandboxReport> {
    this.#recovered ??= this.#recover()
    // Whoever asks after a failure tries again.
    this.#recovered.catch(() => {
      this.#recovered = undefined
    })
    return this.#recovered
  }

  /** A call of this server has put something there itself: it was asked about, and is not a command's. */
  noteOwnWrite(name: string) {
    if (this.#running > 0) this.#ownWrites.add(name)
  }

  /** A command begins that nothing keeps, as somebody allowed. Gives what is to be called when it has ended: what is new
   * by then beside kept commands counts as made by it. */
  async trackUnsandboxed(): Promise<() => Promise<void>> {
    const unkept: UnsandboxedCommand = { baseline: undefined }
    this.#unsandboxed.add(unkept)
    if (this.#running > 0) unkept.baseline = identitiesOf((await this.#tree.scan())?.guarded ?? [])
    return async () => {
      this.#unsandboxed.delete(unkept)
      const { baseline } = unkept
      if (!baseline || this.#running === 0) return
      const after = await this.#tree.scan()
      for (const { path: name, identity } of after?.guarded ?? []) if (!baseline.has(identity)) this.noteOwnWrite(name)
    }
  }

  /** `exposed`: absolute paths beneath which secrets may be seen. */
  async begin(writes: boolean, exposed: readonly string[]): Promise<WorkspaceGuard> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#begin(writes, exposed)
      } catch (error) {
        // Something was exchanged between the look at it and the hold of it.
        if (tries === MAX_ATTEMPTS || !(error instanceof ToolError && error.code === 'STALE_FILE')) throw error
      }
    }
  }

  async #begin(writes: boolean, exposed: readonly string[]): Promise<WorkspaceGuard> {
    await this.recover()
    // What calls make from here on, while it is being looked, may be missing in what was seen.
    if (writes) this.#running += 1
    try {
      return await this.#guard(writes, exposed)
    } catch (error) {
      if (writes) this.#end()
      throw error
    }
  }

  async #guard(writes: boolean, exposed: readonly string[]): Promise<WorkspaceGuard> {
    const { root } = this.#workspace
    const named = await this.#scanGuarded()
    const { existing, missing } = findLinkTargets(root, named)
    const guarded = [...named, ...existing]
    const at = ({ path: name }: GuardedEntry) => path.join(root, name)
    const isExposed = (one: GuardedEntry) => exposed.some(folder => isWithin(at(one), folder))
    const secret = guarded.filter(one => one.sensitive && one.kind !== 'link' && !isExposed(one))
    const isInSecret = (file: string) => secret.some(one => at(one) !== file && isWithin(file, at(one)))
    const hidden = secret.filter(one => !isInSecret(at(one)))
    const gitFiles = guarded.filter(one => one.kind === 'file' && path.basename(one.path) === '.git')
    const git = gitFiles.map(one => resolveGitFolders(root, one.path))
    const guard = { hidden: hidden.map(at), outside: git.flatMap(one => one.outside) }
    if (!writes)
      return {
        ...guard,
        readOnlyEntries: [],
        pinnedFolders: [],
        hasConcurrentWriters: false,
        release: async () => ({ quarantined: [] })
      }
    const readOnly = guarded.filter(one => one.kept)
    const { held, pinned, close } = pinEntries(this.#workspace, {
      readOnly,
      inside: git.flatMap(one => one.inside),
      pinned: ancestorFolders([...readOnly, ...hidden].map(one => one.path))
    })
    try {
      const identities = identitiesOf(guarded)
      const over = this.#interrupted.recordStart(root, [...identities])
      for (const unkept of this.#unsandboxed) unkept.baseline ??= identities
      const release = async () => {
        try {
          removePlaceholders(this.#workspace, hidden)
          const aftermath = await this.#quarantineNew({
            identities,
            guarded,
            readOnlyEntries: held,
            missing,
            endedBy: Number.POSITIVE_INFINITY
          })
          over()
          return aftermath
        } finally {
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
      close()
      throw error
    }
  }

  #end() {
    this.#running -= 1
    if (this.#running === 0) this.#ownWrites.clear()
  }

  async #scanGuarded(): Promise<GuardedEntry[]> {
    const { folders = Number.POSITIVE_INFINITY, guarded = [], unreadable = [] } = (await this.#tree.scan()) ?? {}
    const [first] = unreadable
    if (first !== undefined)
      throw unsandboxableWorkspace(`${first}, which cannot be looked into`, 'Remove or rename that')
    if (folders > MAX_FOLDERS) throw workspaceTooLarge(`more than ${MAX_FOLDERS} folders`)
    if (guarded.length > MAX_GUARDED_ENTRIES)
      throw workspaceTooLarge(`more than ${MAX_GUARDED_ENTRIES} files and folders that need protection`)
    return guarded
  }

  async #recover(): Promise<SandboxReport> {
    const left = this.#interrupted.findInterrupted(this.#workspace.root)
    if (!left) return { quarantined: [] }
    const aftermath = await this.#quarantineNew({ ...left, guarded: [], readOnlyEntries: [], missing: [] })
    // What is still there is for the next start.
    if (!aftermath.unchecked) left.forget()
    return aftermath
  }

  // What was moved with the folder above it is what it was: it could not be changed. What somebody else replaced is not:
  // with what it lay over, a mount goes too, and the command may write there.
  async #quarantineNew({
    identities,
    guarded,
    readOnlyEntries,
    missing,
    endedBy
  }: GuardBaseline): Promise<SandboxReport> {
    const after = await this.#tree.scan()
    if (!after) return { quarantined: [], unchecked: `There are more than ${MAX_FOLDERS_AFTER_RUN} folders now.` }
    const made = after.guarded.filter(
      one => !identities.has(one.identity) && one.born <= endedBy && !this.#isOwnWrite(one.path)
    )
    const kept = made.filter(one => one.kept)
    const fresh = [...kept, ...excessSecrets(after.guarded.length - kept.length, made)]
    const paths = [...fresh.map(one => one.path), ...missing.filter(name => !this.#isOwnWrite(name))]
    const taken = quarantine(this.#workspace, paths, this.#quarantine)
    const left = new Map(after.guarded.filter(one => !fresh.includes(one)).map(one => [one.path, one.identity]))
    for (const link of guarded)
      if (link.kept && link.target !== undefined && left.get(link.path) !== link.identity)
        restoreLink(this.#workspace, link.path, link.target)
    for (const file of readOnlyEntries) {
      const name = path.relative(this.#workspace.root, file.path)
      if (taken.quarantined.includes(name)) restoreFile(this.#workspace, name, file)
    }
    const unchecked = [
      ...(taken.unchecked ? [taken.unchecked] : []),
      ...after.unreadable.slice(0, MAX_REPORTED_PATHS).map(name => `${name} cannot be looked into.`)
    ]
    return { ...taken, ...(unchecked.length > 0 && { unchecked: unchecked.join(' ') }) }
  }

  #isOwnWrite(name: string) {
    return [...this.#ownWrites].some(made => isWithin(made, name) || isWithin(name, made))
  }
}

/** Secrets that were made beyond what can be hidden: left there, they would keep every later command from running. */
const excessSecrets = (left: number, made: readonly GuardedEntry[]) =>
  made.filter(one => !one.kept).slice(0, Math.max(0, left - MAX_GUARDED_ENTRIES))

const identitiesOf = (guarded: readonly GuardedEntry[]) => new Set(guarded.map(({ identity }) => identity))

const workspaceTooLarge = (what: string) => unsandboxableWorkspace(what, 'Serve a smaller folder')

const unsandboxableWorkspace = (what: string, cure: string) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `This workspace has ${what}: no command can be kept in it. ${cure}, or ask for isolation none.`
  )
