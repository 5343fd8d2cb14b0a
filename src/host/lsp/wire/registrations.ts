// Dynamic capability registrations of a server, in addition to its initial capabilities.
import type {
  DiagnosticOptions,
  DidChangeWatchedFilesRegistrationOptions,
  FileSystemWatcher,
  Registration
} from 'vscode-languageserver-protocol'
import type { MethodParams, NotificationMethod, RequestMethod } from './protocol.ts'

export class Registrations {
  readonly #byId = new Map<string, Registration>()
  readonly #onChange: () => void

  constructor(changed: () => void) {
    this.#onChange = changed
  }

  add({ registrations }: MethodParams<'client/registerCapability'>) {
    for (const each of registrations) this.#byId.set(each.id, each)
    this.#onChange()
  }

  remove({ unregisterations }: MethodParams<'client/unregisterCapability'>) {
    for (const { id } of unregisterations) this.#byId.delete(id)
  }

  get pullOptions(): DiagnosticOptions | undefined {
    return this.#optionsOf('textDocument/diagnostic').at(-1) as DiagnosticOptions | undefined
  }

  get fileWatchers(): FileSystemWatcher[] {
    return this.#optionsOf('workspace/didChangeWatchedFiles').flatMap(
      options => (options as Partial<DidChangeWatchedFilesRegistrationOptions> | undefined)?.watchers ?? []
    )
  }

  #optionsOf(method: RequestMethod | NotificationMethod): unknown[] {
    return [...this.#byId.values()].filter(each => each.method === method).map(each => each.registerOptions ?? {})
  }
}
