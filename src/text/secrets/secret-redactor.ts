// Redacts secrets in a stream of bytes, across chunk boundaries.

import { MORE, Runs, type SecretMatcher } from './secret-matcher.ts'
import type { ByteSet } from './token-patterns.ts'

const NOTHING = Buffer.alloc(0)

/**
 * Returns bytes once it is certain that no secret begins there. The total output of `push` and `end` is independent of the chunk
 * boundaries, unless `idle` was called.
 */
export class SecretRedactor {
  readonly #secrets: SecretMatcher
  /** Bytes waiting for what follows. */
  #pending: Buffer = NOTHING
  /** Number of pending bytes already returned by `idle`. */
  #shownBytes = 0
  /** Bytes of this set still belong to a matched secret. */
  #continues: ByteSet | undefined

  constructor(secrets: SecretMatcher) {
    this.#secrets = secrets
  }

  /** True while bytes are pending: call `idle` after a pause. */
  get waiting(): boolean {
    return this.#pending.length > this.#shownBytes
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.#take(bytes, false)
  }

  /** Ends the stream. */
  end(): Uint8Array {
    return this.#take(NOTHING, true)
  }

  /**
   * Returns pending bytes that are no prefix of a known value, so that a prompt is visible before it is answered. If an unknown
   * token is written with a pause, its part before the pause is returned.
   */
  idle(): Uint8Array {
    const runs = new Runs()
    let clear = this.#shownBytes
    while (clear < this.#pending.length) {
      const known = this.#secrets.matchKnownAt(this.#pending, clear, false)
      const any = clear > 0 ? this.#secrets.matchAt(this.#pending, clear, false, runs) : undefined
      if (known || (any && any !== MORE)) break
      clear++
    }
    const clean = this.#pending.subarray(this.#shownBytes, clear)
    this.#shownBytes = clear
    return clean
  }

  #take(more: Uint8Array, whole: boolean): Uint8Array {
    const bytes = this.#pending.length === 0 ? more : Buffer.concat([this.#pending, more])
    const { length } = bytes
    const runs = new Runs()
    const out: Uint8Array[] = []
    let shown = this.#shownBytes
    let at = this.#skipContinuation(bytes, 0)
    shown = Math.max(shown, at)
    while (at < length) {
      at = this.#secrets.nextCandidate(bytes, at)
      if (at === length) break
      const found = this.#secrets.matchAt(bytes, at, whole, runs)
      if (found === MORE) break
      if (!found) at++
      else {
        out.push(bytes.subarray(shown, Math.max(shown, found.from)), Buffer.from(`[masked: ${found.name}]`))
        this.#continues = found.continues
        at = this.#skipContinuation(bytes, found.to)
        shown = at
      }
    }
    out.push(bytes.subarray(shown, Math.max(shown, at)))
    this.#pending = at === length ? NOTHING : Buffer.from(bytes.subarray(at))
    this.#shownBytes = Math.max(0, shown - at)
    const parts = out.filter(part => part.length > 0)
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /** Skips bytes that still belong to a secret. */
  #skipContinuation(bytes: Uint8Array, from: number): number {
    if (!this.#continues) return from
    let at = from
    while (at < bytes.length && this.#continues[bytes[at]!] === 1) at++
    if (at < bytes.length) this.#continues = undefined
    return at
  }
}

/** Redacts secrets in a complete text. */
export function redactSecrets(text: string, secrets: SecretMatcher): string {
  if (!secrets.mayOccurIn(text)) return text
  const bytes = Buffer.from(text)
  const masker = new SecretRedactor(secrets)
  const shown = [masker.push(bytes), masker.end()].filter(part => part.length > 0)
  return shown.length === 1 && shown[0]!.length === bytes.length && bytes.equals(shown[0]!)
    ? text
    : Buffer.concat(shown).toString()
}
