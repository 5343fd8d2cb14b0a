// Program that probes a sandbox level from inside. It runs as `node -e "(<this function's text>)(require)"`, so it uses nothing
// from outside itself.

export type ProbeAttempt =
  | 'read the workspace'
  | 'write the workspace'
  | 'write a temporary file'
  | 'start a program'
  | 'read a file outside'
  | 'read a file of the server'
  | 'write a file outside'
  | 'change a file outside'
  | 'see processes outside'
  | 'signal a process outside'
  | 'read the environment of a process outside'
  | 'change settings of the kernel'
  | 'connect to a port of this machine'
  | 'connect to a socket outside'
  | 'connect to a nameless socket'
  | 'send a datagram'
  | 'gain rights'

/** An attempt, and if it succeeded. */
export type ProbeOutcome = [ProbeAttempt, boolean]

export interface ProbeTargets {
  root: string
  /** Contains the workspace and its siblings. */
  folder: string
  canary: string
  /** In the state folder. */
  serverFile: string
  socket: string
  /** Name of an abstract socket, which has no file. */
  abstract: string
  port: number
  /** The port of a socket that counts datagrams. */
  udpPort: number
  /** A process of the same user. */
  pid: number
}

/** Prints the outcomes as JSON. Its last argument is the targets, as JSON. */
export async function runProbeAttempts(require: NodeJS.Require) {
  const fs = require('node:fs') as typeof import('node:fs')
  const dgram = require('node:dgram') as typeof import('node:dgram')
  const os = require('node:os') as typeof import('node:os')
  const net = require('node:net') as typeof import('node:net')
  const { execFileSync } = require('node:child_process') as typeof import('node:child_process')
  const targets = JSON.parse(process.argv.at(-1)!) as ProbeTargets
  const CONNECT_MS = 1_000
  // This process, and those of bubblewrap around it.
  const OWN_PROCESSES = 4

  const outcomes: ProbeOutcome[] = []
  const attempt = (name: ProbeAttempt, act: () => unknown) => {
    try {
      outcomes.push([name, act() !== false])
    } catch {
      outcomes.push([name, false])
    }
  }
  const opens = (file: string) => {
    try {
      fs.closeSync(fs.openSync(file, fs.constants.O_WRONLY))
      return true
    } catch {
      return false
    }
  }
  const connects = async (name: ProbeAttempt, where: import('node:net').NetConnectOpts) => {
    const possible = await new Promise<boolean>(resolve => {
      const socket = net.connect(where)
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.setTimeout(CONNECT_MS, () => resolve(false))
    }).catch(() => false)
    outcomes.push([name, possible])
  }

  attempt('read the workspace', () => fs.readFileSync(`${targets.root}/file`))
  attempt('write the workspace', () => fs.writeFileSync(`${targets.root}/new`, ''))
  attempt('write a temporary file', () => fs.writeFileSync(`${os.tmpdir()}/new`, ''))
  attempt('start a program', () => execFileSync('/bin/sh', ['-c', ':']))
  attempt('read a file outside', () => fs.readFileSync(targets.canary))
  attempt('read a file of the server', () => fs.readFileSync(targets.serverFile))
  attempt('write a file outside', () => {
    fs.writeFileSync(`${targets.folder}/new`, '')
    return fs.existsSync(targets.canary)
  })
  attempt('change a file outside', () => fs.chmodSync(targets.canary, 0o600))
  attempt('signal a process outside', () => process.kill(targets.pid, 0))
  if (process.platform === 'linux') {
    attempt('read the environment of a process outside', () =>
      fs.readFileSync(`/proc/${targets.pid}/environ`, 'latin1').includes('CANARY=')
    )
    attempt('see processes outside', () => fs.readdirSync('/proc').filter(Number).length > OWN_PROCESSES)
    attempt('change settings of the kernel', () => {
      const settings = ['/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory', '/proc/sysrq-trigger']
      return settings.some(opens)
    })
    attempt('gain rights', () => {
      const status = fs.readFileSync('/proc/self/status', 'utf8')
      const field = (name: string) => status.match(new RegExp(`^${name}:\\s*(\\S+)`, 'm'))?.[1]
      const none = (name: string) => Number.parseInt(field(name) ?? '1', 16) === 0
      // Without new privileges, the bounding set grants nothing.
      return !(none('CapEff') && none('CapPrm') && field('NoNewPrivs') === '1')
    })
    await connects('connect to a nameless socket', { path: targets.abstract })
  }
  await new Promise<void>(resolve => {
    // It arrives or not: what is sent within the sandbox's network is nothing.
    const socket = dgram.createSocket('udp4')
    socket.once('error', () => resolve())
    socket.send('x', targets.udpPort, '127.0.0.1', () => resolve())
  })
  await connects('connect to a port of this machine', { host: '127.0.0.1', port: targets.port })
  await connects('connect to a socket outside', { path: targets.socket })
  process.stdout.write(JSON.stringify(outcomes), () => process.exit())
}
