// Starts processes through a small helper process, so that starting one holds up the server's own loop for well under
// a tenth of a millisecond, however much memory the server has. See spawner-process.ts for the other side.
import { type ChildProcess, spawn as spawnChild } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../../errors.ts'
import { type Environment, plainEnvironment } from '../environment.ts'
import { findShell } from '../find-program.ts'
import { SMALL_NODE } from '../node-flags.ts'
import type { Exit, Minded, Spawned, SpawnRequest } from './child-handle.ts'
import { type Incoming, type Outgoing, Pipes, type Take } from './fifo-pool.ts'
import { serve } from './spawn-helper.ts'
import { makeSpawnerGroup, type SpawnerGroup } from './spawner-cgroup.ts'
import type { Left, Order, Report } from './spawner-protocol.ts'

const SWEEP_GRACE_MS = 200
// Whoever started the server may have left descriptors open in it. The helper is rid of them before it begins, keeping
// its channel (3), so that commands get 0, 1 and 2 and nothing else.
const CLOSE_THE_REST = `
if [ -n "$1" ]; then echo $$ >"$1"; fi 2>/dev/null
shift
for fd in /dev/fd/*; do
  fd=\${fd##*/}
  # Other shells take a number of two digits for a command.
  if [ "$fd" -gt 3 ] && { [ -n "$BASH_VERSION" ] || [ "$fd" -lt 10 ]; }; then eval "exec $fd>&-"; fi
done
exec "$@"`

interface Running {
  request: SpawnRequest
  incoming: [Incoming, Incoming]
  outgoing: Outgoing | undefined
  started: PromiseWithResolvers<Spawned>
  exited: PromiseWithResolvers<Exit>
  swept: PromiseWithResolvers<Left[]> | undefined
  minded: PromiseWithResolvers<Left[]> | undefined
  gone: PromiseWithResolvers<void>
  pid: number | undefined
  stdin: Socket | undefined
  over: boolean
}

/** What keeps a helper, and with it all that it starts. */
interface Within {
  /** Before those of the helper. */
  words: readonly string[]
  /** With the helper ends all that it started; the ids of processes are told as they are counted within. */
  ends: boolean
}

export class Spawner {
  /** The server's own. */
  readonly environment: Environment
  readonly #place: string
  readonly #within: Within | undefined
  #helper: ChildProcess | undefined
  #folder: string | undefined
  #pipes: Pipes | undefined
  #group: SpawnerGroup | undefined
  #running = new Map<number, Running>()
  #busy = 0
  #lastId = 0
  #closed = false

  /** `place` is where its folder of pipes is made, out of reach of every command. */
  constructor(environment: Environment, place: string = tmpdir(), within?: Within) {
    this.environment = environment
    this.#place = place
    this.#within = within
  }

  /** Gets the helper ready ahead of the first command. */
  warm() {
    this.#ready().fill()
  }

  /** Resolves once the process runs; rejects with EXECUTION_ERROR when it can't be started. */
  async spawn(request: SpawnRequest): Promise<Spawned> {
    const pipes = this.#ready()
    // While a command is on its way, the helper's answers keep this process alive.
    this.#busy += 1
    this.#helper?.channel?.ref()
    const { incoming, outgoing } = await this.#connect(pipes, request)
    const id = ++this.#lastId
    const running: Running = {
      request,
      incoming,
      outgoing,
      started: Promise.withResolvers(),
      exited: Promise.withResolvers(),
      swept: undefined,
      minded: undefined,
      gone: Promise.withResolvers(),
      pid: undefined,
      stdin: undefined,
      over: false
    }
    // Whoever no longer waits for the end must not bring the server down.
    running.exited.promise.catch(() => {})
    this.#running.set(id, running)
    const { file, args, cwd, env, mark = '', inherit = [], sandbox = false } = request
    const [stdout, stderr] = incoming
    this.#order({
      op: 'spawn',
      id,
      file,
      args: [...args],
      cwd,
      env,
      mark,
      stdin: outgoing?.path,
      stdout: stdout.path,
      stderr: stderr.path,
      inherit: [...inherit],
      sandbox
    })
    return running.started.promise
  }

  /** Of the helper, while there is one. */
  get pid() {
    return this.#helper?.pid
  }

  /** Ends the helper and with it everything it started. */
  async close() {
    this.#closed = true
    const helper = this.#helper
    if (helper && helper.exitCode === null && helper.signalCode === null) {
      const gone = new Promise(resolve => helper.once('exit', resolve))
      helper.ref()
      if (helper.connected) helper.disconnect()
      await gone
    }
    this.#group?.end()
    this.#group?.remove()
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #ready(): Pipes {
    if (this.#closed) throw new ToolError('EXECUTION_ERROR', 'The server is shutting down.')
    this.#folder ??= mkdtempSync(join(this.#place, 'toolgate-pipes-'))
    this.#pipes ??= new Pipes(this.#folder, paths => this.#order({ op: 'pipes', paths }))
    this.#helper ??= this.#start(this.#folder)
    return this.#pipes
  }

  async #connect(pipes: Pipes, request: SpawnRequest) {
    const opened: Incoming[] = []
    const kept = (pipe: Incoming) => {
      opened.push(pipe)
      return pipe
    }
    try {
      const incoming: [Incoming, Incoming] = [kept(await pipes.incoming()), kept(await pipes.incoming())]
      const outgoing = request.stdin === undefined && !request.interactive ? undefined : await pipes.outgoing()
      return { incoming, outgoing }
    } catch (error) {
      for (const pipe of opened) pipe.drop()
      this.#rest()
      throw error
    }
  }

  #start(folder: string) {
    // What is kept as a whole joins no group.
    if (!this.#within) this.#group ??= makeSpawnerGroup()
    const { folder: group = '', join = '' } = this.#group ?? {}
    const program = [process.execPath, ...SMALL_NODE, '-e', `(${serve})(require)`, group, folder]
    const env = plainEnvironment(this.environment)
    const shell = [findShell(env), '-c', CLOSE_THE_REST, 'toolgate-spawner', join, ...program]
    const [file, ...words] = [...(this.#within?.words ?? []), ...shell]
    const helper = spawnChild(file!, words, {
      // A session of its own keeps a terminal's interrupt from it: commands end in order, by the server's word.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env
    })
    helper.on('message', report => this.#reported(report as Report))
    helper.once('error', () => this.#died(helper))
    helper.once('exit', () => this.#died(helper))
    helper.unref()
    if (this.#busy === 0) helper.channel?.unref()
    return helper
  }

  #order(order: Order) {
    this.#ready()
    // A helper that is gone is noticed by its exit.
    this.#helper?.send(order, () => {})
  }

  #reported(report: Report) {
    if (report.event === 'pipes') {
      this.#pipes?.made(report.paths, report.error)
      return
    }
    const running = this.#running.get(report.id)
    if (!running) return
    if (report.event === 'spawned') this.#spawned(report.id, running, report.pid)
    else if (report.event === 'failed') this.#failed(report.id, running, report.code, report.message)
    else if (report.event === 'minded') running.minded?.resolve(report.left)
    else if (report.event === 'swept') {
      running.swept?.resolve(report.left)
      running.gone.resolve()
      this.#forget(report.id)
    } else {
      const { code, signal, left } = report
      running.over = true
      running.stdin?.destroy()
      running.exited.resolve({ code, signal, left })
      if (!left) this.#forget(report.id)
    }
  }

  #spawned(id: number, running: Running, pid: number) {
    running.pid = pid
    const { stdin = '', interactive = false } = running.request
    running.stdin = interactive ? running.outgoing?.open(stdin) : running.outgoing?.write(stdin)
    const [stdout, stderr] = running.incoming
    const opened: { stdout?: Socket; stderr?: Socket } = {}
    const open = (stream: 'stdout' | 'stderr', take?: Take) => {
      opened[stream] ??= { stdout, stderr }[stream].read(take)
      return opened[stream]
    }
    running.started.resolve({
      pid,
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
        if (this.#running.get(id) === running) this.#order({ op: 'kill', id, grace_ms: graceMs })
      },
      signal: name => {
        if (this.#running.get(id) === running) this.#order({ op: 'signal', id, signal: name })
      },
      sweep: () => this.#sweep(id, running, pid),
      mind: () => this.#mind(id, running, pid)
    })
  }

  #failed(id: number, running: Running, code: string, message: string) {
    this.#drop(running)
    this.#forget(id)
    running.started.reject(new ToolError('EXECUTION_ERROR', `The command could not be started: ${message}`, { code }))
  }

  #sweep(id: number, running: Running, pid: number): Promise<Left[]> {
    if (this.#running.get(id) !== running) return Promise.resolve([])
    if (!running.swept) {
      running.swept = Promise.withResolvers()
      this.#order({ op: 'sweep', id, pid, mark: running.request.mark ?? '', grace_ms: SWEEP_GRACE_MS })
    }
    return running.swept.promise
  }

  async #mind(id: number, running: Running, pid: number): Promise<Minded> {
    if (this.#running.get(id) !== running) return { left: [], gone: Promise.resolve() }
    running.minded ??= Promise.withResolvers()
    this.#order({ op: 'mind', id, pid, mark: running.request.mark ?? '' })
    return { left: await running.minded.promise, gone: running.gone.promise }
  }

  #forget(id: number) {
    if (this.#running.delete(id)) this.#rest()
  }

  #rest() {
    this.#busy -= 1
    if (this.#busy === 0) this.#helper?.channel?.unref()
  }

  #drop({ incoming, outgoing }: Running) {
    for (const pipe of [...incoming, outgoing]) pipe?.drop()
  }

  // The helper's end settles what ran through it, and a new one sweeps up behind.
  #died(helper: ChildProcess) {
    if (this.#helper !== helper) return
    this.#helper = undefined
    this.#group?.end()
    const lost = [...this.#running]
    this.#running.clear()
    this.#busy -= lost.length
    const refusal = new ToolError('EXECUTION_ERROR', 'The process that runs commands ended; the command was stopped.')
    for (const [id, running] of lost) {
      running.stdin?.destroy()
      running.exited.reject(refusal)
      running.swept?.resolve([])
      running.minded?.resolve([])
      running.gone.resolve()
      if (running.pid === undefined) {
        this.#drop(running)
        running.started.reject(refusal)
        continue
      }
      if (!this.#within?.ends) killGroup(running.pid)
      const { pid, request } = running
      if (!this.#closed && request.mark)
        this.#order({ op: 'sweep', id, pid, mark: request.mark, grace_ms: SWEEP_GRACE_MS })
    }
    if (!this.#closed) this.#pipes?.lost()
  }
}

function killGroup(pid: number) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
