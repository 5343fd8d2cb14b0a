// Keeping programs on macOS, by the system's own `sandbox-exec`. There are no namespaces there: every path stays where it
// is, and a profile says what may be done with it. Nobody has run this against the suite yet; the levels are tried out
// before they are trusted, as everywhere.
import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { homeOf } from '../../server/xdg.ts'
import type { Workspace } from '../host.ts'
import { temporaryFolder } from '../temp-folders.ts'
import { certificatesNamed } from './configured-certificates.ts'
import type { GuardedWorkspaces } from './guard/guarded-workspaces.ts'
import { unmounted } from './host-paths.ts'
import { expanded, real } from './path-within.ts'
import type { Confined, Program } from './sandbox.ts'
import type { Keeper, KeeperOptions, KeptLevel } from './sandbox-backend.ts'
import { type Places, profile } from './seatbelt-profile.ts'
import { Toolchains } from './toolchains.ts'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'
const SYSTEM = ['/usr', '/bin', '/sbin', '/System', '/Library', '/opt/homebrew', '/private/etc/ssl']
const BLOCK = 512

export class Seatbelt implements Keeper {
  readonly missing = existsSync(SANDBOX_EXEC) ? undefined : `There is no ${SANDBOX_EXEC}.`
  readonly lacks = [
    'limits for memory and processes',
    'process namespaces: what a command starts can tell what else runs'
  ]
  readonly grantsHosts = false
  readonly #options: KeeperOptions
  readonly #toolchains: Toolchains
  readonly #certificates: readonly string[]
  readonly #workspaces: GuardedWorkspaces

  constructor(options: KeeperOptions, workspaces: GuardedWorkspaces) {
    this.#options = options
    const { environment } = options
    this.#toolchains = new Toolchains(environment)
    this.#certificates = certificatesNamed(environment)
    this.#workspaces = workspaces
  }

  async confine(program: Program, level: KeptLevel, workspace: Workspace): Promise<Confined> {
    const { environment, settings, stateDir, hidden } = this.#options
    const { cpu_seconds, file_bytes, open_files } = settings
    const toolchains = await this.#toolchains.beside(workspace.root)
    const home = homeOf(environment)
    const expandedAll = (files: readonly string[]) => files.map(file => expanded(file, home))
    const configured = expandedAll([...settings.read, ...settings.write])
    const guard = await this.#workspaces.of(workspace).begin(level === 'workspace', configured)
    try {
      const temporary = await temporaryFolder(tmpdir())
      const folder = realpathSync(temporary.path)
      const mounts = program.mounts ?? []
      const writable = level === 'workspace' ? [workspace.root, ...expandedAll(settings.write)] : []
      const places: Places = {
        read: [
          ...SYSTEM,
          ...toolchains.folders,
          ...configured,
          ...this.#certificates,
          ...guard.outside,
          workspace.root
        ],
        write: [folder, ...writable],
        kept: guard.held.map(held => held.path),
        hidden: [...guard.hidden, ...toolchains.hidden, ...[stateDir, ...hidden].map(real)],
        mounted: mounts.map(({ from }) => real(from))
      }
      const { text, parameters } = profile(places)
      const limits = `ulimit -c 0 && ulimit -n ${open_files} && ulimit -t ${cpu_seconds} && ulimit -f ${Math.ceil(file_bytes / BLOCK)} && exec "$@"`
      const { file, args } = unmounted(program)
      return {
        file: SANDBOX_EXEC,
        args: ['-p', text, ...parameters, '/bin/sh', '-c', limits, 'sandbox', file, ...args],
        cwd: program.cwd,
        env: { ...program.env, TMPDIR: folder },
        inherit: [],
        released: () => temporary.remove().then(guard.release, guard.release)
      }
    } catch (error) {
      await guard.release()
      throw error
    }
  }
}
