// Sandbox backend for macOS, based on the system's `sandbox-exec`. There are no namespaces: every path stays visible under its
// name, and a profile defines the permitted operations. The test suite has not been run on macOS yet; the levels are probed
// before they are trusted, as everywhere.
import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { homeFolder } from '../../server/xdg.ts'
import { addConfigEnv } from '../git-settings.ts'
import { createTempFolder } from '../temp-folders.ts'
import type { Workspace } from '../workspace.ts'
import { findConfiguredCertificates } from './configured-certificates.ts'
import { accessOf } from './guard/guarded-workspace.ts'
import type { GuardedWorkspaces } from './guard/guarded-workspaces.ts'
import { withHostPaths } from './host-paths.ts'
import { realPath, resolveConfiguredPath } from './path-within.ts'
import type { ConfinedProgram, Program } from './sandbox.ts'
import type { Confinement, SandboxBackend, SandboxBackendOptions, SandboxedLevel } from './sandbox-backend.ts'
import { buildProfile, type ProfilePaths } from './seatbelt-profile.ts'
import { GIT_ATTRIBUTES_FILE, secretAttributes } from './secret-attributes.ts'
import { Toolchains } from './toolchains.ts'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'
const SYSTEM = ['/usr', '/bin', '/sbin', '/System', '/Library', '/opt/homebrew', '/private/etc/ssl']
const BLOCK = 512
const LACKS = [
  'limits for memory and processes',
  'process namespaces: processes of a command can see which other processes run'
]

export class Seatbelt implements SandboxBackend {
  readonly name = 'seatbelt'
  readonly canGrantHosts = false
  readonly #options: SandboxBackendOptions
  readonly #toolchains: Toolchains
  readonly #certificates: readonly string[]
  readonly #workspaces: GuardedWorkspaces

  constructor(options: SandboxBackendOptions, workspaces: GuardedWorkspaces) {
    this.#options = options
    const { environment } = options
    this.#toolchains = new Toolchains(environment)
    this.#certificates = findConfiguredCertificates(environment)
    this.#workspaces = workspaces
  }

  lacks = async () => LACKS

  async findMissing(level: SandboxedLevel): Promise<string | undefined> {
    if (level === 'container') return `${process.platform} has no containers.`
    return existsSync(SANDBOX_EXEC) ? undefined : `${SANDBOX_EXEC} is missing.`
  }

  async confine(
    program: Program,
    { level, hidesHistory, neutralizesGit, readOnly, hides = [], discards = [] }: Confinement,
    workspace: Workspace
  ): Promise<ConfinedProgram> {
    const { environment, settings, stateDir, hidden, sensitive } = this.#options
    const { cpu_seconds, file_bytes, open_files } = settings
    const toolchains = await this.#toolchains.pathsFor(workspace.root)
    const home = homeFolder(environment)
    const expandedAll = (files: readonly string[]) => files.map(file => resolveConfiguredPath(file, home))
    const configured = expandedAll([...settings.read, ...settings.write])
    const guard = await this.#workspaces
      .of(workspace)
      .begin(accessOf(level, { ...(readOnly && { readOnly }) }), configured, {
        // Nothing can be mounted over these folders.
        readOnly: [...(readOnly ?? []), ...discards.map(folder => folder.path)],
        replaced: [],
        hidden: hides
      })
    try {
      const temporary = await createTempFolder(tmpdir())
      const folder = realpathSync(temporary.path)
      const attributes = path.join(folder, path.basename(GIT_ATTRIBUTES_FILE))
      writeFileSync(attributes, secretAttributes(sensitive).join('\n'))
      const mounts = [...(program.mounts ?? []), { from: attributes, to: GIT_ATTRIBUTES_FILE }]
      const writable = level === 'workspace' ? [workspace.root, ...(readOnly ? [] : expandedAll(settings.write))] : []
      const places: ProfilePaths = {
        read: [
          ...SYSTEM,
          ...toolchains.folders,
          ...configured,
          ...this.#certificates,
          ...guard.outside,
          ...(hidesHistory ? [] : (guard.findSurrounding()?.entries ?? [])),
          workspace.root
        ],
        write: [folder, ...writable],
        kept: guard.readOnlyEntries.map(held => held.path),
        hidden: [
          ...guard.hidden,
          ...hides.map(file => path.join(workspace.root, file)),
          ...(hidesHistory ? guard.gitStores : []),
          ...toolchains.hidden,
          ...[stateDir, ...hidden].map(realPath)
        ],
        mounted: mounts.map(({ from }) => realPath(from)),
        mountedWritable: mounts.filter(({ isWritable }) => isWritable).map(({ from }) => realPath(from))
      }
      const { text, parameters } = buildProfile(places)
      const limits = `ulimit -c 0 && ulimit -n ${open_files} && ulimit -t ${cpu_seconds} && ulimit -f ${Math.ceil(file_bytes / BLOCK)} && exec "$@"`
      const { file, args, env } = withHostPaths({
        ...program,
        mounts,
        env: addConfigEnv(program.env, [
          ...guard.trustRepositories(),
          ...(neutralizesGit ? guard.neutralizeGit(home) : [])
        ])
      })
      return {
        file: SANDBOX_EXEC,
        args: ['-p', text, ...parameters, '/bin/sh', '-c', limits, 'sandbox', file, ...args],
        cwd: program.cwd,
        env: { ...env, TMPDIR: folder },
        inherit: [],
        isSandbox: true,
        exposure: guard.exposure,
        released: () => temporary.remove().then(guard.release, guard.release)
      }
    } catch (error) {
      await guard.release()
      throw error
    }
  }
}
