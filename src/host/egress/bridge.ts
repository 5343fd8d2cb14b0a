// Sandbox end of the egress proxy. Programs expect a proxy on TCP, but the sandbox has only a unix socket; so this bridge runs in
// the sandbox, as the parent of the program.

/**
 * Runs in the sandbox as `node -e "(<this function's text>)(require)" -- <socket> <port> <program> [arguments…]`, so it uses
 * nothing from outside itself. It exits with the program's code or signal.
 */
export function bridge(require: NodeJS.Require) {
  const { spawn } = require('node:child_process') as typeof import('node:child_process')
  const { connect, createServer } = require('node:net') as typeof import('node:net')
  const { constants } = require('node:os') as typeof import('node:os')
  const { isatty } = require('node:tty') as typeof import('node:tty')
  // A terminal sends these to its whole foreground group.
  const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGTSTP']
  const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGWINCH']

  const [, socket = '', port = '', file = '', ...args] = process.argv
  const server = createServer({ allowHalfOpen: true }, inner => {
    const outer = connect({ path: socket, allowHalfOpen: true })
    for (const [one, other] of [[inner, outer] as const, [outer, inner] as const]) {
      one.on('error', () => {})
      // Each direction may end before the other; a broken connection breaks the other.
      one.on('close', () => (one.readableEnded && one.writableFinished) || other.destroy())
      one.pipe(other)
    }
  })
  server.on('error', error => fail(125, `The way out could not be opened: ${error.message}`))
  server.listen(Number(port), '127.0.0.1', run)

  function run() {
    const terminal = isatty(0)
    const passed = terminal ? PASSED_ON : [...PASSED_ON, ...FROM_TERMINAL]
    // Installed before the program starts: it may be the first to send one.
    for (const signal of [...PASSED_ON, ...FROM_TERMINAL])
      process.on(signal, () => passed.includes(signal) && child.kill(signal))
    const child = spawn(file, args, { stdio: 'inherit' })
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ENOENT' ? 127 : 126, `${file} could not be started: ${error.message}`)
    )
    child.on('exit', (code, signal) => {
      if (signal === null) process.exit(code ?? 1)
      process.removeAllListeners(signal)
      // The signal may not terminate this process.
      setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
      process.kill(process.pid, signal)
    })
  }

  function fail(code: number, message: string) {
    console.error(message)
    process.exit(code)
  }
}
