// Prevents ripgrep from following symbolic links. It follows none by itself, but it opens full paths: swapping a folder for a
// link at the right moment, as a sandboxed command may do, would redirect it. So it runs on a private mount of the workspace with
// an option by which the kernel follows no links either.
import { existsSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { ChildHandle } from '../processes/spawner/child-handle.ts'
import type { Spawner } from '../processes/spawner/spawner.ts'
import type { Workspace } from '../workspace.ts'

interface Program {
  file: string
  args: readonly string[]
}

/** Never by the search path: a workspace may be on it. */
const UNSHARE = ['/usr/bin/unshare', '/bin/unshare'].find(file => existsSync(file))
const MOUNT = ['/usr/bin/mount', '/bin/mount'].find(file => existsSync(file))
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find(file => existsSync(file))
/**
 * Root mounts as root, with the same read access as before. Other users are root of their own user namespace while mounting, and
 * gain no read access.
 */
const IS_ROOT = process.getuid?.() === 0
const NAMESPACES = IS_ROOT ? ['--mount'] : ['--user', '--map-root-user', '--mount']
const DROP_CAPABILITIES = IS_ROOT ? [] : [SETPRIV ?? '', '--inh-caps=-all', '--bounding-set=-all', '--']
/** Not an exit code of ripgrep. */
const SETUP_FAILED_CODE = 125
/**
 * For a shell: the mount program, the root, the folder in it, then the program. Mounts inside the workspace are included
 * unchanged. `mount` is silenced, so that its warnings are not taken for output of the program.
 */
const MOUNT_SCRIPT = `mount=$1 root=$2 folder=$3
shift 3
"$mount" --rbind -o ro,nosymfollow -- "$root" "$root" 2>/dev/null && cd -- "$root/$folder" || exit ${SETUP_FAILED_CODE}
exec "$@"`
/**
 * A kernel or a `mount` without the option ignores it silently. Mount points may have any name, so only the options are checked.
 */
const PROBE_SCRIPT = `while read -r id parent device from to options rest; do
  case ,$options, in *,nosymfollow,*) exit 0 ;; esac
done </proc/self/mountinfo
exit 1`

export class NoSymlinkMount {
  readonly #spawner: Spawner
  readonly #root: string
  #isSupported: Promise<boolean> | undefined

  constructor(spawner: Spawner, { root }: Workspace) {
    this.#spawner = spawner
    this.#root = root
  }

  /** Wraps a program; returns it unchanged if the system lacks support. */
  async wrap(program: Program, folder: string): Promise<Program> {
    this.#isSupported ??= this.#probe().catch(error => {
      // A request after a failure retries.
      this.#isSupported = undefined
      throw error
    })
    return (await this.#isSupported) ? this.#wrapCommand(program, folder) : program
  }

  #wrapCommand({ file, args }: Program, folder: string): Program {
    const script = ['--', '/bin/sh', '-c', MOUNT_SCRIPT, 'search', MOUNT!, this.#root, folder]
    return { file: UNSHARE!, args: [...NAMESPACES, ...script, ...DROP_CAPABILITIES, file, ...args] }
  }

  async #probe(): Promise<boolean> {
    if (process.platform !== 'linux' || !UNSHARE || !MOUNT || !SETPRIV) return false
    const trial = this.#wrapCommand({ file: '/bin/sh', args: ['-c', PROBE_SCRIPT] }, '.')
    const { stdout, stderr, exited } = await this.#spawner.spawn({ ...trial, cwd: '/', env: {} })
    stdout.resume()
    stderr.resume()
    return (await exited).code === 0
  }
}

/** Throws if the wrapper ended before the program began: the folder is gone. */
export function assertMounted({ code }: Awaited<ChildHandle['exited']>, path: string) {
  if (code === SETUP_FAILED_CODE)
    throw new ToolError('FILE_NOT_FOUND', `${path} was moved or removed during the operation.`, { path })
}
