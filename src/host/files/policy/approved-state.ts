// Binds an approved call to the file states that the decision was based on: while it runs, it may act on no other.

export class ApprovedState {
  readonly #recorded = new Map<string, string>()
  #bound: ReadonlyMap<string, string> | undefined

  /** Records the state of a canonical path when it was inspected for a decision. */
  record(path: string, image: string) {
    this.#recorded.set(path, image)
  }

  /** From now on, the recorded states must still match. */
  bind() {
    this.#bound = new Map(this.#recorded)
  }

  release() {
    this.#bound = undefined
    this.#recorded.clear()
  }

  /** Checks if a path differs from the state that the decision was bound to. */
  differs(path: string, image: () => string): boolean {
    const bound = this.#bound?.get(path)
    return bound !== undefined && bound !== image()
  }
}
