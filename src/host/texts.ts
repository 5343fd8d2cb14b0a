// Texts that callers have read, by their hash and in memory, so that whoever comes with an old hash can be told what has
// changed since. The ones not asked for longest are forgotten first.

const LARGEST = 1024 * 1024
const MOST_BYTES = 16 * 1024 * 1024

export class Texts {
  readonly #byHash = new Map<string, Buffer>()
  #bytes = 0

  remember(hash: string, bytes: Buffer) {
    if (bytes.length > LARGEST) return
    this.#forget(hash)
    this.#byHash.set(hash, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#byHash.keys()) {
      if (this.#bytes <= MOST_BYTES) return
      this.#forget(oldest)
    }
  }

  find(hash: string): Buffer | undefined {
    return this.#byHash.get(hash)
  }

  #forget(hash: string) {
    this.#bytes -= this.#byHash.get(hash)?.length ?? 0
    this.#byHash.delete(hash)
  }
}
