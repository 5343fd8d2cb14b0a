// What files were when a decision was bound to them. While a call that was approved runs, it may act on nothing else.

export class ApprovedState {
  readonly #recorded = new Map<string, string>()
  #bound: ReadonlyMap<string, string> | undefined

  /** Takes down what a canonical path was, when it was looked at for a decision. */
  record(path: string, image: string) {
    this.#recorded.set(path, image)
  }

  /** From now on, what was seen must still be so. */
  bind() {
    this.#bound = new Map(this.#recorded)
  }

  release() {
    this.#bound = undefined
    this.#recorded.clear()
  }

  /** Whether a path is other than the decision was bound to. */
  differs(path: string, image: () => string): boolean {
    const bound = this.#bound?.get(path)
    return bound !== undefined && bound !== image()
  }
}
