// Sandbox backend for Linux without namespaces, based on Landlock: a launcher that grants single files and folders, drops all
// capabilities and installs a filter of system calls. It serves the level that writes nothing.
import { mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { homeFolder } from '../../../server/xdg.ts'
import { createTempFolder } from '../../temp-folders.ts'
import type { Workspace } from '../../workspace.ts'
import { ETC_NAMES, ETC_PRIVATE_FOLDERS, sandboxFolder } from '../bubblewrap/sandbox-files.ts'
import { POLICY_PREFIX } from '../bubblewrap/setup-status.ts'
import { overlapsSystem, SYSTEM_FOLDERS } from '../bubblewrap/system-folders.ts'
import { findConfiguredCertificates } from '../configured-certificates.ts'
import type { GuardedWorkspaces } from '../guard/guarded-workspaces.ts'
import { withHostPaths } from '../host-paths.ts'
import { Limiter } from '../limits.ts'
import { realPath, realPathIfExists, resolveConfiguredPath } from '../path-within.ts'
import type { ConfinedProgram, Program } from '../sandbox.ts'
import type { Confinement, SandboxBackend, SandboxBackendOptions, SandboxedLevel } from '../sandbox-backend.ts'
import { LANDLOCK_READ_ONLY_SYSCALLS } from '../seccomp/landlock-calls.ts'
import { buildFilter } from '../seccomp/seccomp.ts'
import { GIT_ATTRIBUTES_FILE, secretAttributes } from '../secret-attributes.ts'
import { Toolchains } from '../toolchains.ts'
import { ALL_BUT_DEVICES, encodeGrants, type Grant, grantTree, READ_AND_EXECUTE } from './grants.ts'
import { findLauncher, findMissingOfLandlock } from './launcher.ts'

/** The launcher ends everything that the program has started, and itself. */
const END_SIGNAL = 'SIGQUIT'

/** Names of users, and the order of look-ups: programs ask for them at their start. No passwords are in them. */
const ETC_FILES = ['group', 'hosts', 'nsswitch.conf', 'passwd']
/** They hold private keys too, which are left out. */
const CERTIFICATE_STORES = ['/etc/pki', '/etc/ssl']
const DEVICES: readonly Grant[] = [
  { modes: 'rw', path: '/dev/null' },
  ...['full', 'random', 'urandom', 'zero'].map(name => ({ modes: 'r', path: `/dev/${name}` }))
]
const TERMINAL: Grant = { modes: 'rwi', path: '/dev/tty' }
/** About the machine, none about other processes. */
const PROC_FILES = [
  ...['cpuinfo', 'filesystems', 'loadavg', 'meminfo', 'stat', 'uptime', 'version'],
  ...['sys/fs', 'sys/kernel', 'sys/vm']
]

interface BackendParts {
  launcher: string
  folder: string
  filter: string
  limiter: Limiter
  toolchains: Toolchains
  certificates: readonly string[]
  home: string
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

  findMissing(level: SandboxedLevel): string | undefined {
    if (level === 'workspace')
      return 'Landlock cannot take a protected file out of a folder that a command may write to.'
    const missing = findMissingOfLandlock(this.#launcher)
    if (missing !== undefined) return missing
    return buildFilter(process.arch) ? undefined : `There is no filter of system calls for ${process.arch}.`
  }

  get lacks() {
    return [
      ...this.#ready().limiter.lacks,
      'hidden names: a command can list the names in folders that hold secrets, and see that files outside exist',
      'changes of modes and times of files, even of temporary ones',
      'process namespaces: a command cannot see other processes, nor those that it starts itself, by /proc'
    ]
  }

  async confine(
    program: Program,
    { hidesHistory, hidesCredentials }: Confinement,
    workspace: Workspace
  ): Promise<ConfinedProgram> {
    const { root } = workspace
    if (overlapsSystem(root))
      throw new ToolError('SANDBOX_UNAVAILABLE', `A workspace at ${root} holds the system: nothing can be kept in it.`)
    const { launcher, limiter, folder, filter, home, toolchains, certificates } = this.#ready()
    const { settings, stateDir, hidden, sensitive } = this.#options
    const exposed = [...settings.read, ...settings.write].map(file => resolveConfiguredPath(file, home))
    const guard = await this.#workspaces.of(workspace).begin(false, exposed)
    const policy = path.join(folder, `${POLICY_PREFIX}${process.pid}-${++last}`)
    const temporary = await createTempFolder(tmpdir()).catch(async error => {
      await guard.release()
      throw error
    })
    const cleanUp = async () => {
      rmSync(policy, { force: true })
      await temporary.remove()
    }
    try {
      const own = realpathSync(temporary.path)
      mkdirSync(path.join(own, 'home'))
      const attributes = path.join(own, path.basename(GIT_ATTRIBUTES_FILE))
      writeFileSync(attributes, secretAttributes(sensitive).join('\n'))
      const mounts = [...(program.mounts ?? []), { from: attributes, to: GIT_ATTRIBUTES_FILE }]
      const tools = await toolchains.pathsFor(root)
      const excluded = [
        ...guard.hidden,
        ...(hidesHistory ? guard.gitStores : []),
        ...(hidesCredentials ? guard.gitConfigs.map(config => config.path) : []),
        ...tools.hidden,
        ...ETC_PRIVATE_FOLDERS,
        ...[stateDir, ...hidden].flatMap(each => [each, realPath(each)])
      ]
      const trees = [root, ...guard.outside, ...tools.folders, ...exposed, ...certificates, ...CERTIFICATE_STORES]
      const grants: Grant[] = [
        ...SYSTEM_GRANTS,
        ...(await Promise.all(trees.flatMap(realPathIfAny).map(each => grantTree(each, excluded)))).flat(),
        ...(program.mounts ?? []).map(({ from }) => ({ modes: READ_AND_EXECUTE, path: realPath(from) })),
        ...(program.terminal ? [TERMINAL] : []),
        { modes: ALL_BUT_DEVICES, path: own }
      ]
      const encoded = Buffer.from(encodeGrants(grants))
      writeFileSync(policy, encoded, { mode: 0o600 })
      const { file: name, args, env } = withHostPaths({ ...program, mounts })
      // The launcher appends its report.
      const hasBegun = () => (statSync(policy, { throwIfNoEntry: false })?.size ?? 0) > encoded.length
      // Last of the steps that may fail: a cgroup remains until it is removed.
      const bounds = limiter.apply(program.limits)
      return {
        file: launcher,
        args: [
          ...['--policy', policy, '--filter', filter],
          ...Object.entries(bounds.perProcess).flatMap(([limit, value]) =>
            Number.isFinite(value) ? ['--limit', `${limit}=${value}`] : []
          ),
          ...bounds.joinFiles.flatMap(each => ['--cgroup', each]),
          ...(program.terminal ? ['--terminal'] : []),
          ...['--', name, ...args]
        ],
        cwd: program.cwd,
        // Git ends with an error where a configuration exists that it may not read.
        env: { ...env, TMPDIR: own, HOME: path.join(own, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
        inherit: [],
        endSignal: END_SIGNAL,
        hasBegun,
        exposure: guard.exposure,
        released: async () => {
          const never_began = !hasBegun()
          // A remaining cgroup is swept later; the guard is released in any case.
          const { out_of_memory } = await bounds.remove().catch(() => ({ out_of_memory: false }))
          const aftermath = await cleanUp().then(guard.release, guard.release)
          return { ...aftermath, ...(out_of_memory && { out_of_memory }), ...(never_began && { never_began }) }
        }
      }
    } catch (error) {
      await cleanUp().then(guard.release, guard.release)
      throw error
    }
  }

  #ready(): BackendParts {
    this.#parts ??= this.#prepare()
    return this.#parts
  }

  #prepare(): BackendParts {
    const launcher = this.#launcher
    const filter = buildFilter(process.arch, LANDLOCK_READ_ONLY_SYSCALLS)
    if (launcher === undefined || !filter)
      throw new ToolError('SANDBOX_UNAVAILABLE', this.findMissing('read-only') ?? '')
    const { environment, settings, stateDir } = this.#options
    const folder = sandboxFolder(stateDir)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = path.join(folder, 'landlock-read-only.bpf')
    writeFileSync(file, filter, { mode: 0o600 })
    return {
      launcher,
      folder,
      filter: file,
      limiter: new Limiter(settings),
      toolchains: new Toolchains(environment),
      certificates: findConfiguredCertificates(environment),
      home: homeFolder(environment)
    }
  }
}

const realPathIfAny = (file: string) => realPathIfExists(file) ?? []

const SYSTEM_GRANTS: readonly Grant[] = [
  ...SYSTEM_FOLDERS.flatMap(realPathIfAny).map(folder => ({
    modes: READ_AND_EXECUTE,
    path: folder
  })),
  ...[...ETC_NAMES.mounted, ...ETC_NAMES.copied, ...ETC_FILES]
    .map(name => `/etc/${name}`)
    .filter(file => !CERTIFICATE_STORES.includes(file))
    .flatMap(realPathIfAny)
    .map(file => ({ modes: 'rl', path: file })),
  ...PROC_FILES.map(name => ({ modes: 'rl', path: `/proc/${name}` })),
  ...DEVICES
]
