// What a server asks for while it runs, beside what it said at its start.
import type {
  DiagnosticOptions,
  DidChangeWatchedFilesRegistrationOptions,
  FileSystemWatcher,
  Registration
} from 'vscode-languageserver-protocol'
import type { NotificationMethod, Params, RequestMethod } from './protocol.ts'

export class Registrations {
  readonly #known = new Map<string, Registration>()
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  add({ registrations }: Params<'client/registerCapability'>) {
    for (const each of registrations) this.#known.set(each.id, each)
    this.#changed()
  }

  remove({ unregisterations }: Params<'client/unregisterCapability'>) {
    for (const { id } of unregisterations) this.#known.delete(id)
  }

  get pull(): DiagnosticOptions | undefined {
    return this.#of('textDocument/diagnostic').at(-1) as DiagnosticOptions | undefined
  }

  get watches(): FileSystemWatcher[] {
    return this.#of('workspace/didChangeWatchedFiles').flatMap(
      options => (options as Partial<DidChangeWatchedFilesRegistrationOptions> | undefined)?.watchers ?? []
    )
  }

  #of(method: RequestMethod | NotificationMethod): unknown[] {
    return [...this.#known.values()].filter(each => each.method === method).map(each => each.registerOptions ?? {})
  }
}
