// Fixture: runs a command of the program within the process of the test, at a fraction of the cost of a process.
import { globalAgent } from 'node:http'
import { PassThrough } from 'node:stream'
import type { CliRuntime } from '../../src/cli/context.ts'
import { runCli } from '../../src/cli/run.ts'

export interface RunningCommand {
  stdin: PassThrough
  stdout: PassThrough
  stderr: PassThrough
  /** Resolves with the exit code; rejects with an error that the program does not report but crashes with. */
  ended: Promise<number>
  /** Interrupts it as Ctrl+C does, unless it has ended. */
  interrupt: () => void
}

/** Starts the command. As no terminal is there, it never prompts. */
export function startCommand(argv: readonly string[], place: Pick<CliRuntime, 'env' | 'cwd'>): RunningCommand {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const listeners: Parameters<CliRuntime['onSignal']>[0][] = []
  const exit = Promise.withResolvers<number>()
  let isRunning = true
  const running = runCli({
    ...place,
    ...streams,
    argv,
    pid: process.pid,
    // A command that starts the program again needs a separate process.
    selfCommand: [],
    exit(code) {
      exit.resolve(code)
      throw new Error(`The command has exited with ${code}.`)
    },
    onSignal: listener => void listeners.push(listener)
  })
  const ended = Promise.race([exit.promise, running]).finally(() => {
    isRunning = false
    closeIdleConnections()
    streams.stdin.destroy()
    streams.stdout.end()
    streams.stderr.end()
  })
  const interrupt = () => {
    if (!isRunning) return
    if (listeners.length === 0) throw new Error(`${argv.join(' ')} does not handle an interrupt, which would kill it.`)
    for (const listener of listeners) listener('SIGINT')
  }
  return { ...streams, ended, interrupt }
}

/** Closes connections that are kept for further requests, as the end of a process does. */
function closeIdleConnections() {
  for (const socket of Object.values(globalAgent.freeSockets).flat()) socket?.destroy()
}
