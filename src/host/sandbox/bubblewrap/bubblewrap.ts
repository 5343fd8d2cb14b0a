// Keeping programs on Linux, by bubblewrap: namespaces of their own, a file system that holds only what is put there, no
// rights, a filter of system calls, limits.
import { execFileSync } from 'node:child_process'
import { ToolError } from '../../../errors.ts'
import { homeOf } from '../../../server/xdg.ts'
import type { Workspace } from '../../host.ts'
import { findBwrap } from '../../processes/bwrap.ts'
import { certificatesNamed } from '../configured-certificates.ts'
import type { GuardedWorkspaces } from '../guard/guarded-workspaces.ts'
import { expanded } from '../path-within.ts'
import type { Confined, Program } from '../sandbox.ts'
import type { Keeper, KeeperOptions, KeptLevel } from '../sandbox-backend.ts'
import { Toolchains } from '../toolchains.ts'
import { Limiter } from './limits.ts'
import { Descriptors, viewOf } from './mount-arguments.ts'
import { checked } from './mount-check.ts'
import { prelude } from './prelude.ts'
import { type OwnFiles, ownFolder, writeOwnFiles } from './sandbox-files.ts'
import { setUpIn } from './setup-status.ts'
import { divide } from './split-environment.ts'
import { coversSystem } from './system-folders.ts'

/** Who a program is inside where the server is root: the same user, without looking like one who may do everything. */
const PLAIN_ID = 1_000

/** What is the same for every command. */
interface Parts {
  bwrap: string
  own: OwnFiles
  home: string
  toolchains: Toolchains
  certificates: readonly string[]
  limiter: Limiter
  /** What is mounted can be handed over open, so that no name is looked up again. */
  byDescriptor: boolean
}

export class Bubblewrap implements Keeper {
  readonly missing: string | undefined
  readonly grantsHosts = true
  readonly #options: KeeperOptions
  readonly #bwrap = findBwrap()
  readonly #workspaces: GuardedWorkspaces
  #parts: Parts | undefined

  constructor(options: KeeperOptions, workspaces: GuardedWorkspaces) {
    this.#options = options
    this.#workspaces = workspaces
    this.missing = this.#bwrap ? undefined : 'bubblewrap is not installed: install the package `bubblewrap`.'
  }

  get lacks() {
    const { own, limiter, byDescriptor } = this.#ready()
    return [
      ...limiter.lacks,
      ...(own.seccomp ? [] : [`a filter of system calls for ${process.arch}`]),
      ...(own.devices
        ? []
        : ['devices of its own: as root, a command may change the permissions of those of the machine']),
      ...(byDescriptor
        ? []
        : ['mounts by descriptor (bubblewrap 0.10), against commands that move folders as others start'])
    ]
  }

  async confine(program: Program, level: KeptLevel, workspace: Workspace): Promise<Confined> {
    const { root } = workspace
    if (coversSystem(root))
      throw new ToolError('SANDBOX_UNAVAILABLE', `A workspace at ${root} holds the system: nothing can be kept in it.`)
    const { bwrap, limiter, toolchains: programs, ...parts } = this.#ready()
    const { own, byDescriptor, home } = parts
    const { settings, stateDir, hidden } = this.#options
    const { env, inside } = divide({ ...program.env, TMPDIR: '/tmp' })
    const toolchains = await programs.beside(root)
    // Whoever configures a path to be read means what is in it.
    const exposed = [...settings.read, ...settings.write].map(file => expanded(file, home))
    const guard = await this.#workspaces.of(workspace).begin(level === 'workspace', exposed)
    try {
      const descriptors = new Descriptors()
      const setUp = setUpIn(own.folder)
      descriptors.of(setUp.placeholder)
      const view = viewOf(
        { ...parts, program, level, root, settings, guard, toolchains, never: [stateDir, ...hidden] },
        descriptors
      )
      // Last of what may fail: a control group stays until it is removed.
      const bounds = limiter.bounds(program.limits)
      const args = [
        ...setUp.args,
        ...NAMESPACES,
        ...(program.terminal ? [] : ['--new-session']),
        ...identityArguments(),
        ...view,
        ...inside,
        ...(own.seccomp ? ['--seccomp', descriptors.of(own.seccomp)] : []),
        ...['--chdir', program.cwd, '--'],
        ...(guard.isBeside && !byDescriptor ? checked([...guard.pinned, ...guard.held]) : []),
        ...bounds.inside,
        program.file,
        ...program.args
      ]
      const [file, ...rest] = [...prelude([...setUp.lines, ...bounds.lines]), bwrap, ...args]
      const released = async () => {
        const never_began = !setUp.began()
        // A group that stays is swept later; the guard is let go in any case.
        const { out_of_memory } = await bounds.remove().catch(() => ({ out_of_memory: false }))
        const aftermath = await guard.release()
        return { ...aftermath, ...(out_of_memory && { out_of_memory }), ...(never_began && { never_began }) }
      }
      return { file: file!, args: rest, cwd: '/', env, inherit: descriptors.files, released }
    } catch (error) {
      await guard.release()
      throw error
    }
  }

  #ready(): Parts {
    this.#parts ??= this.#prepared()
    return this.#parts
  }

  #prepared(): Parts {
    const bwrap = this.#bwrap
    if (!bwrap) throw new ToolError('SANDBOX_UNAVAILABLE', this.missing ?? '')
    const { environment, settings, stateDir } = this.#options
    const home = homeOf(environment)
    const certificates = certificatesNamed(environment)
    return {
      bwrap,
      own: writeOwnFiles(ownFolder(stateDir), { ...identity(), home }, certificates),
      home,
      toolchains: new Toolchains(environment),
      certificates,
      limiter: new Limiter(settings),
      byDescriptor: execFileSync(bwrap, ['--help'], { encoding: 'utf8', env: {} }).includes('--ro-bind-fd')
    }
  }
}

const NAMESPACES = [
  ...['--unshare-all', '--unshare-user', '--disable-userns'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--hostname', 'sandbox']
]

/** Files keep their owner: whoever the program is inside, outside it is the user that the server runs as. */
function identity() {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()]
  return uid === 0 ? { uid: PLAIN_ID, gid: PLAIN_ID } : { uid, gid }
}

function identityArguments() {
  const { uid, gid } = identity()
  return ['--uid', String(uid), '--gid', String(gid)]
}
