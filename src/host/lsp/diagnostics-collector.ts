// Collects the diagnostics of one server session: pulled if the server supports that, else awaited until they are published for
// the current document version.
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
/** A server that publishes without a version may publish several times, the first time too early. */
const QUIET_PERIOD_MS = 300
/** A server expected to support pull may still register for it. */
const QUIET_PERIOD_BEFORE_PULL_MS = 2_000
/** Time for a server to publish diagnostics again once it has read the project. */
const REPUBLISH_TIMEOUT_MS = 2_000
/** Maximum number of closed files with stored diagnostics. */
const MAX_KNOWN_FILES = 2_000
/** Maximum number of diagnostics per file; the rest is noise. */
const MAX_DIAGNOSTICS_PER_FILE = 5_000

interface KnownDiagnostics {
  diagnostics: readonly ServerDiagnostic[]
  /** Version of the document, if the server reports it. */
  version: number | undefined
  /** The latest document version sent by then, of any document. */
  latestVersion: number
  /** Number of changes by then. */
  changeCount: number
}

interface CollectedDiagnostics {
  document: OpenDocument
  diagnostics: readonly ServerDiagnostic[]
  status: Completeness
}

interface DiagnosticsCollectorOptions {
  documents: Documents
  readiness: ReadinessTracker
  /** Options for pulling; undefined if the server does not support it. */
  pullOptions(): DiagnosticOptions | undefined
  /** The server is expected to support pull, sooner or later. */
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

  /** Handles notifications of the server. */
  onNotification(method: string, params: unknown) {
    if (method === PUBLISH_DIAGNOSTICS) this.#onPublish(params as PublishDiagnosticsParams)
    else if (method === 'registered') this.#waiters.wake()
  }

  #onPublish({ uri, version, diagnostics }: PublishDiagnosticsParams) {
    const path = this.#options.uriToPath(uri)
    if (path === undefined) return
    const isOpen = this.#options.documents.get(path) !== undefined
    // Some servers clear the diagnostics of a closed file: that does not make it a clean one.
    if (!isOpen && diagnostics.length === 0 && !this.#known.has(path)) return
    this.#record(path, version, diagnostics)
  }

  knownFor(path: string): readonly ServerDiagnostic[] {
    return this.#known.get(path)?.diagnostics ?? []
  }

  /** Checks if the diagnostics of a file have changed since these. */
  isOutdated(path: string, diagnostics: readonly ServerDiagnostic[]): boolean {
    const known = this.#known.get(path)
    return known !== undefined && known.diagnostics !== diagnostics
  }

  /** Collects the current diagnostics of a file. After `late` it returns those known by then, marked as such. */
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

  /**
   * Diagnostics published without a version before the project was read may have been too early. If more are published soon
   * after, those count.
   */
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
    // An "unchanged" report is sent only with a previous result id.
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
    // Diagnostics may be outdated since another file changed; reopening the document makes the server publish them again.
    const shown = isAbout ? await documents.reopen(path) : document
    for (;;) {
      const options = pullOptions()
      if (options) return this.#pull(shown, options.identifier, signal)
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

  /** Waits for a period without further notifications. */
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

  /** Waiters may be affected, for instance by how diagnostics are pulled. */
}

const isTimeout = (error: unknown) => error instanceof ToolError && error.code === 'TIMEOUT'
