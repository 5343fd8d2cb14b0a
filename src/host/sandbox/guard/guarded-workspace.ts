// One workspace under guard: what of it is put out of a command's reach before it runs, and what is looked for after.
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import type { Workspace } from '../../host.ts'
import { foldersAboveAll } from '../bubblewrap/mount-check.ts'
import { type Held, hold } from '../bubblewrap/pinned-entries.ts'
import { removeStandIns } from '../bubblewrap/placeholders.ts'
import { isBeneath } from '../path-within.ts'
import type { Aftermath } from '../sandbox.ts'
import { gitFoldersOf } from './git-folders.ts'
import type { GuardedNames } from './guarded-names.ts'
import { type Guarded, GuardedTree } from './guarded-tree.ts'
import type { Unfinished } from './interrupted-commands.ts'
import { ledTo } from './link-targets.ts'
import { quarantine, restoreFile, restoreLink } from './quarantine.ts'

/** Beyond these a workspace cannot be kept: looking at it, or mounting that much, would take too long. */
const MOST_FOLDERS = 100_000
const MOST_GUARDED = 1_000
/** What a command leaves may be more. */
const MOST_FOLDERS_AFTER = 300_000
const TRIES = 3
const MOST_TOLD = 5

export interface Guard {
  held: readonly Held[]
  /** Folders that hold such, the upper ones first: what is in them may change, but they stay where they are. */
  pinned: readonly Held[]
  /** Other commands that write have begun already. */
  isBeside: boolean
  /** Absolute paths of what may not be seen. */
  hidden: readonly string[]
  /** Absolute folders of git's outside, to be read only. */
  outside: readonly string[]
  /** Once the command has ended: takes away what it left behind for others to obey. */
  release(): Promise<Aftermath>
}

/** A command with all rights of the user that runs. */
interface Unkept {
  /** What was there before it could do anything beside a kept one; undefined while there is none. */
  known: ReadonlySet<string> | undefined
}

/** What was guarded before commands ran. */
interface Before {
  identities: ReadonlySet<string>
  guarded: readonly Guarded[]
  held: readonly Held[]
  /** What others would have obeyed if it had been there. */
  missing: readonly string[]
  /** What came to be later is nobody's work of theirs, in milliseconds. */
  gone_by: number
}

export class GuardedWorkspace {
  readonly #workspace: Workspace
  readonly #tree: GuardedTree
  readonly #quarantine: string
  readonly #unfinished: Unfinished
  /** What calls of this server made, and commands that nothing keeps, for as long as kept ones run that write. */
  #made = new Set<string>()
  #running = 0
  readonly #unkept = new Set<Unkept>()
  #recovered: Promise<Aftermath> | undefined

  constructor(workspace: Workspace, names: GuardedNames, quarantineFolder: string, unfinished: Unfinished) {
    this.#workspace = workspace
    this.#tree = new GuardedTree(workspace.root, names, MOST_FOLDERS_AFTER)
    this.#quarantine = quarantineFolder
    this.#unfinished = unfinished
  }

  /** Takes away what commands of a server left behind that was killed. */
  recover(): Promise<Aftermath> {
    this.#recovered ??= this.#recover()
    // Whoever asks after a failure tries again.
    this.#recovered.catch(() => {
      this.#recovered = undefined
    })
    return this.#recovered
  }

  /** A call of this server has put something there itself: it was asked about, and is not a command's. */
  made(name: string) {
    if (this.#running > 0) this.#made.add(name)
  }

  /** A command begins that nothing keeps, as somebody allowed. Gives what is to be called when it has ended: what is new
   * by then beside kept commands counts as made by it. */
  async beside(): Promise<() => Promise<void>> {
    const unkept: Unkept = { known: undefined }
    this.#unkept.add(unkept)
    if (this.#running > 0) unkept.known = identitiesOf((await this.#tree.look())?.guarded ?? [])
    return async () => {
      this.#unkept.delete(unkept)
      const { known } = unkept
      if (!known || this.#running === 0) return
      const after = await this.#tree.look()
      for (const { path: name, identity } of after?.guarded ?? []) if (!known.has(identity)) this.made(name)
    }
  }

  /** `exposed`: absolute paths beneath which secrets may be seen. */
  async begin(writes: boolean, exposed: readonly string[]): Promise<Guard> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#begin(writes, exposed)
      } catch (error) {
        // Something was exchanged between the look at it and the hold of it.
        if (tries === TRIES || !(error instanceof ToolError && error.code === 'STALE_FILE')) throw error
      }
    }
  }

  async #begin(writes: boolean, exposed: readonly string[]): Promise<Guard> {
    await this.recover()
    // What calls make from here on, while it is being looked, may be missing in what was seen.
    if (writes) this.#running += 1
    try {
      return await this.#guard(writes, exposed)
    } catch (error) {
      if (writes) this.#ended()
      throw error
    }
  }

  async #guard(writes: boolean, exposed: readonly string[]): Promise<Guard> {
    const { root } = this.#workspace
    const named = await this.#guarded()
    const { there, missing } = ledTo(root, named)
    const guarded = [...named, ...there]
    const at = ({ path: name }: Guarded) => path.join(root, name)
    const isExposed = (one: Guarded) => exposed.some(folder => isBeneath(at(one), folder))
    const secret = guarded.filter(one => one.sensitive && one.kind !== 'link' && !isExposed(one))
    const isWithin = (file: string) => secret.some(one => at(one) !== file && isBeneath(file, at(one)))
    const hidden = secret.filter(one => !isWithin(at(one)))
    const gitFiles = guarded.filter(one => one.kind === 'file' && path.basename(one.path) === '.git')
    const git = gitFiles.map(one => gitFoldersOf(root, one.path))
    const guard = { hidden: hidden.map(at), outside: git.flatMap(one => one.outside) }
    if (!writes) return { ...guard, held: [], pinned: [], isBeside: false, release: async () => ({ quarantined: [] }) }
    const kept = guarded.filter(one => one.kept)
    const { held, pinned, close } = hold(this.#workspace, {
      kept,
      inside: git.flatMap(one => one.inside),
      pinned: foldersAboveAll([...kept, ...hidden].map(one => one.path))
    })
    try {
      const identities = identitiesOf(guarded)
      const over = this.#unfinished.began(root, [...identities])
      for (const unkept of this.#unkept) unkept.known ??= identities
      const release = async () => {
        try {
          removeStandIns(this.#workspace, hidden)
          const aftermath = await this.#takeFresh({
            identities,
            guarded,
            held,
            missing,
            gone_by: Number.POSITIVE_INFINITY
          })
          over()
          return aftermath
        } finally {
          close()
          this.#ended()
        }
      }
      const isSeen = (one: Held) => !guard.hidden.some(file => isBeneath(one.path, file))
      const isBeside = this.#running > 1
      return { ...guard, held: held.filter(isSeen), pinned: pinned.filter(isSeen), isBeside, release }
    } catch (error) {
      close()
      throw error
    }
  }

  #ended() {
    this.#running -= 1
    if (this.#running === 0) this.#made.clear()
  }

  async #guarded(): Promise<Guarded[]> {
    const { folders = Number.POSITIVE_INFINITY, guarded = [], shut = [] } = (await this.#tree.look()) ?? {}
    const [first] = shut
    if (first !== undefined) throw unkeepable(`${first}, which cannot be looked into`, 'Remove or rename that')
    if (folders > MOST_FOLDERS) throw tooLarge(`more than ${MOST_FOLDERS} folders`)
    if (guarded.length > MOST_GUARDED)
      throw tooLarge(`more than ${MOST_GUARDED} files and folders that need protection`)
    return guarded
  }

  async #recover(): Promise<Aftermath> {
    const left = this.#unfinished.left(this.#workspace.root)
    if (!left) return { quarantined: [] }
    const aftermath = await this.#takeFresh({ ...left, guarded: [], held: [], missing: [] })
    // What is still there is for the next start.
    if (!aftermath.unchecked) left.forget()
    return aftermath
  }

  // What was moved with the folder above it is what it was: it could not be changed. What somebody else replaced is not:
  // with what it lay over, a mount goes too, and the command may write there.
  async #takeFresh({ identities, guarded, held, missing, gone_by }: Before): Promise<Aftermath> {
    const after = await this.#tree.look()
    if (!after) return { quarantined: [], unchecked: `There are more than ${MOST_FOLDERS_AFTER} folders now.` }
    const made = after.guarded.filter(
      one => !identities.has(one.identity) && one.born <= gone_by && !this.#isOurs(one.path)
    )
    const kept = made.filter(one => one.kept)
    const fresh = [...kept, ...beyondReach(after.guarded.length - kept.length, made)]
    const paths = [...fresh.map(one => one.path), ...missing.filter(name => !this.#isOurs(name))]
    const taken = quarantine(this.#workspace, paths, this.#quarantine)
    const left = new Map(after.guarded.filter(one => !fresh.includes(one)).map(one => [one.path, one.identity]))
    for (const link of guarded)
      if (link.kept && link.target !== undefined && left.get(link.path) !== link.identity)
        restoreLink(this.#workspace, link.path, link.target)
    for (const file of held) {
      const name = path.relative(this.#workspace.root, file.path)
      if (taken.quarantined.includes(name)) restoreFile(this.#workspace, name, file)
    }
    const unchecked = [
      ...(taken.unchecked ? [taken.unchecked] : []),
      ...after.shut.slice(0, MOST_TOLD).map(name => `${name} cannot be looked into.`)
    ]
    return { ...taken, ...(unchecked.length > 0 && { unchecked: unchecked.join(' ') }) }
  }

  #isOurs(name: string) {
    return [...this.#made].some(made => isBeneath(made, name) || isBeneath(name, made))
  }
}

/** Secrets that were made beyond what can be hidden: left there, they would keep every later command from running. */
const beyondReach = (left: number, made: readonly Guarded[]) =>
  made.filter(one => !one.kept).slice(0, Math.max(0, left - MOST_GUARDED))

const identitiesOf = (guarded: readonly Guarded[]) => new Set(guarded.map(({ identity }) => identity))

const tooLarge = (what: string) => unkeepable(what, 'Serve a smaller folder')

const unkeepable = (what: string, cure: string) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `This workspace has ${what}: no command can be kept in it. ${cure}, or ask for isolation none.`
  )
