// Sandbox backend for Linux, based on bubblewrap: namespaces, a file system of explicit mounts, no capabilities, a seccomp
// filter, resource limits.
import { ToolError } from '../../../errors.ts'
import { homeFolder } from '../../../server/xdg.ts'
import { addConfigEnv } from '../../git-settings.ts'
import { findBwrap } from '../../processes/bwrap.ts'
import type { Workspace } from '../../workspace.ts'
import { findConfiguredCertificates } from '../configured-certificates.ts'
import { accessOf } from '../guard/guarded-workspace.ts'
import type { GuardedWorkspaces } from '../guard/guarded-workspaces.ts'
import { Limiter } from '../limits.ts'
import { resolveConfiguredPath } from '../path-within.ts'
import type { ConfinedProgram, Program } from '../sandbox.ts'
import type { Confinement, SandboxBackend, SandboxBackendOptions, SandboxedLevel } from '../sandbox-backend.ts'
import { Toolchains } from '../toolchains.ts'
import { prepareDiscarded } from './discarded-folders.ts'
import { InheritedFiles, mountArguments } from './mount-arguments.ts'
import { mountCheckArgv } from './mount-check.ts'
import { passArguments } from './pass-arguments.ts'
import { prelude } from './prelude.ts'
import { type SandboxFiles, sandboxFolder, writeSandboxFiles } from './sandbox-files.ts'
import { trackSetup } from './setup-status.ts'
import { splitEnvironment } from './split-environment.ts'
import { overlapsSystem } from './system-folders.ts'

/** User id of a sandboxed program if the server is root: the same user outside, without appearing as root inside. */
const UNPRIVILEGED_ID = 1_000

/** Parts shared by all commands. */
interface BackendParts {
  bwrap: string
  sandboxFiles: SandboxFiles
  home: string
  toolchains: Toolchains
  certificates: readonly string[]
  limiter: Limiter
  /** Mounts can be passed as open descriptors, so that no name is looked up again. */
  canBindFds: boolean
}

export class Bubblewrap implements SandboxBackend {
  readonly name = 'bubblewrap'
  readonly canGrantHosts = true
  readonly #options: SandboxBackendOptions
  readonly #bwrap = findBwrap()
  readonly #workspaces: GuardedWorkspaces
  #parts: Promise<BackendParts> | undefined

  constructor(options: SandboxBackendOptions, workspaces: GuardedWorkspaces) {
    this.#options = options
    this.#workspaces = workspaces
  }

  async findMissing(level: SandboxedLevel): Promise<string | undefined> {
    if (level === 'container') return "In a container, only Landlock can deny commands access to the server's files."
    return this.#bwrap ? undefined : 'bubblewrap is not installed: install the package `bubblewrap`.'
  }

  async lacks() {
    const { sandboxFiles, limiter, canBindFds } = await this.#ready()
    return [
      ...limiter.lacks,
      ...(sandboxFiles.seccomp ? [] : [`a system call filter for ${process.arch}`]),
      ...(sandboxFiles.devices
        ? []
        : ['private devices: as root, a command may change the permissions of devices of the machine']),
      ...(canBindFds
        ? []
        : [
            'mounts by descriptor (bubblewrap 0.10), which protect against commands that move folders while others start'
          ])
    ]
  }

  async confine(program: Program, { level, ...hiding }: Confinement, workspace: Workspace): Promise<ConfinedProgram> {
    const { root } = workspace
    if (overlapsSystem(root))
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        `Commands cannot be sandboxed in the workspace ${root}, because it includes system folders. Serve a smaller folder.`
      )
    const { bwrap, limiter, toolchains: programs, ...parts } = await this.#ready()
    const { sandboxFiles, canBindFds, home } = parts
    const { settings, stateDir, hidden } = this.#options
    const toolchains = await programs.pathsFor(root)
    // The user who configures a readable path means its contents to be readable.
    const exposed = [...settings.read, ...settings.write].map(file => resolveConfiguredPath(file, home))
    const guard = await this.#workspaces.of(workspace).begin(accessOf(level, hiding), exposed, {
      readOnly: hiding.readOnly ?? [],
      replaced: (hiding.discards ?? []).map(folder => folder.path),
      hidden: hiding.hides ?? []
    })
    const discarded = await prepareDiscarded(hiding.discards ?? [], { root, folder: sandboxFiles.folder }).catch(
      async error => {
        await guard.release()
        throw error
      }
    )
    try {
      const { env, setenvArguments } = splitEnvironment({
        ...addConfigEnv(program.env, [
          ...guard.trustRepositories(),
          ...(hiding.neutralizesGit ? guard.neutralizeGit(home) : [])
        ]),
        ...(hiding.discards && DISCARDING),
        TMPDIR: '/tmp'
      })
      const descriptors = new InheritedFiles()
      const setUp = trackSetup(sandboxFiles.folder)
      descriptors.add(setUp.inheritedFile)
      const view = mountArguments(
        {
          ...parts,
          program,
          level,
          ...hiding,
          discarded: discarded.mounts,
          root,
          links: workspace.links,
          settings,
          guard,
          toolchains,
          serverFiles: [stateDir, ...hidden]
        },
        descriptors
      )
      // Last of the steps that may fail: a cgroup remains until it is removed.
      const bounds = limiter.apply(program.limits)
      const passed = passArguments(sandboxFiles.folder, [...view, '--chdir', program.cwd], descriptors)
      const args = [
        ...setUp.args,
        ...NAMESPACES,
        ...(program.terminal ? [] : ['--new-session']),
        ...identityArguments(),
        ...passed.args,
        ...setenvArguments,
        ...(sandboxFiles.seccomp ? ['--seccomp', descriptors.add(sandboxFiles.seccomp)] : []),
        '--',
        ...(guard.hasConcurrentWriters && !canBindFds
          ? mountCheckArgv([...guard.pinnedFolders, ...guard.readOnlyEntries])
          : []),
        ...bounds.argvPrefix,
        program.file,
        ...program.args
      ]
      const [file, ...rest] = [...prelude([...setUp.shellLines, ...bounds.shellLines]), bwrap, ...args]
      const released = async () => {
        const never_began = !setUp.hasStarted()
        // A remaining cgroup is swept later; the guard is released in any case.
        const { out_of_memory } = await bounds.remove().catch(() => ({ out_of_memory: false }))
        passed.remove()
        await discarded.remove()
        const aftermath = await guard.release()
        return { ...aftermath, ...(out_of_memory && { out_of_memory }), ...(never_began && { never_began }) }
      }
      return {
        file: file!,
        args: rest,
        cwd: '/',
        env,
        inherit: descriptors.files,
        isSandbox: true,
        hasBegun: setUp.hasBegun,
        exposure: guard.exposure,
        released
      }
    } catch (error) {
      await discarded.remove()
      await guard.release()
      throw error
    }
  }

  #ready(): Promise<BackendParts> {
    this.#parts ??= this.#prepare().catch(error => {
      this.#parts = undefined
      throw error
    })
    return this.#parts
  }

  async #prepare(): Promise<BackendParts> {
    const bwrap = this.#bwrap
    if (!bwrap) throw new ToolError('SANDBOX_UNAVAILABLE', (await this.findMissing('workspace')) ?? '')
    const { environment, settings, stateDir, sensitive } = this.#options
    const home = homeFolder(environment)
    const certificates = findConfiguredCertificates(environment)
    const { execa } = await import('execa')
    const help = await execa(bwrap, ['--help'], { env: {}, extendEnv: false })
    return {
      bwrap,
      sandboxFiles: await writeSandboxFiles(sandboxFolder(stateDir), { ...identity(), home, certificates, sensitive }),
      home,
      toolchains: new Toolchains(environment),
      certificates,
      limiter: new Limiter(settings),
      canBindFds: help.stdout.includes('--ro-bind-fd')
    }
  }
}

/** No caches appear beside sources: they would be taken away after the command. */
const DISCARDING = { PYTHONDONTWRITEBYTECODE: '1' }

const NAMESPACES = [
  ...['--unshare-all', '--unshare-user', '--disable-userns'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--hostname', 'sandbox']
]

/** Files retain their owner: whatever user id the program has inside, outside it is the server's user. */
function identity() {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()]
  return uid === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : { uid, gid }
}

function identityArguments() {
  const { uid, gid } = identity()
  return ['--uid', String(uid), '--gid', String(gid)]
}
