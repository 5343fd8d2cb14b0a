// Sandbox backend for Linux without namespaces, based on Landlock: a launcher that grants single files and folders, drops all
// capabilities and installs a filter of system calls.
import { mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { homeFolder, xdgFolder } from '../../../server/xdg.ts'
import { addConfigEnv } from '../../git-settings.ts'
import type { Environment } from '../../processes/environment.ts'
import { createTempFolder } from '../../temp-folders.ts'
import { packageFolder } from '../../user-file.ts'
import type { Workspace } from '../../workspace.ts'
import { sandboxFolder } from '../bubblewrap/sandbox-files.ts'
import { POLICY_PREFIX } from '../bubblewrap/setup-status.ts'
import { overlapsSystem } from '../bubblewrap/system-folders.ts'
import { findConfiguredCertificates } from '../configured-certificates.ts'
import type { GuardedWorkspaces } from '../guard/guarded-workspaces.ts'
import { withHostPaths } from '../host-paths.ts'
import { Limiter } from '../limits.ts'
import { isWithin, realPath, resolveConfiguredPath } from '../path-within.ts'
import type { ConfinedProgram, Program } from '../sandbox.ts'
import type { Confinement, SandboxBackend, SandboxBackendOptions, SandboxedLevel } from '../sandbox-backend.ts'
import { buildFilter } from '../seccomp/seccomp.ts'
import { Toolchains } from '../toolchains.ts'
import { ALL_BUT_DEVICES, encodeGrants, type Grant, READ_AND_EXECUTE, READ_AND_WRITE } from './grants.ts'
import { findLauncher, findMissingOfLandlock } from './launcher.ts'
import { LEVEL_GRANTS, withRealPaths } from './level-grants.ts'
import { LEVEL_PROFILES } from './level-profiles.ts'

/** The launcher ends everything that the program has started, and itself. */
const END_SIGNAL = 'SIGQUIT'
const TERMINAL: Grant = { modes: 'rwi', path: '/dev/tty' }

interface BackendParts {
  launcher: string
  folder: string
  limiter: Limiter
  toolchains: Toolchains
  certificates: readonly string[]
  /** Paths of the program and the configuration of the server. */
  programs: readonly string[]
}

let last = 0

export class Landlock implements SandboxBackend {
  readonly name = 'landlock'
  readonly canGrantHosts = false
  readonly #options: SandboxBackendOptions
  readonly #workspaces: GuardedWorkspaces
  readonly #launcher: string | undefined
  #parts: BackendParts | undefined

  constructor(options: SandboxBackendOptions, workspaces: GuardedWorkspaces, launcher = findLauncher()) {
    this.#options = options
    this.#workspaces = workspaces
    this.#launcher = launcher
  }

  async findMissing(level: SandboxedLevel): Promise<string | undefined> {
    if (level === 'workspace' && this.#options.settings.network.length > 0)
      return 'Landlock cannot limit network access to single hosts, which the setting sandbox.network requires.'
    const missing = await findMissingOfLandlock(this.#launcher)
    if (missing !== undefined) return missing
    return buildFilter(process.arch)
      ? undefined
      : `There is no system call filter for the processor type ${process.arch}.`
  }

  lacks = async (level: SandboxedLevel) => [...(await this.#ready()).limiter.lacks, ...LEVEL_PROFILES[level].lacks]

  permits = (level: SandboxedLevel) => LEVEL_PROFILES[level].permits

  exposesWorkspace = (level: SandboxedLevel) => level === 'workspace'

  async findReadableSecrets(level: SandboxedLevel, workspace: Workspace): Promise<string[]> {
    if (!this.exposesWorkspace(level)) return []
    const { readable, writable } = this.#configuredPaths()
    return this.#workspaces.of(workspace).findSecrets([...readable, ...writable])
  }

  async confine(program: Program, { level, ...hiding }: Confinement, workspace: Workspace): Promise<ConfinedProgram> {
    const { root } = workspace
    const { prepare, hasNetwork, guards } = LEVEL_PROFILES[level]
    if (guards && overlapsSystem(root))
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        `Commands cannot be sandboxed in the workspace ${root}, because it includes system folders. Serve a smaller folder.`
      )
    const { launcher, limiter, folder, toolchains, certificates, programs } = await this.#ready()
    const { stateDir, hidden } = this.#options
    const { readable, writable } = this.#configuredPaths()
    const guard = guards
      ? await this.#workspaces
          .of(workspace)
          .begin(level === 'workspace' ? 'writes-all' : 'reads', [...readable, ...writable])
      : undefined
    const policy = path.join(folder, `${POLICY_PREFIX}${process.pid}-${++last}`)
    const release = guard?.release ?? (async () => ({ quarantined: [] }))
    const temporary = await createTempFolder(tmpdir()).catch(async error => {
      await release()
      throw error
    })
    const cleanUp = async () => {
      rmSync(policy, { force: true })
      await temporary.remove()
    }
    try {
      const own = realpathSync(temporary.path)
      const neutral = (hiding.neutralizesGit && guard?.neutralizeGit(homeFolder(this.#options.environment))) || []
      const settings = [...(guard?.trustRepositories() ?? []), ...neutral]
      const started = { ...program, env: addConfigEnv(program.env, settings) }
      const scene = {
        ...{ ...hiding, root, guard, readable, writable, certificates },
        toolchains: await toolchains.pathsFor(root),
        serverFiles: [...withRealPaths([stateDir, ...hidden]), ...(guard?.serverEntries ?? [])],
        // Where the server is developed, its programs are the workspace.
        serverPrograms: programs.filter(file => !isWithin(file, root) && !isWithin(root, file))
      }
      const grants: Grant[] = [
        ...(await LEVEL_GRANTS[level](scene)),
        ...(program.mounts ?? []).map(({ from, isWritable }) => ({
          modes: isWritable ? READ_AND_WRITE : READ_AND_EXECUTE,
          path: realPath(from)
        })),
        ...(program.terminal ? [TERMINAL] : []),
        { modes: ALL_BUT_DEVICES, path: own }
      ]
      const encoded = encodeGrants(grants)
      writeFileSync(policy, encoded, { mode: 0o600 })
      const { file: name, args, env } = withHostPaths(prepare(started, own, this.#options))
      // The launcher appends its report.
      const hasBegun = () => (statSync(policy, { throwIfNoEntry: false })?.size ?? 0) > encoded.length
      // Last of the steps that may fail: a cgroup remains until it is removed.
      const bounds = limiter.apply(program.limits)
      return {
        file: launcher,
        args: [
          ...['--policy', policy, '--filter', filterFile(folder, level)],
          ...Object.entries(bounds.perProcess).flatMap(([limit, value]) =>
            Number.isFinite(value) ? ['--limit', `${limit}=${value}`] : []
          ),
          ...bounds.joinFiles.flatMap(each => ['--cgroup', each]),
          ...(hasNetwork ? ['--network'] : []),
          ...(program.terminal ? ['--terminal'] : []),
          ...['--', name, ...args]
        ],
        cwd: program.cwd,
        env,
        inherit: [],
        isSandbox: true,
        endSignal: END_SIGNAL,
        hasBegun,
        exposure: guard?.exposure,
        released: async () => {
          const never_began = !hasBegun()
          // A remaining cgroup is swept later; the guard is released in any case.
          const { out_of_memory } = await bounds.remove().catch(() => ({ out_of_memory: false }))
          const aftermath = await cleanUp().then(release, release)
          return { ...aftermath, ...(out_of_memory && { out_of_memory }), ...(never_began && { never_began }) }
        }
      }
    } catch (error) {
      await cleanUp().then(release, release)
      throw error
    }
  }

  #configuredPaths() {
    const { settings, environment } = this.#options
    const home = homeFolder(environment)
    const resolve = (files: readonly string[]) => files.map(file => resolveConfiguredPath(file, home))
    return { readable: resolve(settings.read), writable: resolve(settings.write) }
  }

  async #ready(): Promise<BackendParts> {
    this.#parts ??= await this.#prepare()
    return this.#parts
  }

  async #prepare(): Promise<BackendParts> {
    const launcher = this.#launcher
    const { environment, settings, stateDir } = this.#options
    const folder = sandboxFolder(stateDir)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const [level, { syscalls }] of Object.entries(LEVEL_PROFILES)) {
      const filter = buildFilter(process.arch, syscalls)
      if (launcher === undefined || !filter)
        throw new ToolError('SANDBOX_UNAVAILABLE', (await this.findMissing('read-only')) ?? '')
      writeFileSync(filterFile(folder, level), filter, { mode: 0o600 })
    }
    return {
      launcher: launcher!,
      folder,
      limiter: new Limiter(settings),
      toolchains: new Toolchains(environment),
      certificates: findConfiguredCertificates(environment),
      programs: [packageFolder(), process.execPath, configFolder(environment), '/etc/toolgate'].map(realPath)
    }
  }
}

/** The folder of the user's configuration, which says what runs unasked. */
const configFolder = (environment: Environment) =>
  path.join(xdgFolder(environment, 'XDG_CONFIG_HOME', '.config'), 'toolgate')

const filterFile = (folder: string, level: string) => path.join(folder, `landlock-${level}.bpf`)
