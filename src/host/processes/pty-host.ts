// Helper program that holds a command's terminal; see pty.ts. It ends as the command does: with its exit code, or by the signal
// that ended it.
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { type IPty, spawn } from '@lydell/node-pty'
import type { PtyMessage, PtyStart } from './pty.ts'

const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

let terminal: IPty | undefined

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as PtyMessage
  if ('start' in message) terminal = start(message.start)
  else if ('input' in message) terminal?.write(message.input)
  else terminal?.resize(message.resize.cols, message.resize.rows)
}
// Without a server the terminal has no reader.
terminal?.kill('SIGHUP')

function start({ file, args, env, size }: PtyStart): IPty {
  // Raw bytes: the reader of the output assembles characters.
  const pty = spawn(file, [...args], { ...size, cwd: process.cwd(), env: { ...env }, encoding: null })
  pty.onData(data => {
    if (process.stdout.write(data)) return
    pty.pause()
    process.stdout.once('drain', () => pty.resume())
  })
  for (const name of FORWARDED) process.on(name, () => signal(-pty.pid, name))
  pty.onExit(({ exitCode, signal: number }) => process.stdout.write('', () => end(exitCode, number)))
  return pty
}

function end(code: number, number: number | undefined) {
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? []
  if (!name) process.exit(code)
  process.removeAllListeners(name)
  signal(process.pid, name as NodeJS.Signals)
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}
