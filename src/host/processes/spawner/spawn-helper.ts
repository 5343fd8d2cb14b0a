// Program of the spawner's helper process. Forking blocks a process for a time that grows with its memory; so a small process
// does it for the server. The server passes names of FIFOs, never bytes: output flows from the command straight to the server.
import type { ChildProcess, StdioOptions } from 'node:child_process'
import type { SpawnerEvent, SpawnerRequest } from './spawner-protocol.ts'

/**
 * Runs in the helper as `node -e "(<this function's text>)(require)"`, which starts in a third of the time that a module takes;
 * so it uses nothing from outside itself. Its last arguments are its control group (empty for none) and the folder of the FIFOs.
 */
export function runSpawnHelper(require: NodeJS.Require) {
  const { execFile, execFileSync, spawn } = require('node:child_process') as typeof import('node:child_process')
  const fs = require('node:fs') as typeof import('node:fs')
  const os = require('node:os') as typeof import('node:os')
  const { O_DIRECTORY, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

  // Beyond this many pids since the command started, reading the list of all processes is cheaper than trying each.
  const FEW = 256
  /** Standard folders of system programs, independent of the search path. */
  const SYSTEM = '/usr/bin:/bin:/run/current-system/sw/bin:/usr/local/bin'
  const POLL_MS = 5
  const MIND_MS = 500
  const LAST_GRACE_MS = 200
  const LAST_LOOKS = 100
  /** Maximum number of looks until stopped processes no longer run; one is in the kernel for longer only rarely. */
  const FREEZE_LOOKS = 200
  /** Maximum time for which processes stay stopped, should the server not let them go on. */
  const MAX_FROZEN_MS = 10_000
  const STANDARD_STREAMS = 3
  /** Maximum time for a program to start, polled every millisecond. */
  const STARTING_MS = 100

  const [cgroup, folder] = process.argv.slice(-2) as [string, string]

  type SpawnOrder = Extract<SpawnerRequest, { op: 'spawn' }>
  interface Living {
    pid: number
    mark: string
    sandbox: boolean
    /** Ends the program with all that it has started: SIGKILL, unless it stays outside of what confines the others. */
    endSignal: NodeJS.Signals
    minded: boolean
    started: number
    /** Last signal sent to the contents of its sandbox. */
    sent: NodeJS.Signals | undefined
  }
  /** In the order they were started. */
  const living = new Map<number, Living>()
  /** Stopped processes by the id of their freeze, with the timer that lets them go on at the latest. */
  const frozen = new Map<number, { stopped: Set<number>; timer: NodeJS.Timeout }>()
  /** Number of programs that are creating FIFOs. */
  let making = 0
  // Without a server there is no recipient; `disconnect` handles that case.
  const report = (what: SpawnerEvent) => process.connected && process.send?.(what, () => {})

  process.on('message', (order: SpawnerRequest) => {
    if (order.op === 'spawn') start(order)
    else if (order.op === 'kill') kill(order.id, order.grace_ms)
    else if (order.op === 'signal') signalAll(order.id, order.signal)
    else if (order.op === 'sweep') sweep(order)
    else if (order.op === 'mind') mind(order)
    else if (order.op === 'freeze') freeze(order)
    else if (order.op === 'thaw') thaw(order.id)
    else makePipes(order.paths)
  })
  process.on('disconnect', endWithServer)
  // Better no commands than unsupervised ones.
  process.on('uncaughtException', error => {
    console.error(error)
    endWithServer()
  })
  // A signal to the server's whole group is handled by the server; it ends the helper by disconnecting.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  report({ event: 'ready' })

  function makePipes(paths: string[]) {
    making += 1
    execFile('mkfifo', ['-m', '600', ...paths], { env: { PATH: SYSTEM } }, error => {
      making -= 1
      report({ event: 'pipes', paths, error: error?.message })
    })
  }

  function start(order: SpawnOrder) {
    const { id, mark, sandbox } = order
    const fds: number[] = []
    const open = (path: string, flags: number) => fds[fds.push(fs.openSync(path, flags)) - 1]!
    const fail = (error: NodeJS.ErrnoException) =>
      report({ event: 'failed', id, code: error.code ?? 'UNKNOWN', message: error.message })
    let child: ChildProcess
    try {
      // Never blocks: without its reader there is no one to spawn for. The child itself gets blocking descriptors.
      const stdin = order.stdin === undefined ? 'ignore' : open(order.stdin, O_RDONLY | O_NONBLOCK)
      const stdout = open(order.stdout, O_WRONLY | O_NONBLOCK)
      const stdio: StdioOptions = [
        stdin,
        stdout,
        order.stderr === undefined ? stdout : open(order.stderr, O_WRONLY | O_NONBLOCK),
        ...order.inherit.map(path => open(path, O_RDONLY))
      ]
      child = spawn(order.file, order.args, { stdio, detached: true, cwd: openCwd(order, open), env: order.env })
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
      return
    } finally {
      for (const fd of fds) fs.closeSync(fd)
    }
    const { pid } = child
    child.on('error', fail)
    if (pid === undefined) return
    if (order.niceness > 0) lowerPriority(pid, order.niceness)
    const started = statOf(pid)?.started ?? 0
    const one: Living = { pid, mark, sandbox, minded: false, endSignal: order.end_signal, started, sent: undefined }
    living.set(id, one)
    report({ event: 'spawned', id, pid })
    child.on('exit', (code, signal) => {
      const left = relatives(pid, mark).length > 0
      if (!left) living.delete(id)
      report({ event: 'exited', id, ...endedBy(one, code, signal), left })
    })
  }

  // The child changes to the folder that was compared, which its name may no longer lead to.
  function openCwd({ cwd, cwd_identity, inherit }: SpawnOrder, open: (path: string, flags: number) => number) {
    if (cwd_identity === undefined) return cwd
    let fd = open(cwd, O_RDONLY | O_DIRECTORY)
    const { dev, ino } = fs.fstatSync(fd, { bigint: true })
    if (`${dev}:${ino}` !== cwd_identity) throw Object.assign(new Error(`${cwd} was replaced`), { code: 'ESTALE' })
    if (process.platform !== 'linux') return cwd
    // The child's standard streams and inherited files take the lowest numbers before it changes to the folder.
    while (fd < STANDARD_STREAMS + inherit.length) fd = open(`/proc/self/fd/${fd}`, O_RDONLY | O_DIRECTORY)
    return `/proc/self/fd/${fd}`
  }

  // Lowers the priority of a process, and of those that it starts later. Where the system refuses, it stays as it is.
  function lowerPriority(pid: number, niceness: number) {
    try {
      os.setPriority(pid, niceness)
    } catch {
      // It may have ended already.
    }
  }

  // A sandbox reports the signal that ended its program as a shell does, by 128 plus its number. That is taken for a signal only
  // if it was sent from here: any program may exit with such a code.
  function endedBy({ sent }: Living, code: number | null, signal: string | null) {
    const isSent = sent !== undefined && code === 128 + os.constants.signals[sent]
    return isSent ? { code: null, signal: sent } : { code, signal }
  }

  function kill(id: number, graceMs: number) {
    const one = living.get(id)
    if (!one) return
    signalAll(id, graceMs > 0 ? 'SIGTERM' : 'SIGKILL')
    if (graceMs > 0) setTimeout(() => living.get(id) === one && endAll(one), graceMs)
  }

  function endAll(one: Living) {
    if (one.endSignal !== 'SIGKILL') one.sent = 'SIGKILL'
    signalGroup(one.pid, one.endSignal)
  }

  // A sandbox does not forward signals: its contents get them directly, and the sandbox ends with that. Only SIGKILL is sent to
  // the sandbox itself, which kills everything in it.
  function signalAll(id: number, name: NodeJS.Signals) {
    const one = living.get(id)
    if (!one) return
    if (one.minded) for (const pid of relatives(one.pid, one.mark)) signal(pid, name)
    if (one.minded) return
    if (name === 'SIGKILL') return endAll(one)
    const inside = !one.sandbox ? [] : relatives(one.pid, one.mark).filter(isWithin)
    if (inside.length === 0) signalGroup(one.pid, name)
    if (inside.length > 0 || one.endSignal !== 'SIGKILL') one.sent = name
    for (const pid of inside) signal(pid, name)
  }

  // Checks if a process is in a nested pid namespace, and is not its first process, which is the sandbox's own.
  function isWithin(pid: number) {
    try {
      const [, inner] = fs.readFileSync(`/proc/${pid}/status`, 'latin1').match(/^NSpid:\t\d+\t(?:\d+\t)*(\d+)$/m) ?? []
      return inner !== undefined && inner !== '1'
    } catch {
      return false
    }
  }

  // Ends all processes left by a command, SIGTERM first, and reports them once they are gone.
  function sweep({ id, pid, mark, grace_ms }: Extract<SpawnerRequest, { op: 'sweep' }>) {
    const found = new Map<number, string>()
    const one = living.get(id)
    if (one) one.minded = false
    const deadline = performance.now() + grace_ms
    const look = () => {
      const alive = relatives(pid, mark)
      const late = performance.now() >= deadline
      for (const one of alive) {
        const known = found.has(one)
        if (!known) found.set(one, nameOf(one))
        if (late || !known) signal(one, late ? 'SIGKILL' : 'SIGTERM')
      }
      if (alive.length > 0) return void setTimeout(look, POLL_MS)
      living.delete(id)
      // A sandbox leaves nothing behind: any process found there is terminating with the first process of its namespace.
      const ends = one?.sandbox && process.platform === 'linux'
      report({ event: 'swept', id, left: ends ? [] : Array.from(found, ([pid, name]) => ({ pid, name })) })
    }
    look()
  }

  // Stops all processes of these commands and reports them once none runs any more. Those that were stopped already stay so later.
  function freeze({ id, commands }: Extract<SpawnerRequest, { op: 'freeze' }>) {
    const stopped = new Set<number>()
    const stoppedBefore = new Set<number>()
    const look = (looks: number) => {
      let isNew = false
      let runs = false
      for (const command of commands) {
        const one = living.get(command)
        for (const pid of one ? [one.pid, ...relatives(one.pid, one.mark)] : []) {
          const { state } = statOf(pid) ?? { state: 'X' }
          if (stopped.has(pid) || stoppedBefore.has(pid)) runs ||= !'TtZX'.includes(state)
          else if (state === 'T') stoppedBefore.add(pid)
          else {
            isNew = true
            stopped.add(pid)
            signal(pid, 'SIGSTOP')
          }
        }
      }
      if ((isNew || runs) && looks > 0) return void setTimeout(look, 1, looks - 1)
      report({ event: 'frozen', id })
    }
    frozen.set(id, { stopped, timer: setTimeout(thaw, MAX_FROZEN_MS, id).unref() })
    look(FREEZE_LOOKS)
  }

  function thaw(id: number) {
    const { stopped = [], timer } = frozen.get(id) ?? {}
    // Otherwise it would end a later freeze of the same processes.
    clearTimeout(timer)
    frozen.delete(id)
    for (const pid of stopped) signal(pid, 'SIGCONT')
  }

  // Lets the processes left by a command live on, and reports when the last of them has ended.
  function mind({ id, pid, mark }: Extract<SpawnerRequest, { op: 'mind' }>) {
    const one = living.get(id)
    const left = relatives(pid, mark)
    report({ event: 'minded', id, left: left.map(pid => ({ pid, name: nameOf(pid) })) })
    if (one) one.minded = true
    const look = (alive: number[]) => {
      if (one && !one.minded) return
      if (alive.length > 0) return void setTimeout(() => look(relatives(pid, mark)), MIND_MS)
      living.delete(id)
      report({ event: 'swept', id, left: [] })
    }
    look(left)
  }

  function endWithServer() {
    const each = (name: NodeJS.Signals) => {
      for (const { pid, mark, endSignal } of living.values()) {
        for (const one of relatives(pid, mark)) signal(one, name)
        signalGroup(pid, name === 'SIGKILL' ? endSignal : name)
      }
    }
    const end = (looks: number) => {
      each('SIGKILL')
      for (const pid of grouped()) signal(pid, 'SIGKILL')
      // Killed processes take a moment to disappear, and the folder is removed once nothing more is created in it.
      if (looks > 0 && (making > 0 || anyLives())) return void setTimeout(end, POLL_MS, looks - 1)
      fs.rmSync(folder, { recursive: true, force: true })
      leaveGroup()
      process.exit()
    }
    each('SIGTERM')
    setTimeout(end, living.size > 0 || grouped().length > 0 ? LAST_GRACE_MS : 0, LAST_LOOKS)
  }

  function anyLives() {
    const alive = (pid: number) => !'ZX'.includes(statOf(pid)?.state ?? 'X')
    const all = [...living.values()].some(({ pid, mark }) => alive(pid) || relatives(pid, mark).length > 0)
    return all || grouped().some(alive)
  }

  // A cgroup can be removed only after the helper has left it.
  function leaveGroup() {
    try {
      if (cgroup === '') return
      fs.writeFileSync(`${cgroup}/../cgroup.procs`, String(process.pid))
      fs.rmdirSync(cgroup)
    } catch {
      // The next server removes it.
    }
  }

  function signalGroup(pid: number, name: NodeJS.Signals) {
    signal(-pid, name)
  }

  function signal(pid: number, name: NodeJS.Signals) {
    try {
      process.kill(pid, name)
    } catch {
      // Already gone.
    }
  }

  // Finds live processes, other than the command itself, that are in its session or group, or carry its mark although they left
  // both. They are all younger, so mostly the few pids assigned since need to be checked.
  function relatives(pid: number, mark: string): number[] {
    if (process.platform !== 'linux') return group(pid)
    const last = Number(fs.readFileSync('/proc/loadavg', 'latin1').split(' ')[4])
    const few = last >= pid && last - pid <= FEW
    const candidates = few
      ? Array.from({ length: last - pid }, (_, i) => pid + 1 + i)
      : fs.readdirSync('/proc').map(Number).filter(Boolean)
    const found = candidates.filter(one => one !== pid && one !== process.pid && isRelative(one, pid, mark))
    return [...new Set([...found, ...strays(pid)])]
  }

  // Finds processes of the oldest living command that neither session nor mark attributes to it: those of the cgroup that are
  // older than the next command. Processes that a younger command hides this way are found when it is the oldest.
  function strays(pid: number): number[] {
    const [oldest, next] = living.values()
    if (oldest?.pid !== pid) return []
    const until = next?.started ?? Number.POSITIVE_INFINITY
    return grouped().filter(one => {
      const stat = one === pid ? undefined : statOf(one)
      return stat && stat.parent !== process.pid && stat.started < until && !'ZX'.includes(stat.state)
    })
  }

  /** Lists all processes of the control group except the helper. */
  function grouped(): number[] {
    try {
      const lines = cgroup === '' ? [] : fs.readFileSync(`${cgroup}/cgroup.procs`, 'latin1').split('\n')
      return lines.map(Number).filter(pid => pid > 0 && pid !== process.pid)
    } catch {
      return []
    }
  }

  function statOf(pid: number) {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
      // The name may contain anything, so fields are counted after it.
      const [state = '', parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return { state, parent: Number(parent), started: Number(rest[17]) }
    } catch {
      return undefined
    }
  }

  // Empty if unknown.
  function nameOf(pid: number): string {
    try {
      return process.platform === 'linux'
        ? fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()
        : execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' })
            .trimEnd()
            .replace(/^.*\//, '')
    } catch {
      return ''
    }
  }

  function isRelative(one: number, pid: number, mark: string) {
    try {
      const status = fs.readFileSync(`/proc/${one}/status`, 'latin1')
      const field = (name: string) => status.match(new RegExp(`^${name}:\\s*(\\S+)`, 'm'))?.[1]
      if (field('State') === 'Z' || field('State') === 'X' || Number(field('Tgid')) !== one) return false
      // The first number is the one of this namespace; more follow for nested ones.
      if (Number(field('NSsid')) === pid || Number(field('NSpgid')) === pid) return true
      // Kernel threads have no memory, and never an environment to wait for.
      return mark !== '' && field('VmSize') !== undefined && `\0${environmentOf(one)}`.includes(`\0${mark}\0`)
    } catch {
      return false
    }
  }

  // During exec a process has neither arguments nor an environment, and its mark is not visible: that is waited for. Arguments
  // alone may be those of the next program, set between the two reads; so the environment is read once more.
  function environmentOf(pid: number): string {
    const read = (name: string) => fs.readFileSync(`/proc/${pid}/${name}`, 'latin1')
    for (let looks = 0; ; looks += 1) {
      const environment = read('environ')
      if (environment !== '' || looks === STARTING_MS || (looks > 0 && read('cmdline') !== '')) return environment
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }

  // Lists the members of the group by ps, if there is no /proc.
  function group(pid: number): number[] {
    try {
      process.kill(-pid, 0)
      const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'latin1' }).split('\n')
      const rows = lines.map(line => line.trim().split(/\s+/))
      const members = rows.filter(([, pgid, stat]) => Number(pgid) === pid && !stat?.startsWith('Z'))
      return members.map(([one]) => Number(one)).filter(one => one !== pid)
    } catch {
      return []
    }
  }
}
