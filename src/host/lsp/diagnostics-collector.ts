// What one run of a server finds in files: asked for where it answers such questions, else waited for until it has told
// what it thinks of the very version that it was shown.
import type {
  DiagnosticOptions,
  FullDocumentDiagnosticReport,
  PublishDiagnosticsParams,
  Diagnostic as ServerDiagnostic
} from 'vscode-languageserver-protocol'
import { ToolError } from '../../errors.ts'
import type { Documents, OpenDocument } from './documents.ts'
import type { Completeness } from './language-service.ts'
import type { ReadinessTracker } from './readiness-tracker.ts'
import type { CustomDiagnosticRequests } from './servers/server-definition.ts'
import { Waiters } from './waiters.ts'
import type { NotificationMethod, SendRequest } from './wire/protocol.ts'

const PUBLISH_DIAGNOSTICS: NotificationMethod = 'textDocument/publishDiagnostics'
/** A server that does not say of which version it speaks may speak several times, the first time too early. */
const QUIET_PERIOD_MS = 300
/** One that is said to answer when asked may yet say how. */
const QUIET_PERIOD_BEFORE_PULL_MS = 2_000
/** How long it may take to tell what it finds once it has read the project. */
const REPUBLISH_TIMEOUT_MS = 2_000
/** Of files that are not open. */
const MAX_KNOWN_FILES = 2_000
/** What one file can have of them before the rest is noise. */
const MAX_DIAGNOSTICS_PER_FILE = 5_000

interface KnownDiagnostics {
  diagnostics: readonly ServerDiagnostic[]
  /** Of the document that it is about, where the server says so. */
  version: number | undefined
  /** The version that was told last by then, of any document. */
  latestVersion: number
  /** How often something had changed by then. */
  changeCount: number
}

export interface CollectedDiagnostics {
  document: OpenDocument
  diagnostics: readonly ServerDiagnostic[]
  status: Completeness
}

interface DiagnosticsCollectorOptions {
  documents: Documents
  readiness: ReadinessTracker
  /** How it can be asked; undefined where it cannot. */
  pullOptions(): DiagnosticOptions | undefined
  /** It is said that it can be asked, sooner or later. */
  supportsPull: boolean
  customRequests: CustomDiagnosticRequests | undefined
  request: SendRequest
  uriToPath(uri: string): string | undefined
  onDiagnostics(path: string, diagnostics: readonly ServerDiagnostic[]): void
}

export class DiagnosticsCollector {
  readonly #options: DiagnosticsCollectorOptions
  readonly #known = new Map<string, KnownDiagnostics>()
  readonly #waiters = new Waiters()

  constructor(options: DiagnosticsCollectorOptions) {
    this.#options = options
  }

  /** Hears what the server tells by itself. */
  onNotification(method: string, params: unknown) {
    if (method === PUBLISH_DIAGNOSTICS) this.#onPublish(params as PublishDiagnosticsParams)
    else if (method === 'registered') this.#waiters.wake()
  }

  #onPublish({ uri, version, diagnostics }: PublishDiagnosticsParams) {
    const path = this.#options.uriToPath(uri)
    if (path === undefined) return
    const isOpen = this.#options.documents.get(path) !== undefined
    // Some take back what they said of a file that is closed: that does not make it a clean one.
    if (!isOpen && diagnostics.length === 0 && !this.#known.has(path)) return
    this.#record(path, version, diagnostics)
  }

  knownFor(path: string): readonly ServerDiagnostic[] {
    return this.#known.get(path)?.diagnostics ?? []
  }

  /** Whether something else was said of a file since this was. */
  isOutdated(path: string, said: readonly ServerDiagnostic[]): boolean {
    const known = this.#known.get(path)
    return known !== undefined && known.diagnostics !== said
  }

  /** What is found in a file as it is now. After `late` it is what is known by then, and told to be. */
  async collect(path: string, signal: AbortSignal, late: AbortSignal): Promise<CollectedDiagnostics> {
    const { documents, readiness } = this.#options
    const document = await documents.sync(path)
    const either = AbortSignal.any([signal, late])
    try {
      let diagnostics = await this.#requestDiagnostics(document, either)
      if (!readiness.isReady) {
        await readiness.whenReady(either)
        await this.#waitForRepublish(path, either)
        diagnostics = await this.#requestDiagnostics(document, either)
      }
      return { document, diagnostics, status: 'complete' }
    } catch (error) {
      if (signal.aborted || !(late.aborted || isTimeout(error))) throw error
      const known = this.#known.get(path)
      const isOfThat = known !== undefined && this.#isFor(known, document)
      return { document, diagnostics: isOfThat ? known.diagnostics : [], status: isOfThat ? 'partial' : 'timeout' }
    }
  }

  /** What it told by itself of no certain version, before it had read the project, may have been too early. What it tells
   * soon after counts, if it does. */
  async #waitForRepublish(path: string, signal: AbortSignal): Promise<void> {
    const { customRequests, pullOptions } = this.#options
    const early = this.#known.get(path)
    if (customRequests || pullOptions() || early?.version !== undefined) return
    const soon = AbortSignal.timeout(REPUBLISH_TIMEOUT_MS)
    try {
      while (this.#known.get(path) === early) await this.#waiters.next(AbortSignal.any([signal, soon]))
    } catch (error) {
      if (signal.aborted) throw error
    }
  }

  async #requestDiagnostics(document: OpenDocument, signal: AbortSignal): Promise<readonly ServerDiagnostic[]> {
    const { customRequests } = this.#options
    const pull = this.#options.pullOptions()
    if (customRequests) return this.#sendCustomRequests(customRequests, document, signal)
    if (pull) return this.#pull(document, pull.identifier, signal)
    return this.#waitForPublish(document, signal)
  }

  async #pull({ path, uri, version }: OpenDocument, identifier: string | undefined, signal: AbortSignal) {
    const params = { textDocument: { uri }, ...(identifier !== undefined && { identifier }) }
    const report = await this.#options.request('textDocument/diagnostic', params, signal)
    // That nothing has changed is only told to who says what was told last.
    const { items = [] } = report as Partial<FullDocumentDiagnosticReport>
    this.#record(path, version, items)
    return items
  }

  async #sendCustomRequests(
    inquiry: CustomDiagnosticRequests,
    { path, uri, version }: OpenDocument,
    signal: AbortSignal
  ) {
    const answers = await Promise.all(
      inquiry.requests(uri).map(({ method, params }) => this.#options.request(method, params, signal))
    )
    const found = inquiry.parseResponses(answers)
    this.#record(path, version, found)
    return found
  }

  async #waitForPublish(document: OpenDocument, signal: AbortSignal): Promise<readonly ServerDiagnostic[]> {
    const { documents, pullOptions, supportsPull } = this.#options
    const { path } = document
    const before = this.#known.get(path)
    const isAbout = before !== undefined && this.#isFor(before, document)
    if (isAbout && before.changeCount === documents.changeCount) return before.diagnostics
    // What it said of a file may no longer hold since another one changed; once shown anew, it says so anew.
    const shown = isAbout ? await documents.reopen(path) : document
    for (;;) {
      const asked = pullOptions()
      if (asked) return this.#pull(shown, asked.identifier, signal)
      const known = this.#known.get(path)
      if (known && this.#isFor(known, shown)) {
        if (known.version !== undefined && !supportsPull) return known.diagnostics
        if (await this.#isQuiet(supportsPull ? QUIET_PERIOD_BEFORE_PULL_MS : QUIET_PERIOD_MS, signal))
          return this.#known.get(path)!.diagnostics
      } else await this.#waiters.next(signal)
    }
  }

  #isFor({ version, latestVersion }: KnownDiagnostics, document: OpenDocument): boolean {
    return version === undefined ? latestVersion >= document.version : version === document.version
  }

  /** Whether nothing more is told for a moment. */
  async #isQuiet(ms: number, signal: AbortSignal): Promise<boolean> {
    const quiet = new AbortController()
    const timer = setTimeout(() => quiet.abort(), ms)
    try {
      await this.#waiters.next(AbortSignal.any([signal, quiet.signal]))
      return false
    } catch (error) {
      if (signal.aborted) throw error
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  #record(path: string, version: number | undefined, all: readonly ServerDiagnostic[]) {
    const { documents, onDiagnostics } = this.#options
    const diagnostics = all.slice(0, MAX_DIAGNOSTICS_PER_FILE)
    this.#known.delete(path)
    this.#known.set(path, {
      diagnostics,
      version,
      latestVersion: documents.version,
      changeCount: documents.changeCount
    })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN_FILES) break
      this.#known.delete(oldest)
    }
    onDiagnostics(path, diagnostics)
    this.#waiters.wake()
  }

  /** Something may be otherwise for those who wait: how the server is asked, say. */
}

const isTimeout = (error: unknown) => error instanceof ToolError && error.code === 'TIMEOUT'
