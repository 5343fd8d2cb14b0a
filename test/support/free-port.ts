// A port of the loopback address that nothing listens on.
import { createServer } from 'node:net'
import { once } from './wait.ts'

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}
