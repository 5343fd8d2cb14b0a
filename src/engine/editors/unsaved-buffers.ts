// What front ends tell of unsaved buffers. Routes turn HTTP into these methods and back.
import type { BufferOwner, BufferSnapshot, EditorBuffer } from '../../host/editors/editor-buffers.ts'
import type { Engine } from '../engine.ts'
import { resolveWorkspace } from '../submit.ts'

/** All that one client holds in a workspace. */
export interface ClientBuffers {
  client_id: string
  /** How long until it is dropped, unless the client speaks up; undefined where nothing is held. */
  left_ms: number | undefined
  buffers: EditorBuffer[]
}

export class UnsavedBuffers {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Takes what a client holds now, each in place of what it held of that file, and renews its lease. All or none. */
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

  /** The client holds that file no longer, or, without a path, none. */
  drop(workspace: string | undefined, client_id: string, path: string | undefined): ClientBuffers {
    const served = resolveWorkspace(this.#engine, workspace)
    this.#engine.buffers.drop(served, client_id, path)
    return this.#clientBuffers(served.name, client_id)
  }

  /** What anybody holds, by path. */
  list(workspace: string | undefined): EditorBuffer[] {
    return this.#engine.buffers.list(resolveWorkspace(this.#engine, workspace).name)
  }

  #clientBuffers(workspace: string, client_id: string): ClientBuffers {
    const { buffers } = this.#engine
    const own = buffers.list(workspace).filter(held => held.client_id === client_id)
    return { client_id, left_ms: buffers.leaseRemainingMs(client_id), buffers: own }
  }
}
