// Unsaved buffers reported by front ends. Routes translate HTTP to these methods and back.
import type { BufferOwner, BufferSnapshot, EditorBuffer } from '../../host/editors/editor-buffers.ts'
import type { Engine } from '../engine.ts'
import { resolveWorkspace } from '../submit.ts'

/** The buffers of one client in a workspace. */
export interface ClientBuffers {
  client_id: string
  /** Remaining lease in milliseconds, unless renewed; undefined if there are no buffers. */
  left_ms: number | undefined
  buffers: EditorBuffer[]
}

export class UnsavedBuffers {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Stores a client's buffers atomically, replacing those of the same files, and renews its lease. */
  put(
    workspace: string | undefined,
    holder: BufferOwner,
    sent: readonly BufferSnapshot[],
    lease_ms: number
  ): ClientBuffers {
    const served = resolveWorkspace(this.#engine, workspace)
    const paths = this.#engine.buffers.put(served, holder, sent, lease_ms)
    this.#engine.languageServers.warm(served.name, paths)
    if (sent.length > 0) this.#engine.front_ends.markActive(holder.client_id)
    return this.#clientBuffers(served.name, holder.client_id)
  }

  /** Drops a client's buffer of that file or, without a path, all of them. */
  drop(workspace: string | undefined, client_id: string, path: string | undefined): ClientBuffers {
    const served = resolveWorkspace(this.#engine, workspace)
    this.#engine.buffers.drop(served, client_id, path)
    return this.#clientBuffers(served.name, client_id)
  }

  /** Lists the buffers of all clients, by path. */
  list(workspace: string | undefined): EditorBuffer[] {
    return this.#engine.buffers.list(resolveWorkspace(this.#engine, workspace).name)
  }

  #clientBuffers(workspace: string, client_id: string): ClientBuffers {
    const { buffers } = this.#engine
    const own = buffers.list(workspace).filter(held => held.client_id === client_id)
    return { client_id, left_ms: buffers.leaseRemainingMs(client_id), buffers: own }
  }
}
