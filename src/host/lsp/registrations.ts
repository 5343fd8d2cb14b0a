// What a server asks for while it runs, beside what it said at its start.
import type { DiagnosticOptions } from './capabilities.ts'

interface Registration {
  id: string
  method: string
  registerOptions?: unknown
}

/** Files that a server wants to hear of. */
export interface FileWatch {
  globPattern: string | { baseUri: string | { uri: string }; pattern: string }
  kind?: number
}

export class Registrations {
  readonly #known = new Map<string, Registration>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  add({ registrations }: { registrations: readonly Registration[] }) {
    for (const each of registrations) this.#known.set(each.id, each)
    this.#changed()
  }

  remove({ unregisterations }: { unregisterations: readonly { id: string }[] }) {
    for (const { id } of unregisterations) this.#known.delete(id)
  }

  get pull(): DiagnosticOptions | undefined {
    return this.#of('textDocument/diagnostic').at(-1) as DiagnosticOptions | undefined
  }

  get watches(): FileWatch[] {
    return this.#of('workspace/didChangeWatchedFiles').flatMap(
      options => (options as { watchers?: FileWatch[] } | undefined)?.watchers ?? []
    )
  }

  #of(method: string): unknown[] {
    return [...this.#known.values()].filter(each => each.method === method).map(each => each.registerOptions ?? {})
  }
}
