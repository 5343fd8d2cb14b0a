// Changes that calls are making through the server and have not recorded yet. Until then, a comparison of files would attribute them
// to a command that runs at the same time.

export class PendingChanges {
  readonly #pending = new Map<Promise<void>, readonly string[]>()

  /** Adds changes of these paths, of what is in them and of the folders that they need; the result removes them. */
  begin(paths: readonly string[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.set(promise, paths)
    return () => {
      this.#pending.delete(promise)
      resolve()
    }
  }

  /** Returns a promise that resolves once the changes of these paths that are pending now are recorded; undefined if there are none. */
  recorded(paths: readonly string[]): Promise<unknown> | undefined {
    const pending = [...this.#pending].filter(([, changed]) =>
      changed.some(one => paths.some(other => contains(one, other) || contains(other, one)))
    )
    return pending.length === 0 ? undefined : Promise.all(pending.map(([promise]) => promise))
  }
}

const contains = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`)
