// The program of the spawner's helper process. Starting a process blocks the one that starts it for a time that grows
// with its memory; so a small process does it for the big one. The server hands over names of fifos, never bytes:
// output flows from the command straight to the server.
import type { ChildProcess, StdioOptions } from 'node:child_process'

/** What the server asks. A process's `id` is chosen by the server, `mark` is a NAME=value that all its relatives carry. */
export type Order =
  | { op: 'pipes'; paths: string[] }
  | {
      op: 'spawn'
      id: number
      file: string
      args: string[]
      cwd: string
      env: Record<string, string>
      mark: string
      stdin: string | undefined
      stdout: string
      stderr: string
    }
  | { op: 'kill'; id: number; grace_ms: number }
  | { op: 'sweep'; id: number; pid: number; mark: string; grace_ms: number }

/** What the helper tells. `left`: something of the command still lives after it exited. */
export type Report =
  | { event: 'pipes'; paths: string[]; error: string | undefined }
  | { event: 'spawned'; id: number; pid: number }
  | { event: 'failed'; id: number; code: string; message: string }
  | { event: 'exited'; id: number; code: number | null; signal: string | null; left: boolean }
  | { event: 'swept'; id: number; pids: number[] }

/**
 * Runs in the helper as `node -e "(<this function's text>)(require)"`, which is up in a third of the time a module
 * takes; so it uses nothing from outside itself. Its last argument is the folder of the fifos.
 */
export function serve(require: NodeJS.Require) {
  const { execFile, execFileSync, spawn } = require('node:child_process') as typeof import('node:child_process')
  const fs = require('node:fs') as typeof import('node:fs')
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

  // Beyond this many pids since the command started, reading the list of all processes is cheaper than trying each.
  const FEW = 256
  const POLL_MS = 5
  const LAST_GRACE_MS = 200

  type SpawnOrder = Extract<Order, { op: 'spawn' }>
  const living = new Map<number, { pid: number; mark: string }>()
  // Without a server there is nobody to tell; `disconnect` says what to do then.
  const report = (what: Report) => process.connected && process.send?.(what, () => {})

  process.on('message', (order: Order) => {
    if (order.op === 'spawn') start(order)
    else if (order.op === 'kill') kill(order.id, order.grace_ms)
    else if (order.op === 'sweep') sweep(order)
    else makePipes(order.paths)
  })
  process.on('disconnect', endWithServer)
  // Better no commands than commands that nobody minds.
  process.on('uncaughtException', error => {
    console.error(error)
    endWithServer()
  })
  // A signal for the whole group of the server is the server's business; it ends us by disconnecting.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

  function makePipes(paths: string[]) {
    execFile('mkfifo', ['-m', '600', ...paths], error => report({ event: 'pipes', paths, error: error?.message }))
  }

  function start(order: SpawnOrder) {
    const { id, mark } = order
    const fds: number[] = []
    const open = (path: string, flags: number) => fds[fds.push(fs.openSync(path, flags)) - 1]!
    const fail = (error: NodeJS.ErrnoException) =>
      report({ event: 'failed', id, code: error.code ?? 'UNKNOWN', message: error.message })
    let child: ChildProcess
    try {
      // Never waits: without its reader there is nobody to spawn for. The child itself gets blocking descriptors.
      const stdin = order.stdin === undefined ? 'ignore' : open(order.stdin, O_RDONLY | O_NONBLOCK)
      const stdio: StdioOptions = [
        stdin,
        open(order.stdout, O_WRONLY | O_NONBLOCK),
        open(order.stderr, O_WRONLY | O_NONBLOCK)
      ]
      child = spawn(order.file, order.args, { stdio, detached: true, cwd: order.cwd, env: order.env })
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
      return
    } finally {
      for (const fd of fds) fs.closeSync(fd)
    }
    const { pid } = child
    child.on('error', fail)
    if (pid === undefined) return
    living.set(id, { pid, mark })
    report({ event: 'spawned', id, pid })
    child.on('exit', (code, signal) => {
      const left = relatives(pid, mark).length > 0
      if (!left) living.delete(id)
      report({ event: 'exited', id, code, signal, left })
    })
  }

  function kill(id: number, graceMs: number) {
    const one = living.get(id)
    if (!one) return
    signalGroup(one.pid, graceMs > 0 ? 'SIGTERM' : 'SIGKILL')
    if (graceMs > 0) setTimeout(() => living.get(id) === one && signalGroup(one.pid, 'SIGKILL'), graceMs)
  }

  // Ends whatever a command left behind, kindly first, and tells what it was once it is gone.
  function sweep({ id, pid, mark, grace_ms }: Extract<Order, { op: 'sweep' }>) {
    const found = new Set<number>()
    const deadline = Date.now() + grace_ms
    const look = () => {
      const alive = relatives(pid, mark)
      const late = Date.now() >= deadline
      for (const one of alive) if (late || !found.has(one)) signal(one, late ? 'SIGKILL' : 'SIGTERM')
      for (const one of alive) found.add(one)
      if (alive.length > 0) return void setTimeout(look, POLL_MS)
      living.delete(id)
      report({ event: 'swept', id, pids: [...found] })
    }
    look()
  }

  function endWithServer() {
    const each = (name: NodeJS.Signals) => {
      for (const { pid, mark } of living.values()) {
        for (const one of relatives(pid, mark)) signal(one, name)
        signalGroup(pid, name)
      }
    }
    const end = () => {
      each('SIGKILL')
      fs.rmSync(process.argv.at(-1)!, { recursive: true, force: true })
      process.exit()
    }
    each('SIGTERM')
    setTimeout(end, living.size > 0 ? LAST_GRACE_MS : 0)
  }

  function signalGroup(pid: number, name: NodeJS.Signals) {
    signal(-pid, name)
  }

  function signal(pid: number, name: NodeJS.Signals) {
    try {
      process.kill(pid, name)
    } catch {
      // Gone already.
    }
  }

  // Live processes, other than the command itself, that are in its session or group, or carry its mark although they
  // left both. They are all younger, so mostly the few pids given out since are all there is to look at.
  function relatives(pid: number, mark: string): number[] {
    if (process.platform !== 'linux') return group(pid)
    const last = Number(fs.readFileSync('/proc/loadavg', 'latin1').split(' ')[4])
    const few = last >= pid && last - pid <= FEW
    const candidates = few
      ? Array.from({ length: last - pid }, (_, i) => pid + 1 + i)
      : fs.readdirSync('/proc').map(Number).filter(Boolean)
    return candidates.filter(one => one !== pid && one !== process.pid && isRelative(one, pid, mark))
  }

  function isRelative(one: number, pid: number, mark: string) {
    try {
      const status = fs.readFileSync(`/proc/${one}/status`, 'latin1')
      const field = (name: string) => status.match(new RegExp(`^${name}:\\s*(\\S+)`, 'm'))?.[1]
      if (field('State') === 'Z' || field('State') === 'X' || Number(field('Tgid')) !== one) return false
      // The first number is the one seen from here; more follow for namespaces further in.
      if (Number(field('NSsid')) === pid || Number(field('NSpgid')) === pid) return true
      return mark !== '' && `\0${fs.readFileSync(`/proc/${one}/environ`, 'latin1')}`.includes(`\0${mark}\0`)
    } catch {
      return false
    }
  }

  // Where there is no /proc: the members of the group, as ps tells them.
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
