// Runs the program of a command under a bridge in its sandbox.

/**
 * Runs the program as a child with the same streams, and passes signals on. It exits with the program's code or signal. Its text is
 * passed to a bridge, so it uses nothing from outside itself.
 */
export function runInside(require: NodeJS.Require, file: string, args: readonly string[]) {
  const { spawn } = require('node:child_process') as typeof import('node:child_process')
  const { constants } = require('node:os') as typeof import('node:os')
  const { isatty } = require('node:tty') as typeof import('node:tty')
  // A terminal sends these to its whole foreground group.
  const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTSTP']
  const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGWINCH']

  const passed = isatty(0) ? PASSED_ON : [...PASSED_ON, ...FROM_TERMINAL]
  // Installed before the program starts: it may be the first to send one.
  for (const signal of [...PASSED_ON, ...FROM_TERMINAL])
    process.on(signal, () => passed.includes(signal) && child.kill(signal))
  const child = spawn(file, args, { stdio: 'inherit' })
  child.on('error', (error: NodeJS.ErrnoException) => {
    console.error(`${file} could not be started: ${error.message}`)
    process.exit(error.code === 'ENOENT' ? 127 : 126)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    // The signal may not terminate this process.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
    process.kill(process.pid, signal)
  })
}
