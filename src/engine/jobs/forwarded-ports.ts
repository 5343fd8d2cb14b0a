// Ports of running jobs that are reachable through the server. Each has a separate host name, so that browsers keep its pages apart
// from those of other jobs and from the console: another origin, another site, other cookies.
import { randomBytes } from 'node:crypto'
import type { PortConnector } from '../../host/sandbox/sandbox.ts'

export interface ForwardedPort {
  task_id: string
  port: number
  /** Browsers and curl resolve every name under `localhost` to the loopback address. */
  host: string
  connect: PortConnector
}

/** The form of the host names. */
export const FORWARDED_HOST = /^\d{1,5}-[0-9a-f]{20}\.localhost$/

export class ForwardedPorts {
  readonly #byHost = new Map<string, ForwardedPort>()

  add(task_id: string, ports: readonly number[], connect: PortConnector): ForwardedPort[] {
    return ports.map(port => {
      const host = `${port}-${randomBytes(10).toString('hex')}.localhost`
      const forwarded = { task_id, port, host, connect }
      this.#byHost.set(host, forwarded)
      return forwarded
    })
  }

  remove(ports: readonly ForwardedPort[]) {
    for (const { host } of ports) this.#byHost.delete(host)
  }

  /** Finds the port of a host name; undefined once its job has ended. */
  find(host: string): ForwardedPort | undefined {
    return this.#byHost.get(host)
  }

  get(task_id: string, port: number): ForwardedPort | undefined {
    return [...this.#byHost.values()].find(each => each.task_id === task_id && each.port === port)
  }
}
