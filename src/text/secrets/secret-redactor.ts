// Hides secrets in a stream of bytes, wherever it is cut into pieces.

import { MORE, Runs, type SecretMatcher } from './secret-matcher.ts'
import type { ByteSet } from './token-patterns.ts'

const NOTHING = Buffer.alloc(0)

/**
 * Takes what comes and gives what may be shown; the rest of it waits until it is clear that no secret begins there. All
 * that `push` and `end` give together is the same however the bytes were cut, so long as `idle` was not called.
 */
export class SecretRedactor {
  readonly #secrets: SecretMatcher
  /** Waits for what follows. */
  #pending: Buffer = NOTHING
  /** As much of it was shown already, because nothing came for a while. */
  #shownBytes = 0
  /** Bytes of this set still belong to a secret that was found. */
  #continues: ByteSet | undefined

  constructor(secrets: SecretMatcher) {
    this.#secrets = secrets
  }

  /** Something waits for what follows: call `idle` when nothing comes for a while. */
  get waiting(): boolean {
    return this.#pending.length > this.#shownBytes
  }

  push(bytes: Uint8Array): Uint8Array {
    return this.#take(bytes, false)
  }

  /** Nothing more comes. */
  end(): Uint8Array {
    return this.#take(NOTHING, true)
  }

  /**
   * Shows of what waits whatever is no beginning of a known value, so that a prompt is seen before it is answered. Of a
   * token whose value is not known, and that is written with a pause in it, what came before the pause is shown.
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
    const told = this.#pending.subarray(this.#shownBytes, clear)
    this.#shownBytes = clear
    return told
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
    const told = out.filter(part => part.length > 0)
    return told.length === 1 ? told[0]! : Buffer.concat(told)
  }

  /** Goes past what still belongs to a secret. */
  #skipContinuation(bytes: Uint8Array, from: number): number {
    if (!this.#continues) return from
    let at = from
    while (at < bytes.length && this.#continues[bytes[at]!] === 1) at++
    if (at < bytes.length) this.#continues = undefined
    return at
  }
}

/** Hides secrets in a text that is there as a whole. */
export function redactSecrets(text: string, secrets: SecretMatcher): string {
  const bytes = Buffer.from(text)
  const masker = new SecretRedactor(secrets)
  const shown = [masker.push(bytes), masker.end()].filter(part => part.length > 0)
  return shown.length === 1 && shown[0]!.length === bytes.length && bytes.equals(shown[0]!)
    ? text
    : Buffer.concat(shown).toString()
}
