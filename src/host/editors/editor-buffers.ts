// What editors hold of files and have not saved, in memory. Each client holds its buffers under one lease, so that an
// editor that died holds nothing for long.
import { ToolError } from '../../errors.ts'
import { hashOf } from '../files/content-source.ts'
import { quote } from '../files/errno.ts'
import { walk } from '../files/paths.ts'
import { type Guard, judge, type Resolved } from '../files/policy/path-policy.ts'
import type { Workspace } from '../host.ts'

/** An editor's text of one file. It never changes: other text makes another one. */
export interface HeldBuffer {
  /** Canonical, as the walk found it. */
  path: string
  text: string
  /** sha256 of the text as the editor sent it, in UTF-8. */
  hash: string
  size: number
  /** Which front end holds it, and what that calls itself. */
  client_id: string
  client: string
  /** The editor's own count of changes. */
  version?: number
  /** Hash of the file that the editor read. */
  base_hash?: string
  updated_at: string
}

/** The front end that speaks. */
export interface Holder {
  client_id: string
  client: string
}

/** A buffer as a front end tells of it. */
export interface SentBuffer {
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
  /** By the clock that never goes back. */
  until: number
  /** By workspace and canonical path. */
  buffers: Map<string, Entry>
}

interface Entry {
  held: HeldBuffer
  workspace: string
  /** The path as the client wrote it. */
  given: string
  /** Tells which of several clients spoke last. */
  turn: number
}

export class Buffers {
  readonly #guard: Guard
  readonly #limits: BufferLimits
  readonly #now: () => number
  readonly #leases = new Map<string, Lease>()
  readonly #generations = new Map<string, number>()
  #turn = 0

  /** `now` is a clock that never goes back, in milliseconds. */
  constructor(guard: Guard, limits: BufferLimits, now: () => number = () => performance.now()) {
    this.#guard = guard
    this.#limits = limits
    this.#now = now
  }

  /** Takes what a client holds now, each in place of what it held of that file, and renews its lease. All or none. Gives the
   * canonical paths of what was sent. */
  put(workspace: Workspace, holder: Holder, sent: readonly SentBuffer[], lease_ms: number): string[] {
    this.#sweep()
    const lease = this.#leases.get(holder.client_id)
    const buffers = new Map(lease?.buffers)
    const others = this.#entries().filter(({ held }) => held.client_id !== holder.client_id)
    const paths: string[] = []
    for (const each of sent) {
      const held = heldOf(each, this.#mayHold(workspace, each.path), holder)
      const turn = ++this.#turn
      buffers.set(keyOf(workspace.name, held.path), { held, workspace: workspace.name, given: each.path, turn })
      paths.push(held.path)
    }
    this.#mustFit([...others, ...buffers.values()])
    if (buffers.size > 0) this.#leases.set(holder.client_id, { until: this.#now() + lease_ms, buffers })
    if (sent.length > 0) this.#changed(workspace.name)
    return paths
  }

  /** The client holds this file no longer, or, without a path, none of the workspace. */
  drop(workspace: Workspace, client_id: string, path?: string) {
    this.#sweep()
    const lease = this.#leases.get(client_id)
    if (!lease) return
    const canonical = path === undefined ? undefined : this.#judged(workspace, path).path
    for (const [key, { held, workspace: where, given }] of lease.buffers) {
      if (where !== workspace.name) continue
      if (path === undefined || held.path === canonical || given === path) lease.buffers.delete(key)
    }
    if (lease.buffers.size === 0) this.#leases.delete(client_id)
    this.#changed(workspace.name)
  }

  /** An editor has taken this text over, unless it has told of a newer one already. */
  replaced(workspace: string, was: HeldBuffer, text: string) {
    const key = keyOf(workspace, was.path)
    const entry = this.#leases.get(was.client_id)?.buffers.get(key)
    if (entry?.held.hash !== was.hash) return
    const { version: _, ...same } = was
    entry.held = { ...same, text, ...known(text) }
    this.#changed(workspace)
  }

  /** What is held of a file; of several clients the one that spoke last. */
  held(workspace: string, path: string): HeldBuffer | undefined {
    if (!this.any) return undefined
    return this.#entries().findLast(entry => entry.workspace === workspace && entry.held.path === path)?.held
  }

  /** What is held of the files beneath a folder, by path; of several clients' the newest. */
  beneath(workspace: string, folder: string): HeldBuffer[] {
    const within = (path: string) => folder === '.' || path.startsWith(`${folder}/`)
    const entries = this.#entries().filter(entry => entry.workspace === workspace && within(entry.held.path))
    return inOrder([...new Map(entries.map(({ held }) => [held.path, held])).values()])
  }

  /** Everything held in a workspace, by path. */
  list(workspace: string): HeldBuffer[] {
    return inOrder(this.#entries().flatMap(entry => (entry.workspace === workspace ? [entry.held] : [])))
  }

  /** Until when a client holds its buffers, in milliseconds from now. */
  leaseOf(client_id: string): number | undefined {
    const lease = this.#leases.get(client_id)
    return lease && Math.max(0, lease.until - this.#now())
  }

  /** Anything is held at all. */
  get any(): boolean {
    this.#sweep()
    return this.#leases.size > 0
  }

  /** Counts what has changed of a workspace's buffers. */
  generation(workspace: string): number {
    this.#sweep()
    return this.#generations.get(workspace) ?? 0
  }

  #mayHold(workspace: Workspace, path: string): string {
    const { path: canonical, kind, sensitive, protected: closed } = this.#judged(workspace, path)
    if (closed) throw new ToolError('SENSITIVE_PATH', `${quote(path)} is protected.`, { path })
    if (sensitive)
      throw new ToolError('SENSITIVE_PATH', `${quote(path)} may hold credentials: its text is not taken.`, { path })
    if (kind === 'file' || kind === 'missing') return canonical
    throw new ToolError('NOT_A_FILE', `${quote(path)} is not a regular file.`, { path })
  }

  #judged(workspace: Workspace, path: string): Resolved {
    const place = walk(workspace, path)
    place.close()
    return judge(workspace, this.#guard, place)
  }

  #mustFit(all: readonly Entry[]) {
    const { max_files, max_bytes } = this.#limits
    const bytes = all.reduce((sum, { held }) => sum + held.size, 0)
    if (all.length > max_files)
      throw new ToolError('TOO_LARGE', `That makes ${all.length} buffers; the limit is ${max_files}.`, {
        buffers: all.length,
        limit: max_files
      })
    if (bytes > max_bytes)
      throw new ToolError('TOO_LARGE', `That makes ${bytes} bytes in buffers; the limit is ${max_bytes}.`, {
        bytes,
        limit: max_bytes
      })
  }

  /** All that is held, the newest last. */
  #entries(): Entry[] {
    this.#sweep()
    return [...this.#leases.values()].flatMap(({ buffers }) => [...buffers.values()]).sort((a, b) => a.turn - b.turn)
  }

  #sweep() {
    const now = this.#now()
    for (const [client_id, { until, buffers }] of this.#leases) {
      if (until > now) continue
      this.#leases.delete(client_id)
      for (const workspace of new Set([...buffers.values()].map(each => each.workspace))) this.#changed(workspace)
    }
  }

  #changed(workspace: string) {
    this.#generations.set(workspace, (this.#generations.get(workspace) ?? 0) + 1)
  }
}

function heldOf({ content, version, base_hash }: SentBuffer, path: string, { client_id, client }: Holder): HeldBuffer {
  return {
    path,
    text: content,
    ...known(content),
    client_id,
    client,
    ...(version !== undefined && { version }),
    ...(base_hash !== undefined && { base_hash })
  }
}

const known = (text: string) => ({
  hash: hashOf(Buffer.from(text)),
  size: Buffer.byteLength(text),
  updated_at: new Date().toISOString()
})

const keyOf = (workspace: string, path: string) => `${workspace}\n${path}`

const inOrder = (all: HeldBuffer[]) => all.sort((a, b) => (a.path < b.path ? -1 : 1))
