// Entry point of the process: only this module reads its arguments and environment.
import { EXIT } from './cli/exit.ts'
import { runCli } from './cli/run.ts'

// A reader that closes the pipe early, such as `head`, is no error to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.brokenPipe : EXIT.failed)
)

// A closed terminal accepts no output; finish the work nevertheless.
process.stderr.on('error', () => {})

runCli({
  argv: process.argv.slice(2),
  // A copy: each look at the original asks the system.
  env: { ...process.env },
  cwd: process.cwd(),
  pid: process.pid,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  selfCommand: [process.execPath, ...process.execArgv, process.argv[1]!],
  exit: code => process.exit(code),
  onSignal(listener) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => listener(signal))
  }
}).then(code => {
  process.exitCode = code
  // Open handles must not keep a finished process alive, but its output must be flushed first, however slow the reader.
  process.stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref())
})
