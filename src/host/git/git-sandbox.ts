// The second layer around git: bubblewrap, with no network, and a file system in which nothing may be written but what a
// call is for. Leaner than what keeps commands, since what runs is git itself. What only reads is started by a helper that
// is kept so as a whole, so that it costs nothing more, and sees no process but its own; what writes is wrapped each time,
// for some three milliseconds.
// Where it does not hold, what `hardening.ts` says stands alone.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { findBwrap } from '../processes/bwrap.ts'
import type { ChildHandle, SpawnRequest } from '../processes/spawner/child-handle.ts'
import { Spawner } from '../processes/spawner/spawner.ts'

const ARGUMENTS = ['--ro-bind', '/', '/', '--dev', '/dev', '--unshare-net', '--cap-drop', 'ALL']
const DIE_WITH_PARENT = ['--die-with-parent']
/** For the helper, which ends at once with a server that is killed, and with it all that it started. */
const PID_NAMESPACE = ['--unshare-pid', '--proc', '/proc', ...DIE_WITH_PARENT]
/** A server that is root reads, and writes, what is somebody else's, as it does without. */
const IS_ROOT = process.getuid?.() === 0
const READ_CAPABILITIES = IS_ROOT ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []
const WRITE_CAPABILITIES = IS_ROOT
  ? ['CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_CHOWN'].flatMap(right => ['--cap-add', right])
  : []
/** For a shell: a file that it must not be able to make, then the program. */
const PROBE_SCRIPT = '(: >"$1") 2>/dev/null; exec "$2" --version'

export class GitSandbox {
  readonly #spawner: Spawner
  readonly #stateDir: string
  readonly #bwrap: string | undefined
  /** The words that hold for the helper, besides those that hold for all. */
  #probed: Promise<readonly string[] | undefined> | undefined
  /** Started when it is first needed. */
  #readHelper: Spawner | undefined

  /** `place` is a folder that the server may write to, and what is kept may not. */
  constructor(spawner: Spawner, place: string, bwrap = findBwrap()) {
    this.#spawner = spawner
    this.#stateDir = place
    this.#bwrap = bwrap
  }

  /** Starts git, kept where anything can keep it. */
  async start(request: SpawnRequest, writable: readonly string[]): Promise<ChildHandle> {
    this.#probed ??= this.#probe(request.file).catch(error => {
      // Whoever asks after a failure tries again.
      this.#probed = undefined
      throw error
    })
    const hold = await this.#probed
    if (hold === undefined) return this.#spawner.spawn(request)
    if (writable.length > 0)
      return this.#spawner.spawn(this.#wrap(request, [...DIE_WITH_PARENT, ...writeArguments(writable)]))
    this.#readHelper ??= this.#startReadHelper(hold)
    return this.#readHelper.spawn(request)
  }

  /** Of the helper, while there is one. */
  get pid(): number | undefined {
    return this.#readHelper?.pid
  }

  async close() {
    await this.#readHelper?.close()
  }

  #startReadHelper(words: readonly string[]): Spawner {
    // Its pipes are all that it makes, and removes in the end. What a server left that was killed goes first.
    const pipes = path.join(this.#stateDir, 'git-pipes')
    rmSync(pipes, { recursive: true, force: true })
    mkdirSync(pipes, { recursive: true, mode: 0o700 })
    const within = [this.#bwrap!, ...ARGUMENTS, ...READ_CAPABILITIES, ...words, '--bind', pipes, pipes, '--']
    return new Spawner(this.#spawner.environment, pipes, { argvPrefix: within, endsChildren: words === PID_NAMESPACE })
  }

  #wrap(request: SpawnRequest, words: readonly string[]): SpawnRequest {
    const { file, args, cwd } = request
    const kept = [...ARGUMENTS, ...words, '--chdir', cwd, '--', file, ...args]
    return { ...request, file: this.#bwrap!, args: kept, cwd: '/' }
  }

  /** What bubblewrap promises is not believed. */
  async #probe(git: string): Promise<readonly string[] | undefined> {
    if (process.platform !== 'linux' || !this.#bwrap) return undefined
    // Some containers let nobody look at processes anew. A helper that does not die with the server ends in order.
    for (const words of [PID_NAMESPACE, []]) if (await this.#isConfined(git, words)) return words
    return undefined
  }

  async #isConfined(git: string, words: readonly string[]): Promise<boolean> {
    const canary = path.join(this.#stateDir, `git-canary-${process.pid}`)
    const trial = { file: '/bin/sh', args: ['-c', PROBE_SCRIPT, 'trial', canary, git], cwd: '/', env: {} }
    const wrapped = this.#wrap(trial, [...READ_CAPABILITIES, ...words])
    const spawned = await this.#spawner.spawn(wrapped).catch(error => {
      if (isUnusable(error)) return undefined
      throw error
    })
    if (!spawned) return false
    spawned.stdout.resume()
    spawned.stderr.resume()
    const { code } = await spawned.exited
    const escaped = existsSync(canary)
    rmSync(canary, { force: true })
    return code === 0 && !escaped
  }
}

/** Whether a program could not be started for what it is, and not for the state of the machine. */
const isUnusable = (error: unknown) =>
  error instanceof ToolError && ['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC'].includes(String(error.details?.code))

const writeArguments = (folders: readonly string[]) => [
  ...WRITE_CAPABILITIES,
  ...folders.flatMap(folder => ['--bind', folder, folder])
]
