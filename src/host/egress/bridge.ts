// Sandbox end of the egress proxy. Programs expect a proxy on TCP, but the sandbox has only a unix socket; so this bridge runs in
// the sandbox, as the parent of the program.
import type { runInside } from '../sandbox/run-inside.ts'

/**
 * Runs in the sandbox as `node -e "(<this function's text>)(require, <that of runInside>)" -- <socket> <port> <program>
 * [arguments…]`, so it uses nothing from outside itself. It exits with the program's code or signal.
 */
export function bridge(require: NodeJS.Require, run: typeof runInside) {
  const { connect, createServer } = require('node:net') as typeof import('node:net')

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
  server.on('error', error => {
    console.error(`The network proxy could not be opened: ${error.message}`)
    process.exit(125)
  })
  server.listen(Number(port), '127.0.0.1', () => run(require, file, args))
}
