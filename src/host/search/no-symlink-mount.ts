// Keeps ripgrep from following links. It follows none by itself, but it looks up whole paths: who exchanges a folder for a
// link as it passes by, as a command that runs in the sandbox may, would lead it anywhere. So it runs where the workspace
// is mounted once more, for it alone, in a way in which the system follows no link either.
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
/** Root mounts as root, and reads what it could read before. Anybody else is root of a namespace of their own for as long
 * as it takes to mount, and reads no more than before. */
const IS_ROOT = process.getuid?.() === 0
const NAMESPACES = IS_ROOT ? ['--mount'] : ['--user', '--map-root-user', '--mount']
const DROP_CAPABILITIES = IS_ROOT ? [] : [SETPRIV ?? '', '--inh-caps=-all', '--bounding-set=-all', '--']
/** No code of ripgrep's own. */
const SETUP_FAILED_CODE = 125
/** For a shell: what mounts, the root, the folder in it, then the program. What is mounted within the workspace comes along,
 * as it is. `mount` is silent, so that its warnings are not taken for words of the program. */
const MOUNT_SCRIPT = `mount=$1 root=$2 folder=$3
shift 3
"$mount" --rbind -o ro,nosymfollow -- "$root" "$root" 2>/dev/null && cd -- "$root/$folder" || exit ${SETUP_FAILED_CODE}
exec "$@"`
/** A kernel or a `mount` that does not know the option leaves it out without a word. What is mounted where may have any
 * name, so the options are looked at alone. */
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

  /** The program as it is to be started; itself where the system cannot keep it from links. */
  async wrap(program: Program, folder: string): Promise<Program> {
    this.#isSupported ??= this.#probe().catch(error => {
      // Whoever asks after a failure tries again.
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

/** Throws where the program that was put around it ended before it could begin: the folder is gone. */
export function assertMounted({ code }: Awaited<ChildHandle['exited']>, path: string) {
  if (code === SETUP_FAILED_CODE)
    throw new ToolError('FILE_NOT_FOUND', `${path} was moved or removed meanwhile.`, { path })
}
