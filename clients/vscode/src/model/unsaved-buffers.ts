// Reports unsaved text to the server, so that calls read it and do not overwrite it unnoticed. Requests are sent one after another,
// so that the newest text is the last.
import type { Client } from '../../../../src/client/client.ts'

export interface UnsavedBuffer {
  readonly workspace: string
  readonly path: string
  readonly version: number
  readonly content: string
}

/** The operations of a client that the reports need. */
export type BuffersClient = Pick<Client, 'putBuffers' | 'dropBuffers'>

interface ReporterOptions {
  readonly clientId: string
  /** Returns the client while there is a connection. */
  readonly getClient: () => BuffersClient | undefined
  /** Returns all unsaved buffers of files in the served folders. */
  readonly list: () => readonly UnsavedBuffer[]
}

export class UnsavedBufferReporter {
  readonly #options: ReporterOptions
  /** Versions that the server has, by workspace and path. */
  #reported = new Map<string, UnsavedBuffer>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  /** Reports all buffers again: another server has none of them. */
  reset(): Promise<void> {
    this.#reported = new Map()
    return this.report()
  }

  /** Reports buffers that have changed, and drops those that were saved or closed. Resolves once the server knows. */
  report(): Promise<void> {
    const { getClient, list, clientId: client_id } = this.#options
    return this.#enqueue(async () => {
      const client = getClient()
      if (!client) return
      const now = new Map(list().map(buffer => [keyOf(buffer), buffer]))
      for (const [key, { workspace, path }] of this.#reported)
        if (!now.has(key)) {
          this.#reported.delete(key)
          await client.dropBuffers({ path, workspace, client_id })
        }
      for (const [key, buffer] of now) {
        const { workspace, path, content, version } = buffer
        if (this.#reported.get(key)?.version === version) continue
        this.#reported.set(key, buffer)
        await client.putBuffers([{ path, content, version }], { workspace, client_id })
      }
    })
  }

  /** Renews the lease of all reported buffers. */
  renew(): Promise<void> {
    const { getClient, clientId: client_id } = this.#options
    return this.#enqueue(async () => {
      for (const workspace of this.#workspaces()) await getClient()?.putBuffers([], { workspace, client_id })
    })
  }

  /** Drops all buffers, when the window closes. */
  drop(): Promise<void> {
    const { getClient, clientId: client_id } = this.#options
    return this.#enqueue(async () => {
      const workspaces = this.#workspaces()
      this.#reported = new Map()
      for (const workspace of workspaces) await getClient()?.dropBuffers({ workspace, client_id })
    })
  }

  #workspaces(): Set<string> {
    return new Set([...this.#reported.values()].map(({ workspace }) => workspace))
  }

  /** Runs one action after another. A refused buffer, for example one that may hold credentials, is not sent again. */
  #enqueue(action: () => Promise<void>): Promise<void> {
    const run = this.#queue.then(action).catch(() => {})
    this.#queue = run
    return run
  }
}

const keyOf = ({ workspace, path }: UnsavedBuffer) => JSON.stringify([workspace, path])
