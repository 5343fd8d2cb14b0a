// Services that outlive a call: served workspaces, the process spawner, captured output. Each call gets those it may use, bound
// to its workspace.

import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ContributionSource, staticContributions } from '../config/contributions.ts'
import type { Settings } from '../config/settings.ts'
import { currentLevel } from '../protocol/isolation-levels.ts'
import { serverFolders } from '../server/discovery.ts'
import { tokenKeyPath } from '../server/token-seal.ts'
import { homeFolder } from '../server/xdg.ts'
import { CodeIndexes } from './code/code-indexes.ts'
import { ComputePool } from './compute/compute-pool.ts'
import { PdfReader } from './compute/pdf-reader.ts'
import { EditorBuffers } from './editors/editor-buffers.ts'
import type { Effects } from './effects.ts'
import type { EgressNetwork } from './egress/guarded-connect.ts'
import { UpstreamProxy } from './egress/upstream-proxy.ts'
import { Files } from './files/files.ts'
import { LineIndexes } from './files/line-index.ts'
import { openWorkspace } from './files/paths.ts'
import { parseNamePattern } from './files/policy/name-patterns.ts'
import {
  createServerEntryCheck,
  findServerFiles,
  type PathGuard,
  searchExcludeGlobs,
  secretNamesOf
} from './files/policy/path-policy.ts'
import { RecentTexts } from './files/recent-texts.ts'
import { Git } from './git/git.ts'
import { GitService } from './git/git-service.ts'
import { gitUserFolders } from './git/git-user.ts'
import { HookRunner } from './hooks/hook-runner.ts'
import type { Host } from './host.ts'
import { LanguageServerPool } from './lsp/pool.ts'
import { McpServerManager } from './mcp/mcp-server-manager.ts'
import { McpTokenStore } from './mcp/token-store.ts'
import { ModulePool } from './modules/module-pool.ts'
import { ModuleRunner } from './modules/module-runner.ts'
import type { Environment } from './processes/environment.ts'
import { OutputStore } from './processes/outputs/output-store.ts'
import { Processes } from './processes/processes.ts'
import { Spawner } from './processes/spawner/spawner.ts'
import { StartGate } from './processes/start-gate.ts'
import { sandboxFolder } from './sandbox/bubblewrap/sandbox-files.ts'
import { removeStaleRunFiles } from './sandbox/bubblewrap/setup-status.ts'
import { quarantineFolder } from './sandbox/guard/quarantine.ts'
import { sweepQuarantine } from './sandbox/guard/quarantine-sweep.ts'
import { openSandbox } from './sandbox/open-sandbox.ts'
import { realPath, resolveConfiguredPath } from './sandbox/path-within.ts'
import type { SandboxManager } from './sandbox/sandbox-manager.ts'
import { FileList } from './search/file-list.ts'
import { Ripgrep } from './search/ripgrep.ts'
import type { SecretMasker } from './secrets/secret-masker.ts'
import { removeStaleTempFolders, stateTempFolder } from './temp-folders.ts'
import { Downloads } from './transfers/downloads.ts'
import { Uploads } from './transfers/uploads.ts'
import { trustFilePath } from './trust/trust-file.ts'
import { NO_TRUST, type TrustStore } from './trust/trust-store.ts'
import { Snapshots } from './undo-store/snapshots.ts'
import { openUndoStorage, type UndoStorage } from './undo-store/undo-storage.ts'
import { ExternalChanges } from './watch/external-changes.ts'
import { translateChange, translatePath } from './watch/nested-workspaces.ts'
import { Watcher } from './watch/watcher.ts'
import { WorkspacePresence } from './watch/workspace-presence.ts'
import { WorkspaceTree } from './watch/workspace-tree.ts'
import { WebClient } from './web/web-client.ts'
import { WebService } from './web/web-service.ts'
import type { DirAccess, Workspace } from './workspace.ts'

const WATCH_DELAY_MS = 500
/** Maximum size of a workspace's snapshot before a command. */
const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024
const WATCH_DISABLED_MESSAGE = 'Disabled by the setting `watch.external`.'

/** A workspace with the cached state of its tree. */
interface OpenedWorkspace extends Workspace {
  /**
   * Returns a version that changes with any file on disk; undefined while it cannot be determined reliably. Processes pending
   * events first.
   */
  treeVersion(): Promise<string | undefined>
  ripgrep: Ripgrep
  list: FileList
  watcher: Watcher
  snapshots: Snapshots
}

/** Overrides of the system's defaults. */
interface HostServicesOptions {
  /** The server's own. */
  environment: Environment
  dirAccess?: DirAccess
  network?: EgressNetwork
  /** Executable contributions from files, if they may change. */
  contributions?: ContributionSource
  /** Workspace contents that a person has trusted. */
  trust?: TrustStore
}

export class HostServices {
  readonly workspaces = new Map<string, OpenedWorkspace>()
  readonly outputs: OutputStore
  /** The blob store and write-ahead log. */
  readonly undoStorage: UndoStorage
  readonly buffers: EditorBuffers
  readonly downloads = new Downloads()
  readonly uploads: Uploads
  /** Reports external changes, once it is started. */
  readonly externalChanges: ExternalChanges
  /** Index for semantic code search. */
  readonly code: CodeIndexes
  readonly sandbox: SandboxManager
  /** Notices when the folder of a workspace is gone. */
  readonly presence = new WorkspacePresence(this.workspaces)
  /** Running language servers of all workspaces. */
  readonly languages: LanguageServerPool
  /** Running modules of users. */
  readonly modules: ModulePool
  /** MCP servers of all workspaces. */
  readonly mcp: McpServerManager
  /** Ports on which the server listens: unreachable for sandboxed programs. */
  readonly ownPorts: number[] = []
  /** Files and folders of the server itself: no command may name them. */
  readonly ownFiles: readonly string[]
  readonly #spawner: Spawner
  readonly #startGate: StartGate
  readonly #compute = new ComputePool()
  readonly #lines = new LineIndexes()
  readonly #texts: RecentTexts
  readonly #pdf = new PdfReader()
  readonly #git: GitService
  readonly #web: WebService
  readonly #guard: PathGuard
  readonly #settings: Settings
  readonly #masker: SecretMasker
  readonly #environment: Environment
  readonly #trust: TrustStore

  constructor(settings: Settings, masking: SecretMasker, options: HostServicesOptions) {
    const { environment, dirAccess, network, contributions, trust = NO_TRUST } = options
    this.#environment = environment
    this.#trust = trust
    this.#settings = settings
    this.#masker = masking
    // The configuration was checked when it was loaded.
    const sensitive = settings.sensitive.names.map(name => parseNamePattern(name) ?? name)
    const outsideState = serverFilesOutsideState(settings, environment)
    this.#guard = {
      stateDir: realpathSync(settings.state_dir),
      serverPaths: outsideState.map(realPath),
      sensitive,
      gitUser: gitUserFolders(environment)
    }
    this.ownFiles = [...new Set([settings.state_dir, this.#guard.stateDir, ...outsideState])]
    // A process that could open the pipe of another command would take its output, or add to it.
    this.#spawner = new Spawner(environment, emptyFolder(path.join(this.#guard.stateDir, 'pipes')))
    this.#startGate = new StartGate(this.#spawner)
    this.undoStorage = openUndoStorage(this.#guard.stateDir, settings.undo)
    this.#texts = new RecentTexts(this.#guard)
    this.uploads = new Uploads(this.#guard.stateDir)
    this.buffers = new EditorBuffers(this.#guard, settings.buffers)
    this.outputs = new OutputStore(path.join(settings.state_dir, 'outputs'), settings.output)
    emptyFolder(stateTempFolder(this.#guard.stateDir))
    removeStaleRunFiles(sandboxFolder(this.#guard.stateDir))
    this.sandbox = openSandbox({
      environment,
      settings: settings.sandbox,
      stateDir: this.#guard.stateDir,
      hidden: outsideState,
      sensitive,
      ownPorts: () => this.ownPorts,
      watcherOf: ({ name }) => this.workspaces.get(name)?.watcher,
      ...(network && { outside: network })
    })
    this.#git = new GitService({
      spawner: this.#spawner,
      roots: () => [...this.workspaces.values()].map(({ root }) => root),
      stateDir: this.#guard.stateDir,
      mayStillChange: (workspace, file) => this.sandbox.mayStillChange(workspace, file),
      hookPolicy: settings.git.hooks,
      readable: () => settings.sandbox.read.map(folder => resolveConfiguredPath(folder, homeFolder(environment)))
    })
    this.#web = new WebService({
      settings: settings.web,
      propagateTo: settings.telemetry.propagate_to,
      version: settings.version,
      ownPorts: this.ownPorts,
      environment,
      ...(network && { network })
    })
    this.code = new CodeIndexes(this.#guard, settings.search, {
      masked: text => masking.maskText(text),
      environment
    })
    this.externalChanges = new ExternalChanges(
      this.workspaces,
      this.#guard,
      settings.watch.external ? undefined : WATCH_DISABLED_MESSAGE
    )
    for (const root of settings.roots) this.#openWorkspace(openWorkspace(root.name, root.given ?? root.path, dirAccess))
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
    this.mcp = new McpServerManager({
      settings: settings.mcp,
      clientVersion: settings.version,
      contributions: contributions ?? staticContributions(settings.brought),
      workspaces: this.workspaces,
      tokenStore: new McpTokenStore(path.join(this.#guard.stateDir, 'mcp')),
      egressPolicy: () => ({
        ownPorts: this.ownPorts,
        ...(network ? { network } : { proxy: UpstreamProxy.fromEnvironment(environment) })
      }),
      spawner: this.#spawner,
      sandbox: this.sandbox,
      environment,
      env_allow: settings.env.allow,
      roots: [...this.workspaces.values()].map(({ root }) => root),
      level: currentLevel(settings.sandbox.level),
      maskValue: value => masking.maskValue(value)
    })
  }

  /** Returns the pids of the server's own processes. */
  serverPids(): number[] {
    return [process.pid, this.#spawner.pid, this.#git.pid].filter(pid => pid !== undefined)
  }

  /** Creates the host of one call. */
  createHost(workspace: Workspace, call_effects: Effects, call_id: string): Host {
    const { ripgrep, list, snapshots } = this.workspaces.get(workspace.name)!
    const served = [...this.workspaces.values()]
    let since = 0
    const effects: Effects = {
      ...call_effects,
      commitIntent: () => {
        since ||= performance.now()
        return call_effects.commitIntent()
      },
      recordChange: change => {
        this.externalChanges.noteOwnChange(workspace, change, since)
        for (const there of served) {
          const translated = translateChange(there, workspace, change)
          if (translated) there.snapshots.noteOtherChange(translated)
        }
        this.languages.recordChange(workspace, change)
        call_effects.recordChange(change)
      }
    }
    const ofFiles: Effects = {
      ...effects,
      recordChange: change => {
        this.sandbox.noteOwnWrite(workspace, change.path)
        effects.recordChange(change)
      },
      beginChange: paths => {
        const ends = served.map(there =>
          there.snapshots.beginOtherChange(paths.flatMap(path => translatePath(there, workspace, path) ?? []))
        )
        return () => {
          for (const end of ends) end()
        }
      }
    }
    const env_allow = this.#settings.env.allow
    const processesFor = (by: Effects) =>
      new Processes(this.#spawner, this.outputs, workspace, by, {
        call_id,
        env_allow,
        roots: served.map(({ root }) => root),
        sandbox: this.sandbox,
        gate: this.#startGate,
        place_in: stateTempFolder(this.#guard.stateDir),
        mask: () => this.#masker.createStreamMasker(),
        quiet_ms: this.#settings.commands.quiet_ms
      })
    return {
      files: new Files(workspace, this.#guard, ofFiles, { ...this.undoStorage, call: call_id }),
      processes: processesFor(effects),
      hooks: new HookRunner(workspace, {
        processes: signal => processesFor({ signal, commitIntent: async () => {}, recordChange: () => {} }),
        starter: { spawner: this.#spawner, sandbox: this.sandbox, environment: this.#environment },
        trust: this.#trust,
        home: homeFolder(this.#environment),
        env_allow
      }),
      modules: new ModuleRunner(this.modules, workspace, effects, this.#masker),
      git: new Git(this.#git, workspace, effects),
      findGitStores: () => this.sandbox.findGitStores(workspace),
      findReadableSecrets: level => this.sandbox.findReadableSecrets(level, workspace),
      web: new WebClient(this.#web, effects),
      ripgrep,
      list,
      code: this.code.get(workspace.name)!,
      track: () => snapshots.begin(effects),
      trackIfCheap: () => snapshots.beginIfCheap(effects),
      cover: options => snapshots.cover(effects, options),
      downloads: this.downloads,
      uploads: this.uploads,
      compute: this.#compute,
      lines: this.#lines,
      languages: this.languages.forCall(workspace, effects),
      texts: this.#texts.forWorkspace(workspace),
      pdf: this.#pdf,
      mcp: this.mcp.forCall(workspace, effects)
    }
  }

  /** Completes or reverts git operations that a killed server left pending. */
  recoverGitOperations(): Promise<void> {
    return this.#git.recoverPendingOperations()
  }

  /** Quarantined files are retained as long as removed contents. */
  sweepQuarantine(before: number): Promise<number> {
    const { max_bytes } = this.#settings.undo
    return sweepQuarantine(quarantineFolder(this.#guard.stateDir), { before, max_bytes })
  }

  /** Starts the spawner's helper ahead of the first command. */
  warm() {
    this.#spawner.prestart()
    void removeStaleTempFolders(tmpdir())
  }

  async close() {
    this.presence.close()
    this.externalChanges.close()
    this.downloads.close()
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
    await this.outputs.flushed()
  }

  #openWorkspace(workspace: Workspace) {
    this.#masker.addWorkspace(workspace)
    const ripgrep = new Ripgrep(this.#spawner, workspace, {
      exclude: searchExcludeGlobs(workspace, this.#guard),
      secrets: secretNamesOf(this.#guard),
      findServerFiles: () => findServerFiles(workspace, this.#guard)
    })
    const watcher = new Watcher(workspace, {
      max_folders: this.#settings.watch.max_folders,
      isExcluded: createServerEntryCheck(workspace, this.#guard)
    })
    this.code.add(workspace, watcher)
    let watching = false
    // Delayed: the first request should not compete with the watcher's initial scan.
    const later = once(() => {
      setTimeout(async () => {
        await watcher.start()
        watching = true
      }, WATCH_DELAY_MS).unref()
    })
    const treeVersion = async () => {
      if (!watching) return later()
      await watcher.settled()
      return watcher.isLive ? String(watcher.generation) : undefined
    }
    const snapshots = new Snapshots(
      new WorkspaceTree(workspace, this.#guard),
      this.#guard.stateDir,
      { max_file_bytes: this.#settings.undo.max_file_bytes, max_bytes: MAX_SNAPSHOT_BYTES },
      { blobs: this.undoStorage.blobs, watched: this.externalChanges.forWorkspace(workspace) }
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

/** Files of a previous server in it are obsolete if that was killed with its helper. */
function emptyFolder(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Returns the files and folders of this server outside its state folder, and of the user's other servers. */
function serverFilesOutsideState(settings: Settings, environment: Environment): string[] {
  const { token_file, call_token_file, agent_token_files, socket } = settings
  const tokens = [token_file, call_token_file, ...Object.values(agent_token_files)]
  return [
    ...tokens,
    socket,
    trustFilePath(environment),
    tokenKeyPath(environment),
    ...serverFolders(environment)
  ].filter(file => file !== undefined)
}

function once(work: () => void): () => undefined {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
