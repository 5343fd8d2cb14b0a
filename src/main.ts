// The process: the only reader of its arguments and environment.
import { run } from './cli/run.ts'

// A reader that has seen enough, such as `head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

run({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  self: [process.execPath, ...process.execArgv, process.argv[1]!],
  exit: code => process.exit(code),
  onSignal(listener) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => listener(signal))
  }
}).then(code => {
  process.exitCode = code
  // What was left open must not keep a process that is done.
  setTimeout(() => process.exit(), 1_000).unref()
})
