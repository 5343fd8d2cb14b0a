// Everything of the machine that outlives a call: the workspaces served, the helper that starts processes, the captured
// output. Each call is given what it may use of it, bound to its workspace.
import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BroughtSource, broughtOnce } from '../config/contributions.ts'
import type { Settings } from '../config/schema.ts'
import { runFolders } from '../server/discovery.ts'
import { homeOf } from '../server/xdg.ts'
import { CodeIndexes } from './code/code-indexes.ts'
import { Compute } from './compute/compute-pool.ts'
import { PdfReader } from './compute/pdf-reader.ts'
import { Buffers } from './editors/editor-buffers.ts'
import type { Outside } from './egress/guarded-connect.ts'
import type { Doors } from './files/dir-access.ts'
import { Files } from './files/files.ts'
import { LineIndexes } from './files/line-index.ts'
import { openWorkspace } from './files/paths.ts'
import { type Guard, searchExcludes } from './files/policy/path-policy.ts'
import { Texts } from './files/recent-texts.ts'
import { Git, GitOnMachine } from './git/git.ts'
import { Hooks } from './hooks/hook-runner.ts'
import type { Effects, Host, Workspace } from './host.ts'
import { LanguageServerPool } from './lsp/pool.ts'
import { McpServers } from './mcp/mcp-server-manager.ts'
import { Logins } from './mcp/token-store.ts'
import { ModulePool } from './modules/module-pool.ts'
import { ModuleRuns } from './modules/module-runner.ts'
import type { Environment } from './processes/environment.ts'
import { Outputs } from './processes/outputs/output-store.ts'
import { Processes } from './processes/processes.ts'
import { Spawner } from './processes/spawner/spawner.ts'
import { ownFolder } from './sandbox/bubblewrap/sandbox-files.ts'
import { sweepSetUps } from './sandbox/bubblewrap/setup-status.ts'
import { quarantineIn } from './sandbox/guard/quarantine.ts'
import { sweepQuarantine } from './sandbox/guard/quarantine-sweep.ts'
import { type Levels, openSandbox } from './sandbox/open-sandbox.ts'
import { FileList } from './search/file-list.ts'
import { Ripgrep } from './search/ripgrep.ts'
import type { Masking } from './secrets/secret-masker.ts'
import { ownTemporary, sweepTemporary } from './temp-folders.ts'
import { trustFileOf } from './trust/trust-file.ts'
import { NO_TRUST, type Trust } from './trust/trust-store.ts'
import { Snapshots } from './undo-store/snapshots.ts'
import { type Keeping, keepingIn } from './undo-store/undo-storage.ts'
import { OutsideChanges } from './watch/external-changes.ts'
import { Watcher } from './watch/watcher.ts'
import { Tree } from './watch/workspace-tree.ts'
import { Web, WebOnMachine } from './web/web-client.ts'

const WATCH_DELAY_MS = 500
/** What may be kept of a workspace's files before a command. */
const SNAPSHOT_BYTES = 256 * 1024 * 1024
const SWITCHED_OFF = 'It is switched off by `watch.external`.'

/** A workspace with what is kept of its tree. */
interface WorkspaceInUse extends Workspace {
  /** Counts changes of any file seen on disk; undefined while that cannot be told for certain. Settles what is on its way first. */
  treeVersion(): Promise<string | undefined>
  ripgrep: Ripgrep
  list: FileList
  watcher: Watcher
  snapshots: Snapshots
}

/** What a machine stands on, where that is not what this system has. */
interface MachineOptions {
  /** The server's own. */
  environment: Environment
  doors?: Doors
  network?: Outside
  /** What files bring to be run, where that may change. */
  brought?: BroughtSource
  /** What a person has trusted of what is in workspaces. */
  trust?: Trust
}

export class Machine {
  readonly workspaces = new Map<string, WorkspaceInUse>()
  readonly outputs: Outputs
  /** Where contents are kept, and changes written down. */
  readonly keeping: Keeping
  readonly buffers: Buffers
  /** Tells what others change, once it is started. */
  readonly outside: OutsideChanges
  /** What code is about. */
  readonly code: CodeIndexes
  /** What keeps commands. */
  readonly sandbox: Levels
  /** Language servers that run, of all workspaces. */
  readonly languages: LanguageServerPool
  /** Modules of users that run. */
  readonly modules: ModulePool
  /** MCP servers, of all workspaces. */
  readonly mcp: McpServers
  /** Where the server listens, once it does: nothing sandboxed is let there. */
  readonly ownPorts: number[] = []
  /** Files and folders of the server itself: no command may name them. */
  readonly ownFiles: readonly string[]
  readonly #spawner: Spawner
  readonly #compute = new Compute()
  readonly #lines = new LineIndexes()
  readonly #texts: Texts
  readonly #pdf = new PdfReader()
  readonly #git: GitOnMachine
  readonly #web: WebOnMachine
  readonly #guard: Guard
  readonly #settings: Settings
  readonly #masking: Masking
  readonly #environment: Environment
  readonly #trust: Trust

  constructor(settings: Settings, masking: Masking, options: MachineOptions) {
    const { environment, doors, network, brought, trust = NO_TRUST } = options
    this.#environment = environment
    this.#trust = trust
    this.#settings = settings
    this.#masking = masking
    this.#guard = { stateDir: realpathSync(settings.state_dir), sensitive: settings.sensitive.names }
    const own = [
      settings.state_dir,
      this.#guard.stateDir,
      trustFileOf(environment),
      ...besideState(settings, environment)
    ]
    this.ownFiles = [...new Set(own)]
    // Whoever could open the pipe of another command would take its output, or add to it.
    this.#spawner = new Spawner(environment, emptied(path.join(this.#guard.stateDir, 'pipes')))
    this.keeping = keepingIn(this.#guard.stateDir, settings.undo)
    this.#texts = new Texts(this.#guard)
    this.buffers = new Buffers(this.#guard, settings.buffers)
    this.outputs = new Outputs(path.join(settings.state_dir, 'outputs'), settings.output)
    emptied(ownTemporary(this.#guard.stateDir))
    sweepSetUps(ownFolder(this.#guard.stateDir))
    this.sandbox = openSandbox({
      environment,
      settings: settings.sandbox,
      stateDir: this.#guard.stateDir,
      hidden: besideState(settings, environment),
      sensitive: settings.sensitive.names,
      ownPorts: () => this.ownPorts,
      ...(network && { outside: network })
    })
    this.#git = new GitOnMachine({
      spawner: this.#spawner,
      roots: () => [...this.workspaces.values()].map(({ root }) => root),
      place: this.#guard.stateDir,
      hooks: settings.git.hooks
    })
    this.#web = new WebOnMachine({
      settings: settings.web,
      version: settings.version,
      own_ports: this.ownPorts,
      environment,
      compute: this.#compute,
      ...(network && { outside: network })
    })
    this.code = new CodeIndexes(this.#guard, settings.search, {
      masked: text => masking.masked(text),
      environment
    })
    for (const root of settings.roots) this.#open(openWorkspace(root.name, root.path, doors))
    this.languages = new LanguageServerPool({
      spawner: this.#spawner,
      sandbox: this.sandbox,
      guard: this.#guard,
      buffers: this.buffers,
      env_allow: settings.env.allow,
      environment,
      roots: [...this.workspaces.values()].map(({ root }) => root),
      settings: settings.language_servers,
      workspaces: this.workspaces
    })
    this.modules = new ModulePool({ spawner: this.#spawner, sandbox: this.sandbox, environment }, settings.custom_tools)
    this.mcp = new McpServers({
      settings: settings.mcp,
      version: settings.version,
      brought: brought ?? broughtOnce(settings.brought),
      workspaces: this.workspaces,
      logins: new Logins(path.join(this.#guard.stateDir, 'mcp')),
      guarding: () => ({ own_ports: this.ownPorts, ...(network && { outside: network }) }),
      spawner: this.#spawner,
      sandbox: this.sandbox,
      environment,
      env_allow: settings.env.allow,
      roots: [...this.workspaces.values()].map(({ root }) => root),
      level: settings.sandbox.level,
      masked: value => masking.maskedAll(value)
    })
    this.outside = new OutsideChanges(this.workspaces, this.#guard, settings.watch.external ? undefined : SWITCHED_OFF)
  }

  /** The processes that the server consists of. */
  ownProcesses(): number[] {
    return [process.pid, this.#spawner.pid, this.#git.pid].filter(pid => pid !== undefined)
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
        this.languages.changed(workspace, change)
        call_effects.changed(change)
      }
    }
    const ofFiles: Effects = {
      ...effects,
      changed: change => {
        this.sandbox.made(workspace, change.path)
        effects.changed(change)
      }
    }
    const env_allow = this.#settings.env.allow
    const processesFor = (by: Effects) =>
      new Processes(this.#spawner, this.outputs, workspace, by, {
        call_id,
        env_allow,
        roots: [...this.workspaces.values()].map(({ root }) => root),
        sandbox: this.sandbox,
        place_in: ownTemporary(this.#guard.stateDir),
        mask: () => this.#masking.masker(),
        quiet_ms: this.#settings.commands.quiet_ms
      })
    return {
      files: new Files(workspace, this.#guard, ofFiles, { ...this.keeping, call: call_id }),
      processes: processesFor(effects),
      hooks: new Hooks(workspace, {
        processes: signal => processesFor({ signal, committed: async () => {}, changed: () => {} }),
        starter: { spawner: this.#spawner, sandbox: this.sandbox, environment: this.#environment },
        trust: this.#trust,
        home: homeOf(this.#environment),
        env_allow
      }),
      modules: new ModuleRuns(this.modules, workspace, effects, this.#masking),
      git: new Git(this.#git, workspace, effects),
      web: new Web(this.#web, effects),
      ripgrep,
      list,
      code: this.code.of(workspace.name)!,
      track: () => snapshots.begin(effects),
      compute: this.#compute,
      lines: this.#lines,
      languages: this.languages.of(workspace, effects),
      texts: this.#texts.of(workspace),
      pdf: this.#pdf,
      mcp: this.mcp.of(workspace, effects)
    }
  }

  /** Ends what a server that was killed has left half done in repositories. */
  endBegun(): Promise<void> {
    return this.#git.endBegun()
  }

  /** What is quarantined is kept as long as what calls removed. */
  sweepQuarantine(): Promise<number> {
    return sweepQuarantine(quarantineIn(this.#guard.stateDir), this.#settings.undo)
  }

  /** Gets the helper that starts processes ready, ahead of the first command. */
  warm() {
    this.#spawner.warm()
    void sweepTemporary(tmpdir())
  }

  async close() {
    this.outside.close()
    await this.code.close()
    await Promise.all([this.languages.close(), this.modules.close(), this.mcp.close()])
    for (const { list, watcher, snapshots } of this.workspaces.values()) {
      snapshots.close()
      list.close()
      watcher.close()
    }
    await this.#compute.close()
    await this.sandbox.close()
    await this.#git.close()
    await this.#spawner.close()
    await this.outputs.stored()
  }

  #open(workspace: Workspace) {
    this.#masking.follow(workspace)
    const ripgrep = new Ripgrep(this.#spawner, workspace, { exclude: searchExcludes(workspace, this.#guard) })
    const watcher = new Watcher(workspace, this.#settings.watch)
    this.code.open(workspace, watcher)
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

/** What a server before left in it is gone, where that was killed with its helper. */
function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** What belongs to the server besides its state. */
function besideState(settings: Settings, environment: Environment): string[] {
  const { token_file, call_token_file, agent_token_files, socket } = settings
  const tokens = [token_file, call_token_file, ...Object.values(agent_token_files)]
  return [...tokens, socket, ...runFolders(environment)].filter(file => file !== undefined)
}

function once(work: () => void): () => undefined {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
