// Second layer around git: bubblewrap without network, and with a file system that is writable only as far as the call requires.
// Leaner than the sandbox of commands, since the program is git itself. Read-only git runs under a helper that is sandboxed as a
// whole, so that it costs nothing more, and sees no process but its own; writing git is wrapped each time, for some three
// milliseconds. If the sandbox is unavailable, only the protection of `hardening.ts` remains.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { findBwrap } from '../processes/bwrap.ts'
import type { ChildHandle, SpawnRequest } from '../processes/spawner/child-handle.ts'
import { Spawner } from '../processes/spawner/spawner.ts'

const ARGUMENTS = ['--ro-bind', '/', '/', '--dev', '/dev', '--unshare-net', '--cap-drop', 'ALL']
const DIE_WITH_PARENT = ['--die-with-parent']
/** For the helper, which ends with a killed server at once, together with its children. */
const PID_NAMESPACE = ['--unshare-pid', '--proc', '/proc', ...DIE_WITH_PARENT]
/** A server running as root reads and writes files of other users, as it does without a sandbox. */
const IS_ROOT = process.getuid?.() === 0
const READ_CAPABILITIES = IS_ROOT ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []
const WRITE_CAPABILITIES = IS_ROOT
  ? ['CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_CHOWN'].flatMap(right => ['--cap-add', right])
  : []
/** For a shell: a file that it must not be able to create, then the program. */
const PROBE_SCRIPT = '(: >"$1") 2>/dev/null; exec "$2" --version'

export class GitSandbox {
  readonly #spawner: Spawner
  readonly #stateDir: string
  readonly #bwrap: string | undefined
  /** Arguments for the helper besides the common ones. */
  #probed: Promise<readonly string[] | undefined> | undefined
  /** Fingerprint of a bubblewrap that proved unusable. */
  #unusable: string | undefined
  /** Started on first use. */
  #readHelper: Spawner | undefined

  /** `place` is a folder that the server may write to, but sandboxed programs may not. */
  constructor(spawner: Spawner, place: string, bwrap = findBwrap()) {
    this.#spawner = spawner
    this.#stateDir = place
    this.#bwrap = bwrap
  }

  /** Starts git, sandboxed if possible. A bubblewrap that proved unusable is probed again once it was repaired. */
  async start(request: SpawnRequest, writable: readonly string[]): Promise<ChildHandle> {
    const fingerprint = fingerprintProgram(this.#bwrap)
    if (this.#unusable !== undefined && this.#unusable !== fingerprint) {
      this.#unusable = undefined
      this.#probed = undefined
    }
    this.#probed ??= this.#probe(request.file).catch(error => {
      // A request after a failure retries.
      this.#probed = undefined
      throw error
    })
    const hold = await this.#probed
    if (hold === undefined) {
      this.#unusable = fingerprint
      return this.#spawner.spawn(request)
    }
    if (writable.length > 0)
      return this.#spawner
        .spawn(this.#wrap(request, [...DIE_WITH_PARENT, ...writeArguments(writable)]))
        .catch(error => Promise.reject(isUnusable(error) ? sandboxError(error as ToolError, this.#bwrap!) : error))
    this.#readHelper ??= this.#startReadHelper(hold)
    return this.#readHelper.spawn(request)
  }

  /** Pid of the helper, if it runs. */
  get pid(): number | undefined {
    return this.#readHelper?.pid
  }

  async close() {
    await this.#readHelper?.close()
  }

  #startReadHelper(words: readonly string[]): Spawner {
    // The helper creates only its pipes, and removes them at the end. Those of a killed server are removed first.
    const pipes = path.join(this.#stateDir, 'git-pipes')
    rmSync(pipes, { recursive: true, force: true })
    mkdirSync(pipes, { recursive: true, mode: 0o700 })
    const within = [this.#bwrap!, ...ARGUMENTS, ...READ_CAPABILITIES, ...words, '--bind', pipes, pipes, '--']
    return new Spawner(this.#spawner.environment, pipes, {
      name: 'bubblewrap',
      argvPrefix: within,
      endsChildren: words === PID_NAMESPACE
    })
  }

  #wrap(request: SpawnRequest, words: readonly string[]): SpawnRequest {
    const { file, args, cwd } = request
    const wrapped = [...ARGUMENTS, ...words, '--chdir', cwd, '--', file, ...args]
    return { ...request, file: this.#bwrap!, args: wrapped, cwd: '/' }
  }

  /** Bubblewrap's promises are not relied on. */
  async #probe(git: string): Promise<readonly string[] | undefined> {
    if (process.platform !== 'linux' || !this.#bwrap) return undefined
    // Some containers do not permit mounting a new /proc. A helper that does not die with the server is ended in order.
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

/** Checks if a program could not be started because of what it is, not because of the machine's state. */
const isUnusable = (error: unknown) =>
  error instanceof ToolError && ['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC'].includes(String(error.details?.code))

const sandboxError = ({ message }: ToolError, bwrap: string) =>
  new ToolError(
    'EXECUTION_ERROR',
    `${message}. git runs in a bubblewrap sandbox: check that the user of the server may run ${bwrap}, and retry.`
  )

/** Returns a text that changes when the program is replaced, or its mode is changed. */
function fingerprintProgram(file = ''): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}:${stat.mode}:${stat.ctimeNs}` : ''
}

const writeArguments = (folders: readonly string[]) => [
  ...WRITE_CAPABILITIES,
  ...folders.flatMap(folder => ['--bind', folder, folder])
]
