// Unsaved editor buffers, in memory. Each client's buffers are under one lease, so that those of a crashed editor expire.
import { ToolError } from '../../errors.ts'
import { hashBytes } from '../files/content-source.ts'
import { quotePath } from '../files/errno.ts'
import { resolveWorkspacePath } from '../files/paths.ts'
import { classifyPath, type PathClassification, type PathGuard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../workspace.ts'

/** An editor's text of one file. Immutable: another text is a new buffer. */
export interface EditorBuffer {
  /** Canonical path, as resolved. */
  path: string
  text: string
  /** Hash (sha256) of the text as sent by the editor, in UTF-8. */
  hash: string
  size: number
  /** Id and name of the client that owns it. */
  client_id: string
  client: string
  /** The editor's own version number. */
  version?: number
  /** Hash of the file that the editor has read. */
  base_hash?: string
  updated_at: string
}

/** The client that sends buffers. */
export interface BufferOwner {
  client_id: string
  client: string
}

/** A buffer as sent by a client. */
export interface BufferSnapshot {
  path: string
  content: string
  version?: number
  base_hash?: string
}

interface BufferLimits {
  max_files: number
  max_bytes: number
}

interface Lease {
  /** By the monotonic clock. */
  expiresAt: number
  /** By workspace and canonical path. */
  buffers: Map<string, BufferEntry>
}

interface BufferEntry {
  buffer: EditorBuffer
  workspace: string
  /** The path as given by the client. */
  given: string
  /** Determines the latest of several clients. */
  sequence: number
}

export class EditorBuffers {
  readonly #guard: PathGuard
  readonly #limits: BufferLimits
  readonly #now: () => number
  readonly #leases = new Map<string, Lease>()
  readonly #generations = new Map<string, number>()
  #sequence = 0

  /** `now` is a monotonic clock in milliseconds. */
  constructor(guard: PathGuard, limits: BufferLimits, now: () => number = () => performance.now()) {
    this.#guard = guard
    this.#limits = limits
    this.#now = now
  }

  /**
   * Stores a client's buffers, replacing its earlier ones of the same files, and renews its lease. All or none. Returns the
   * canonical paths.
   */
  put(workspace: Workspace, holder: BufferOwner, sent: readonly BufferSnapshot[], lease_ms: number): string[] {
    this.#dropExpired()
    const lease = this.#leases.get(holder.client_id)
    const buffers = new Map(lease?.buffers)
    const others = this.#entries().filter(({ buffer }) => buffer.client_id !== holder.client_id)
    const paths: string[] = []
    for (const each of sent) {
      const buffer = toEditorBuffer(each, this.#assertHoldable(workspace, each.path), holder)
      const sequence = ++this.#sequence
      buffers.set(keyOf(workspace.name, buffer.path), { buffer, workspace: workspace.name, given: each.path, sequence })
      paths.push(buffer.path)
    }
    this.#assertFits([...others, ...buffers.values()])
    if (buffers.size > 0) this.#leases.set(holder.client_id, { expiresAt: this.#now() + lease_ms, buffers })
    if (sent.length > 0) this.#bumpGeneration(workspace.name)
    return paths
  }

  /** Removes the client's buffer of a file, or, without a path, all of the workspace. */
  drop(workspace: Workspace, client_id: string, path?: string) {
    this.#dropExpired()
    const lease = this.#leases.get(client_id)
    if (!lease) return
    const canonical = path === undefined ? undefined : this.#resolve(workspace, path).path
    for (const [key, { buffer, workspace: where, given }] of lease.buffers) {
      if (where !== workspace.name) continue
      if (path === undefined || buffer.path === canonical || given === path) lease.buffers.delete(key)
    }
    if (lease.buffers.size === 0) this.#leases.delete(client_id)
    this.#bumpGeneration(workspace.name)
  }

  /** Records that an editor has applied this text, unless it has sent a newer one already. */
  replace(workspace: string, was: EditorBuffer, text: string) {
    const key = keyOf(workspace, was.path)
    const entry = this.#leases.get(was.client_id)?.buffers.get(key)
    if (entry?.buffer.hash !== was.hash) return
    const { version: _, ...same } = was
    entry.buffer = { ...same, text, ...textFacts(text) }
    this.#bumpGeneration(workspace)
  }

  /** Returns the buffer of a file; with several clients the latest. */
  get(workspace: string, path: string): EditorBuffer | undefined {
    if (!this.hasBuffers) return undefined
    return this.#entries().findLast(entry => entry.workspace === workspace && entry.buffer.path === path)?.buffer
  }

  /** Returns the buffers below a folder, by path; with several clients the latest. */
  listUnder(workspace: string, folder: string): EditorBuffer[] {
    const within = (path: string) => folder === '.' || path.startsWith(`${folder}/`)
    const entries = this.#entries().filter(entry => entry.workspace === workspace && within(entry.buffer.path))
    return sortByPath([...new Map(entries.map(({ buffer }) => [buffer.path, buffer])).values()])
  }

  /** Returns all buffers of a workspace, by path. */
  list(workspace: string): EditorBuffer[] {
    return sortByPath(this.#entries().flatMap(entry => (entry.workspace === workspace ? [entry.buffer] : [])))
  }

  /** Returns the remaining time of a client's lease in milliseconds. */
  leaseRemainingMs(client_id: string): number | undefined {
    const lease = this.#leases.get(client_id)
    return lease && Math.max(0, lease.expiresAt - this.#now())
  }

  /** True if there are any buffers. */
  get hasBuffers(): boolean {
    this.#dropExpired()
    return this.#leases.size > 0
  }

  /** Returns a counter of the changes to a workspace's buffers. */
  generation(workspace: string): number {
    this.#dropExpired()
    return this.#generations.get(workspace) ?? 0
  }

  #assertHoldable(workspace: Workspace, path: string): string {
    const { path: canonical, kind, sensitive, protected: closed } = this.#resolve(workspace, path)
    if (closed)
      throw new ToolError(
        'SENSITIVE_PATH',
        `${quotePath(path)} is protected: the server does not accept its unsaved text.`,
        { path }
      )
    if (sensitive)
      throw new ToolError(
        'SENSITIVE_PATH',
        `${quotePath(path)} may contain credentials: the server does not accept its unsaved text.`,
        {
          path
        }
      )
    if (kind === 'file' || kind === 'missing') return canonical
    throw new ToolError('NOT_A_FILE', `${quotePath(path)} is not a regular file.`, { path })
  }

  #resolve(workspace: Workspace, path: string): PathClassification {
    const place = resolveWorkspacePath(workspace, path)
    place.close()
    return classifyPath(workspace, this.#guard, place)
  }

  #assertFits(all: readonly BufferEntry[]) {
    const { max_files, max_bytes } = this.#limits
    const bytes = all.reduce((sum, { buffer }) => sum + buffer.size, 0)
    if (all.length > max_files)
      throw new ToolError(
        'TOO_LARGE',
        `With this file, the editor would report ${all.length} unsaved files; the limit is ${max_files}.`,
        {
          buffers: all.length,
          limit: max_files
        }
      )
    if (bytes > max_bytes)
      throw new ToolError(
        'TOO_LARGE',
        `The unsaved texts of the editor would have ${bytes} bytes; the limit is ${max_bytes}.`,
        {
          bytes,
          limit: max_bytes
        }
      )
  }

  /** Returns all buffers, the newest last. */
  #entries(): BufferEntry[] {
    this.#dropExpired()
    return [...this.#leases.values()]
      .flatMap(({ buffers }) => [...buffers.values()])
      .sort((a, b) => a.sequence - b.sequence)
  }

  #dropExpired() {
    const now = this.#now()
    for (const [client_id, { expiresAt, buffers }] of this.#leases) {
      if (expiresAt > now) continue
      this.#leases.delete(client_id)
      for (const workspace of new Set([...buffers.values()].map(each => each.workspace)))
        this.#bumpGeneration(workspace)
    }
  }

  #bumpGeneration(workspace: string) {
    this.#generations.set(workspace, (this.#generations.get(workspace) ?? 0) + 1)
  }
}

function toEditorBuffer(
  { content, version, base_hash }: BufferSnapshot,
  path: string,
  { client_id, client }: BufferOwner
): EditorBuffer {
  return {
    path,
    text: content,
    ...textFacts(content),
    client_id,
    client,
    ...(version !== undefined && { version }),
    ...(base_hash !== undefined && { base_hash })
  }
}

const textFacts = (text: string) => ({
  hash: hashBytes(Buffer.from(text)),
  size: Buffer.byteLength(text),
  updated_at: new Date().toISOString()
})

const keyOf = (workspace: string, path: string) => `${workspace}\n${path}`

const sortByPath = (all: EditorBuffer[]) => all.sort((a, b) => (a.path < b.path ? -1 : 1))
