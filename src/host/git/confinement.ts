// The second layer around git: bubblewrap, with no network, and a file system in which nothing may be written but what a
// call is for. Leaner than what keeps commands, since what runs is git itself: it costs some three milliseconds. Where it
// does not hold, what `hardening.ts` says stands alone.
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Spawner } from '../processes/spawner.ts'

/** Never by the search path: a workspace may be on it. */
const BWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']
const ARGUMENTS = [
  '--ro-bind',
  '/',
  '/',
  '--dev-bind',
  '/dev',
  '/dev',
  '--unshare-net',
  '--cap-drop',
  'ALL',
  '--die-with-parent'
]
/** For a shell: a file that it must not be able to make, then the program. */
const TRIAL = '(: >"$1") 2>/dev/null; exec "$2" --version'

export interface Program {
  file: string
  args: readonly string[]
  cwd: string
}

export class Confinement {
  readonly #spawner: Spawner
  readonly #place: string
  readonly #bwrap = BWRAP.find(file => existsSync(file))
  #holds: Promise<boolean> | undefined

  /** `place` is a folder that the server may write to, and what is kept may not. */
  constructor(spawner: Spawner, place: string) {
    this.#spawner = spawner
    this.#place = place
  }

  /** The program as it is to be started; itself where nothing can keep it. */
  async around(program: Program, writable: readonly string[]): Promise<Program> {
    this.#holds ??= this.#tried(program.file).catch(error => {
      // Whoever asks after a failure tries again.
      this.#holds = undefined
      throw error
    })
    return (await this.#holds) ? this.#wrapped(program, writable) : program
  }

  #wrapped({ file, args, cwd }: Program, writable: readonly string[]): Program {
    const binds = writable.flatMap(folder => ['--bind', folder, folder])
    return { file: this.#bwrap!, args: [...ARGUMENTS, ...binds, '--chdir', cwd, '--', file, ...args], cwd: '/' }
  }

  /** What bubblewrap promises is not believed. */
  async #tried(git: string): Promise<boolean> {
    if (process.platform !== 'linux' || !this.#bwrap) return false
    const canary = path.join(this.#place, `git-canary-${process.pid}`)
    const trial = this.#wrapped({ file: '/bin/sh', args: ['-c', TRIAL, 'trial', canary, git], cwd: '/' }, [])
    const { stdout, stderr, exited } = await this.#spawner.spawn({ ...trial, env: {} })
    stdout.resume()
    stderr.resume()
    const { code } = await exited
    const escaped = existsSync(canary)
    rmSync(canary, { force: true })
    return code === 0 && !escaped
  }
}
