// The process: the only reader of its arguments and environment.
import { EXIT } from './cli/exit.ts'
import { runCli } from './cli/run.ts'

// A reader that has seen enough, such as `head`, is no fault to tell of.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.brokenPipe : EXIT.failed)
)

// A terminal that was closed takes no more words; what runs is brought to its end all the same.
process.stderr.on('error', () => {})

runCli({
  argv: process.argv.slice(2),
  env: process.env,
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
  // What was left open must not keep a process that is done, but all that it has to say is read first, however slowly.
  process.stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref())
})
