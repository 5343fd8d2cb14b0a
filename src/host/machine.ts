// Everything of the machine that outlives a call: the workspaces served, the helper that starts processes, the captured
// output. Each call is given what it may use of it, bound to its workspace.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Settings } from '../config.ts'
import { Buffers } from './buffers.ts'
import { Compute } from './compute.ts'
import type { Doors } from './door.ts'
import { FileList } from './file-list.ts'
import { Files } from './files.ts'
import type { Effects, Host, Workspace } from './host.ts'
import { type Keeping, keepingIn } from './keeping.ts'
import { LineIndexes } from './line-index.ts'
import { Outputs } from './outputs.ts'
import { OutsideChanges } from './outside-all.ts'
import { type Guard, openWorkspace, searchExcludes } from './paths.ts'
import { PdfReader } from './pdf.ts'
import { Processes } from './processes.ts'
import { Ripgrep } from './ripgrep.ts'
import { Snapshots } from './snapshots.ts'
import { Spawner } from './spawner.ts'
import { Texts } from './texts.ts'
import { Tree } from './tree.ts'
import { Watcher } from './watcher.ts'

const WATCH_DELAY_MS = 500
/** What may be kept of a workspace's files before a command. */
const SNAPSHOT_BYTES = 256 * 1024 * 1024
const SWITCHED_OFF = 'It is switched off by `watch.external`.'

/** A workspace with what is kept of its tree. */
export interface WorkspaceInUse extends Workspace {
  /** Counts changes of any file seen on disk; undefined while that cannot be told for certain. Settles what is on its way first. */
  treeVersion(): Promise<string | undefined>
  ripgrep: Ripgrep
  list: FileList
  watcher: Watcher
  snapshots: Snapshots
}

export class Machine {
  readonly workspaces = new Map<string, WorkspaceInUse>()
  readonly outputs: Outputs
  /** Where contents are kept, and changes written down. */
  readonly keeping: Keeping
  readonly buffers: Buffers
  /** Tells what others change, once it is started. */
  readonly outside: OutsideChanges
  readonly #spawner = new Spawner()
  readonly #compute = new Compute()
  readonly #lines = new LineIndexes()
  readonly #texts: Texts
  readonly #pdf = new PdfReader()
  readonly #guard: Guard
  readonly #settings: Settings

  constructor(settings: Settings, doors?: Doors) {
    this.#settings = settings
    this.#guard = { stateDir: realpathSync(settings.state_dir), sensitive: settings.sensitive.names }
    this.keeping = keepingIn(this.#guard.stateDir, settings.undo)
    this.#texts = new Texts(this.#guard)
    this.buffers = new Buffers(this.#guard, settings.buffers)
    this.outputs = new Outputs(path.join(settings.state_dir, 'outputs'), settings.output)
    for (const root of settings.roots) this.#open(openWorkspace(root.name, root.path, doors))
    this.outside = new OutsideChanges(this.workspaces, this.#guard, settings.watch.external ? undefined : SWITCHED_OFF)
  }

  /** What one call may use. */
  hostFor(workspace: Workspace, call_effects: Effects, call_id: string): Host {
    const { ripgrep, list, snapshots } = this.workspaces.get(workspace.name)!
    let since = 0
    const effects: Effects = {
      ...call_effects,
      committed: () => {
        since ||= performance.now()
        return call_effects.committed()
      },
      changed: change => {
        this.outside.note(workspace, change, since)
        snapshots.note(change)
        call_effects.changed(change)
      }
    }
    const env_allow = this.#settings.env.allow
    return {
      files: new Files(workspace, this.#guard, effects, { ...this.keeping, call: call_id }),
      processes: new Processes(this.#spawner, this.outputs, workspace, effects, { call_id, env_allow }),
      ripgrep,
      list,
      track: () => snapshots.begin(effects),
      compute: this.#compute,
      lines: this.#lines,
      texts: this.#texts.of(workspace),
      pdf: this.#pdf
    }
  }

  /** Gets the helper that starts processes ready, ahead of the first command. */
  warm() {
    this.#spawner.warm()
  }

  async close() {
    this.outside.close()
    for (const { list, watcher, snapshots } of this.workspaces.values()) {
      snapshots.close()
      list.close()
      watcher.close()
    }
    await this.#compute.close()
    await this.#spawner.close()
    await this.outputs.stored()
  }

  #open(workspace: Workspace) {
    const ripgrep = new Ripgrep(this.#spawner, workspace, { exclude: searchExcludes(workspace, this.#guard) })
    const watcher = new Watcher(workspace, this.#settings.watch)
    let watching = false
    // In a moment: whoever asks first should not share the machine with the watcher's first look around.
    const later = once(() => {
      setTimeout(async () => {
        await watcher.start()
        watching = true
      }, WATCH_DELAY_MS).unref()
    })
    const treeVersion = async () => {
      if (!watching) return later()
      await watcher.settled()
      return watcher.live ? String(watcher.generation) : undefined
    }
    const snapshots = new Snapshots(
      new Tree(workspace, this.#guard),
      this.#guard.stateDir,
      { max_file_bytes: this.#settings.undo.max_file_bytes, max_bytes: SNAPSHOT_BYTES },
      { keeper: this.keeping.images, hold: () => this.outside.hold(workspace) }
    )
    this.workspaces.set(workspace.name, {
      ...workspace,
      snapshots,
      ripgrep,
      watcher,
      list: new FileList(workspace, ripgrep, watcher),
      treeVersion
    })
  }
}

function once(work: () => void): () => undefined {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
