// Starts processes through a small helper process, so that starting one blocks the server's event loop for well under 0.1 ms,
// however much memory the server has. See `spawn-helper.ts` for the helper's side.
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXHAUSTED, ToolError } from '../../../errors.ts'
import { type Environment, minimalEnvironment } from '../environment.ts'
import { findShell } from '../find-program.ts'
import { HELPER_NODE_FLAGS } from '../node-flags.ts'
import type { StdStream } from '../outputs/capture-page.ts'
import type { AdoptedOrphans, ChildExit, ChildHandle, SpawnRequest } from './child-handle.ts'
import { type ByteConsumer, FifoPool, type InputPipe, type OutputPipe } from './fifo-pool.ts'
import { type HelperProgram, startHelper } from './helper-start.ts'
import { runSpawnHelper } from './spawn-helper.ts'
import { createSpawnerCgroup, type SpawnerCgroup } from './spawner-cgroup.ts'
import type { Orphan, SpawnerEvent, SpawnerRequest } from './spawner-protocol.ts'

const KILL_TREE_GRACE_MS = 200
/** A helper takes less than a second to end its commands and itself. */
const CLOSE_TIMEOUT_MS = 3_000
// The server may have inherited open descriptors. The helper closes them before it begins, except its channel (3), so that
// commands get 0, 1 and 2 and nothing else.
const CLOSE_INHERITED_FDS = `
if [ -n "$1" ]; then echo $$ >"$1"; fi 2>/dev/null
shift
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  # Other shells take a number of two digits for a command.
  if [ "$fd" -gt 3 ] && { [ -n "$BASH_VERSION" ] || [ "$fd" -lt 10 ]; }; then eval "exec $fd>&-"; fi
done
exec "$@"`

interface OutputPipes {
  stdout: OutputPipe
  /** Undefined if the streams are merged. */
  stderr: OutputPipe | undefined
}

interface RunningChild {
  request: SpawnRequest
  incoming: OutputPipes
  outgoing: InputPipe | undefined
  started: PromiseWithResolvers<ChildHandle>
  exited: PromiseWithResolvers<ChildExit>
  killed: PromiseWithResolvers<Orphan[]> | undefined
  adopted: PromiseWithResolvers<Orphan[]> | undefined
  gone: PromiseWithResolvers<void>
  pid: number | undefined
  stdin: Socket | undefined
  hasExited: boolean
}

/** Sandbox of a helper, and with it of all that it starts. */
interface HelperConfinement {
  /** Name of its program. */
  name: string
  /** Arguments before those of the helper. */
  argvPrefix: readonly string[]
  /** All its children end with the helper; pids are reported as numbered within its namespace. */
  endsChildren: boolean
}

export class Spawner {
  /** The server's own. */
  readonly environment: Environment
  readonly #parentFolder: string
  readonly #confinement: HelperConfinement | undefined
  /** Set while it runs and is ready. */
  #helper: ChildProcess | undefined
  /** Settles once a helper is ready, or cannot be started. */
  #starting: Promise<void> | undefined
  readonly #stop = new AbortController()
  #folder: string | undefined
  #pipes: FifoPool | undefined
  #group: SpawnerCgroup | undefined
  #running = new Map<number, RunningChild>()
  /** Pending freezes by id. */
  readonly #freezes = new Map<number, PromiseWithResolvers<void>>()
  /** Cleanups after commands of a lost helper, for the next one. */
  readonly #leftovers = new Map<number, SpawnerRequest>()
  #busy = 0
  #lastId = 0
  #closed = false

  /** `place` is where its folder of FIFOs is created, inaccessible to commands. */
  constructor(environment: Environment, place: string = tmpdir(), within?: HelperConfinement) {
    this.environment = environment
    this.#parentFolder = place
    this.#confinement = within
  }

  /** Starts the helper ahead of the first command, which reports a failure. */
  prestart() {
    try {
      this.#openPipes().prefill()
    } catch {
      // As above.
    }
  }

  /** Resolves once the process runs; rejects with EXECUTION_ERROR if it, or the helper, cannot be started; see `startHelper`. */
  async spawn(request: SpawnRequest): Promise<ChildHandle> {
    const pipes = this.#openPipes()
    // While a command is being started, the helper's channel keeps this process alive.
    this.#busy += 1
    this.#helper?.channel?.ref()
    const { incoming, outgoing } = await this.#connect(pipes, request)
    const id = ++this.#lastId
    const running: RunningChild = {
      request,
      incoming,
      outgoing,
      started: Promise.withResolvers(),
      exited: Promise.withResolvers(),
      killed: undefined,
      adopted: undefined,
      gone: Promise.withResolvers(),
      pid: undefined,
      stdin: undefined,
      hasExited: false
    }
    // Prevents an unhandled rejection if the caller no longer waits for the end.
    running.exited.promise.catch(() => {})
    this.#running.set(id, running)
    const {
      file,
      args,
      cwd,
      cwdIdentity,
      env,
      mark = '',
      inherit = [],
      niceness = 0,
      isSandbox = false,
      endSignal = 'SIGKILL'
    } = request
    this.#send({
      op: 'spawn',
      id,
      file,
      args: [...args],
      cwd,
      cwd_identity: cwdIdentity,
      env,
      mark,
      stdin: outgoing?.path,
      stdout: incoming.stdout.path,
      stderr: incoming.stderr?.path,
      inherit: [...inherit],
      niceness,
      sandbox: isSandbox,
      end_signal: endSignal
    })
    return running.started.promise
  }

  /**
   * Stops all running programs that may write in a workspace, or in one within or around it. Resolves once none of them runs, with a
   * function that lets them go on.
   */
  async freezeWriters(root: string): Promise<() => void> {
    const commands = [...this.#running].flatMap(([id, { request, hasExited }]) =>
      !hasExited && request.writesIn !== undefined && overlaps(request.writesIn, root) ? [id] : []
    )
    if (commands.length === 0) return () => {}
    const id = ++this.#lastId
    const frozen = Promise.withResolvers<void>()
    this.#freezes.set(id, frozen)
    this.#send({ op: 'freeze', id, commands })
    await frozen.promise
    // A helper that is gone has taken them along.
    return () => this.#send({ op: 'thaw', id })
  }

  /** Pid of the helper, if there is one. */
  get pid() {
    return this.#helper?.pid
  }

  /** Ends the helper and with it everything it started. One that does not end in time is killed, and its commands after it. */
  async close() {
    this.#closed = true
    this.#stop.abort()
    await this.#starting?.catch(() => {})
    const helper = this.#helper
    if (helper && helper.exitCode === null && helper.signalCode === null) {
      const gone = new Promise(resolve => helper.once('exit', resolve))
      helper.ref()
      if (helper.connected) helper.disconnect()
      const timer = setTimeout(() => killGroup(helper.pid!), CLOSE_TIMEOUT_MS)
      await gone
      clearTimeout(timer)
    }
    await this.#group?.destroy()
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #openPipes(): FifoPool {
    if (this.#closed) throw new ToolError('EXECUTION_ERROR', 'The server is shutting down.')
    this.#folder ??= createFolder(this.#parentFolder)
    this.#pipes ??= new FifoPool(this.#folder, paths => void this.#requestPipes(paths))
    return this.#pipes
  }

  async #requestPipes(paths: string[]) {
    try {
      await this.#ensureHelper()
      this.#send({ op: 'pipes', paths })
    } catch (error) {
      this.#pipes?.onFailed(paths, error as ToolError)
    }
  }

  /** Resolves once a helper is ready, started if there is none. */
  async #ensureHelper() {
    if (this.#helper) return
    this.#starting ??= this.#startHelper().finally(() => {
      this.#starting = undefined
    })
    await this.#starting
  }

  async #connect(pipes: FifoPool, request: SpawnRequest) {
    const opened: (OutputPipe | InputPipe)[] = []
    const remember = (pipe: OutputPipe) => {
      opened.push(pipe)
      return pipe
    }
    try {
      const incoming: OutputPipes = {
        stdout: remember(await pipes.openOutput()),
        stderr: request.mergeStreams ? undefined : remember(await pipes.openOutput())
      }
      const outgoing = request.stdin === undefined && !request.interactive ? undefined : await pipes.openInput()
      if (outgoing) opened.push(outgoing)
      await this.#ensureHelper()
      return { incoming, outgoing }
    } catch (error) {
      for (const pipe of opened) pipe.discard()
      this.#settle()
      throw error
    }
  }

  async #startHelper() {
    const helper = await startHelper(() => this.#findHelperProgram(), this.#stop.signal)
    this.#helper = helper
    helper.on('message', report => this.#onEvent(report as SpawnerEvent))
    helper.once('exit', () => this.#onHelperExit(helper))
    helper.unref()
    if (this.#busy === 0) helper.channel?.unref()
    for (const sweep of this.#leftovers.values()) this.#send(sweep)
    this.#leftovers.clear()
  }

  #findHelperProgram(): HelperProgram {
    // A sandboxed helper joins no cgroup.
    if (!this.#confinement) this.#group ??= createSpawnerCgroup()
    const { folder: group = '', joinFile = '' } = this.#group ?? {}
    const program = [process.execPath, ...HELPER_NODE_FLAGS, '-e', `(${runSpawnHelper})(require)`, group, this.#folder!]
    const env = minimalEnvironment(this.environment)
    const shell = [findShell(env), '-c', CLOSE_INHERITED_FDS, 'toolgate-spawner', joinFile, ...program]
    const [file, ...args] = [...(this.#confinement?.argvPrefix ?? []), ...shell]
    const programs = [...(this.#confinement ? [`${this.#confinement.name},`] : []), 'the shell and Node.js'].join(' ')
    return { file: file!, args, env, programs }
  }

  /** Orders to a helper that is lost are settled by its exit. */
  #send(order: SpawnerRequest) {
    this.#helper?.send(order, () => {})
  }

  #onEvent(report: SpawnerEvent) {
    if (report.event === 'ready') return
    if (report.event === 'pipes') {
      this.#pipes?.onCreated(report.paths, report.error)
      return
    }
    if (report.event === 'frozen') {
      this.#freezes.get(report.id)?.resolve()
      this.#freezes.delete(report.id)
      return
    }
    const running = this.#running.get(report.id)
    if (!running) return
    if (report.event === 'spawned') this.#onSpawned(report.id, running, report.pid)
    else if (report.event === 'failed') this.#onFailed(report.id, running, report.code, report.message)
    else if (report.event === 'minded') running.adopted?.resolve(report.left)
    else if (report.event === 'swept') {
      running.killed?.resolve(report.left)
      running.gone.resolve()
      this.#forget(report.id)
    } else {
      const { code, signal, left } = report
      running.hasExited = true
      running.stdin?.destroy()
      running.exited.resolve({ code, signal, left })
      if (!left) this.#forget(report.id)
    }
  }

  #onSpawned(id: number, running: RunningChild, pid: number) {
    running.pid = pid
    const { stdin = '', interactive = false } = running.request
    running.stdin = interactive ? running.outgoing?.open(stdin) : running.outgoing?.write(stdin)
    const { stdout, stderr } = running.incoming
    const opened = new Map<OutputPipe, Socket>()
    const open = (stream: StdStream, take?: ByteConsumer): Socket => {
      const pipe = stream === 'stdout' ? stdout : (stderr ?? stdout)
      const socket = opened.get(pipe) ?? pipe.read(take)
      opened.set(pipe, socket)
      return socket
    }
    running.started.resolve({
      pid,
      streams: stderr ? ['stdout', 'stderr'] : ['stdout'],
      get stdout() {
        return open('stdout')
      },
      get stderr() {
        return open('stderr')
      },
      read: open,
      stdin: running.stdin,
      exited: running.exited.promise,
      kill: graceMs => {
        if (this.#running.get(id) === running) this.#send({ op: 'kill', id, grace_ms: graceMs })
      },
      signal: name => {
        if (this.#running.get(id) === running) this.#send({ op: 'signal', id, signal: name })
      },
      killTree: () => this.#killTree(id, running, pid),
      adopt: () => this.#adopt(id, running, pid)
    })
  }

  #onFailed(id: number, running: RunningChild, code: string, message: string) {
    this.#discardPipes(running)
    this.#forget(id)
    const help = EXHAUSTED[code]
    const error = help === undefined ? 'EXECUTION_ERROR' : 'OVERLOADED'
    const text = `The command could not be started: ${message}${help === undefined ? '' : `. ${help}, and retry.`}`
    running.started.reject(new ToolError(error, text, { code }))
  }

  #killTree(id: number, running: RunningChild, pid: number): Promise<Orphan[]> {
    if (this.#running.get(id) !== running) return Promise.resolve([])
    if (!running.killed) {
      running.killed = Promise.withResolvers()
      this.#send({ op: 'sweep', id, pid, mark: running.request.mark ?? '', grace_ms: KILL_TREE_GRACE_MS })
    }
    return running.killed.promise
  }

  async #adopt(id: number, running: RunningChild, pid: number): Promise<AdoptedOrphans> {
    if (this.#running.get(id) !== running) return { orphans: [], gone: Promise.resolve() }
    running.adopted ??= Promise.withResolvers()
    this.#send({ op: 'mind', id, pid, mark: running.request.mark ?? '' })
    return { orphans: await running.adopted.promise, gone: running.gone.promise }
  }

  #forget(id: number) {
    if (this.#running.delete(id)) this.#settle()
  }

  #settle() {
    this.#busy -= 1
    if (this.#busy === 0) this.#helper?.channel?.unref()
  }

  #discardPipes({ incoming, outgoing }: RunningChild) {
    for (const pipe of [incoming.stdout, incoming.stderr, outgoing]) pipe?.discard()
  }

  // The helper's exit settles all of its processes, and a new helper cleans up after it.
  #onHelperExit(helper: ChildProcess) {
    if (this.#helper !== helper) return
    this.#helper = undefined
    this.#group?.killAll()
    for (const frozen of this.#freezes.values()) frozen.resolve()
    this.#freezes.clear()
    const lost = [...this.#running]
    this.#running.clear()
    this.#busy -= lost.length
    const refusal = new ToolError(
      'EXECUTION_ERROR',
      'The process that runs commands has ended, and with it the command.'
    )
    for (const [id, running] of lost) {
      running.stdin?.destroy()
      running.exited.reject(refusal)
      running.killed?.resolve([])
      running.adopted?.resolve([])
      running.gone.resolve()
      if (running.pid === undefined) {
        this.#discardPipes(running)
        running.started.reject(refusal)
        continue
      }
      if (!this.#confinement?.endsChildren) killGroup(running.pid)
      const { pid, request } = running
      if (request.mark)
        this.#leftovers.set(id, { op: 'sweep', id, pid, mark: request.mark, grace_ms: KILL_TREE_GRACE_MS })
    }
    if (this.#closed) return
    this.#pipes?.onHelperLost(refusal)
    // If no helper can be started, the next command's does it.
    if (this.#leftovers.size > 0) this.#ensureHelper().catch(() => {})
  }
}

function createFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'toolgate-pipes-'))
  } catch (error) {
    const { message } = error as Error
    throw new ToolError(
      'EXECUTION_ERROR',
      `No program can be started: no folder for its pipes can be created (${message}).`
    )
  }
}

function killGroup(pid: number) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

const overlaps = (one: string, other: string) => `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)
