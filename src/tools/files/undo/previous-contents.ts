// What a file held before a call, out of what is kept, with what was changed in it since.
import { ToolError } from '../../../errors.ts'
import type { Compute } from '../../../host/compute/compute-pool.ts'
import { type Files, HASH_LIMIT, hashOf } from '../../../host/files/files.ts'
import type { Change } from '../../../host/host.ts'
import { decode, encode, type Text } from '../../../text/encoding.ts'
import type { Merged } from '../../../text/merge/merge.ts'
import { Obstruction } from './obstruction.ts'
import type { FileThing, Thing } from './workspace-overlay.ts'

/** Where contents come from, and who works on them. */
interface Sources {
  files: Files
  compute: Compute
  signal: AbortSignal
}

/** How much of what is kept one undo may hold. */
const MOST_BYTES = 256 * 1024 * 1024
const MERGE_LIMIT_MS = 3_000

export class Contents {
  readonly #sources: Sources
  /** How many bytes of what is kept are held. */
  held = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** What was at the path before: it was deleted, or overwritten by what was moved there. */
  async thingBefore({ path, operation, kind, target, before_hash, before_mode }: Change): Promise<Thing> {
    const mode = before_mode === undefined ? {} : bits(before_mode)
    if (operation === 'deleted' && kind === 'directory') return { kind, ...mode }
    if (operation === 'deleted' && kind === 'symlink') {
      if (target === undefined) throw new Obstruction(path, 'not_kept')
      return { kind, target }
    }
    return { kind: 'file', ...(await this.#kept(path, before_hash)), ...mode }
  }

  /** The file as it was before the call, where `left` and `back` are the hashes of what the call left and of what comes
   * back. What was changed in it since stays. */
  async fileBefore(change: Change, now: FileThing, { left, back }: { left?: string; back?: string }) {
    const mode = modeBefore(change, now)
    if (now.hash === back || (left !== undefined && left === back)) return { ...now, ...mode }
    const before = await this.#kept(change.path, back)
    const { bytes: _, kept: __, ...same } = now
    if (now.hash === left) return { ...same, ...before, ...mode }
    const bytes = await this.#merged(change.path, now, left, before.bytes)
    if (now.bytes?.equals(bytes)) return { ...now, ...mode }
    return { ...same, hash: hashOf(bytes), bytes, merged: true as const, ...mode }
  }

  /** What is large is not looked at before it is written. */
  async #kept(path: string, hash: string | undefined): Promise<Pick<FileThing, 'hash' | 'bytes' | 'kept'>> {
    const kept = hash === undefined ? undefined : this.#sources.files.image(hash)
    if (hash === undefined || !kept) throw new Obstruction(path, 'not_kept')
    if (kept.size > HASH_LIMIT) return { hash, bytes: undefined, kept }
    this.held += kept.size
    if (this.held > MOST_BYTES) throw new Obstruction(path, 'too_large')
    const bytes = await kept.bytes(this.#sources.signal)
    if (!bytes) throw new Obstruction(path, 'not_kept')
    return { hash, bytes }
  }

  async #merged(path: string, now: FileThing, left: string | undefined, before: Buffer | undefined): Promise<Buffer> {
    if (!before) throw new Obstruction(path, 'too_large')
    const base = left === undefined ? undefined : (await this.#known(path, left))?.bytes
    const texts = [base, now.bytes, before].map(bytes => bytes && decode(bytes))
    if (!texts.every(text => text !== undefined)) throw new Obstruction(path, 'changed')
    const [was, ours, theirs] = texts as [Text, Text, Text]
    const merged = await this.#merge(path, { base: was.text, ours: ours.text, theirs: theirs.text })
    if ('conflicts' in merged) throw new Obstruction(path, 'overlap', merged.conflicts)
    const bytes = encode(merged.text, ours.encoding === was.encoding ? theirs.encoding : ours.encoding)
    if (!bytes) throw new Obstruction(path, 'changed')
    return bytes
  }

  /** What a call left, if that is kept. */
  async #known(path: string, hash: string) {
    return this.#sources.files.image(hash) && this.#kept(path, hash)
  }

  async #merge(path: string, versions: { base: string; ours: string; theirs: string }): Promise<Merged> {
    const { compute, signal } = this.#sources
    try {
      return await compute.run('merge', versions, { signal, deadline_ms: MERGE_LIMIT_MS })
    } catch (error) {
      if (!signal.aborted && error instanceof ToolError && error.code === 'TIMEOUT')
        throw new Obstruction(path, 'too_large')
      throw error
    }
  }
}

export const bits = (mode: string) => ({ mode: Number.parseInt(mode, 8) })

/** Permission bits are taken back where nobody changed them since. */
function modeBefore({ path, before_mode, after_mode }: Change, now: FileThing): { mode?: number } {
  if (before_mode === undefined || after_mode === undefined || before_mode === after_mode) return {}
  if (now.mode !== bits(after_mode).mode && now.mode !== bits(before_mode).mode) throw new Obstruction(path, 'changed')
  return bits(before_mode)
}
