// What files were when a decision was bound to them. While a call that was approved runs, it may act on nothing else.

export class BoundFiles {
  readonly #seen = new Map<string, string>()
  #bound: ReadonlyMap<string, string> | undefined

  /** Takes down what a canonical path was, when it was looked at for a decision. */
  see(path: string, image: string) {
    this.#seen.set(path, image)
  }

  /** From now on, what was seen must still be so. */
  bind() {
    this.#bound = new Map(this.#seen)
  }

  release() {
    this.#bound = undefined
    this.#seen.clear()
  }

  /** Whether a path is other than the decision was bound to. */
  differs(path: string, image: () => string): boolean {
    const bound = this.#bound?.get(path)
    return bound !== undefined && bound !== image()
  }
}
