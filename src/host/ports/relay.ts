// Sandbox end of forwarded ports. Nothing outside can open a connection into the network of a sandbox; so this relay runs in it, as
// the parent of the program, and offers connections on a unix socket of the server, which names the port that each is for.
import type { runInside } from '../sandbox/run-inside.ts'

/**
 * Runs in the sandbox as `node -e "(<this function's text>)(require, <that of runInside>)" -- <socket> <ports> <program>
 * [arguments…]`, so it uses nothing from outside itself. It exits with the program's code or signal.
 */
export function relay(require: NodeJS.Require, run: typeof runInside) {
  const { connect } = require('node:net') as typeof import('node:net')
  type Socket = import('node:net').Socket
  /** Number of connections that wait for the server: as many as a browser opens at once, and some more. */
  const OFFERED = 8
  const LOOPBACK = ['127.0.0.1', '::1'] as const

  const [, socket = '', ports = '', file = '', ...args] = process.argv
  const served = new Set(ports.split(','))
  for (let i = 0; i < OFFERED; i += 1) offer()
  run(require, file, args)

  function offer() {
    const outer = connect({ path: socket, allowHalfOpen: true })
    outer.on('error', () => {})
    let order = ''
    outer.on('data', function take(chunk: Buffer) {
      order += chunk.toString('latin1')
      if (!order.endsWith('\n')) return
      outer.off('data', take)
      outer.pause()
      offer()
      const port = order.trim()
      if (served.has(port)) open(outer, Number(port), [...LOOPBACK])
      else outer.end('EACCES\n')
    })
  }

  function open(outer: Socket, port: number, [host, ...others]: string[]) {
    const inner = connect({ host: host!, port, allowHalfOpen: true })
    const onError = (error: NodeJS.ErrnoException) =>
      others.length > 0 ? open(outer, port, others) : outer.end(`${error.code}\n`)
    inner.once('error', onError)
    inner.once('connect', () => {
      inner.off('error', onError)
      outer.write('OK\n')
      join(inner, outer)
      join(outer, inner)
    })
  }

  /** Passes one direction on, which may end before the other; a broken connection breaks the other. */
  function join(from: Socket, to: Socket) {
    from.on('error', () => {})
    from.on('close', () => (from.readableEnded && from.writableFinished) || to.destroy())
    from.pipe(to)
  }
}
