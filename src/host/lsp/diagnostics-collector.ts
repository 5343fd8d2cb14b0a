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
import type { Readiness } from './readiness-tracker.ts'
import type { Inquiry } from './servers/server-definition.ts'
import { Waiters } from './waiters.ts'
import type { Ask, NotificationMethod } from './wire/protocol.ts'

const PUBLISHED: NotificationMethod = 'textDocument/publishDiagnostics'
/** A server that does not say of which version it speaks may speak several times, the first time too early. */
const QUIET_MS = 300
/** One that is said to answer when asked may yet say how. */
const QUIET_BEFORE_ASKED_MS = 2_000
/** How long it may take to tell what it finds once it has read the project. */
const AFTER_READING_MS = 2_000
/** Of files that are not open. */
const MOST_KNOWN = 2_000
/** What one file can have of them before the rest is noise. */
const MOST_DIAGNOSTICS = 5_000

interface Known {
  diagnostics: readonly ServerDiagnostic[]
  /** Of the document that it is about, where the server says so. */
  version: number | undefined
  /** The version that was told last by then, of any document. */
  told: number
  /** How often something had changed by then. */
  changes: number
}

export interface Found {
  document: OpenDocument
  diagnostics: readonly ServerDiagnostic[]
  status: Completeness
}

interface FindingsOptions {
  documents: Documents
  readiness: Readiness
  /** How it can be asked; undefined where it cannot. */
  pull(): DiagnosticOptions | undefined
  /** It is said that it can be asked, sooner or later. */
  answers: boolean
  inquiry: Inquiry | undefined
  request: Ask
  pathOf(uri: string): string | undefined
  hear(path: string, diagnostics: readonly ServerDiagnostic[]): void
}

export class Findings {
  readonly #options: FindingsOptions
  readonly #known = new Map<string, Known>()
  readonly #waiters = new Waiters()

  constructor(options: FindingsOptions) {
    this.#options = options
  }

  /** Hears what the server tells by itself. */
  told(method: string, params: unknown) {
    if (method === PUBLISHED) this.#published(params as PublishDiagnosticsParams)
    else if (method === 'registered') this.#waiters.wake()
  }

  #published({ uri, version, diagnostics }: PublishDiagnosticsParams) {
    const path = this.#options.pathOf(uri)
    if (path === undefined) return
    const isOpen = this.#options.documents.get(path) !== undefined
    // Some take back what they said of a file that is closed: that does not make it a clean one.
    if (!isOpen && diagnostics.length === 0 && !this.#known.has(path)) return
    this.#learn(path, version, diagnostics)
  }

  knownOf(path: string): readonly ServerDiagnostic[] {
    return this.#known.get(path)?.diagnostics ?? []
  }

  /** Whether something else was said of a file since this was. */
  isOutdated(path: string, said: readonly ServerDiagnostic[]): boolean {
    const known = this.#known.get(path)
    return known !== undefined && known.diagnostics !== said
  }

  /** What is found in a file as it is now. After `late` it is what is known by then, and told to be. */
  async of(path: string, signal: AbortSignal, late: AbortSignal): Promise<Found> {
    const { documents, readiness } = this.#options
    const document = await documents.sync(path)
    const either = AbortSignal.any([signal, late])
    try {
      let diagnostics = await this.#ask(document, either)
      if (!readiness.isReady) {
        await readiness.ready(either)
        await this.#toldAnew(path, either)
        diagnostics = await this.#ask(document, either)
      }
      return { document, diagnostics, status: 'complete' }
    } catch (error) {
      if (signal.aborted || !(late.aborted || isTimeout(error))) throw error
      const known = this.#known.get(path)
      const isOfThat = known !== undefined && this.#isAbout(known, document)
      return { document, diagnostics: isOfThat ? known.diagnostics : [], status: isOfThat ? 'partial' : 'timeout' }
    }
  }

  /** What it told by itself of no certain version, before it had read the project, may have been too early. What it tells
   * soon after counts, if it does. */
  async #toldAnew(path: string, signal: AbortSignal): Promise<void> {
    const { inquiry, pull } = this.#options
    const early = this.#known.get(path)
    if (inquiry || pull() || early?.version !== undefined) return
    const soon = AbortSignal.timeout(AFTER_READING_MS)
    try {
      while (this.#known.get(path) === early) await this.#waiters.next(AbortSignal.any([signal, soon]))
    } catch (error) {
      if (signal.aborted) throw error
    }
  }

  async #ask(document: OpenDocument, signal: AbortSignal): Promise<readonly ServerDiagnostic[]> {
    const { inquiry } = this.#options
    const pull = this.#options.pull()
    if (inquiry) return this.#inquire(inquiry, document, signal)
    if (pull) return this.#pull(document, pull.identifier, signal)
    return this.#wait(document, signal)
  }

  async #pull({ path, uri, version }: OpenDocument, identifier: string | undefined, signal: AbortSignal) {
    const params = { textDocument: { uri }, ...(identifier !== undefined && { identifier }) }
    const report = await this.#options.request('textDocument/diagnostic', params, signal)
    // That nothing has changed is only told to who says what was told last.
    const { items = [] } = report as Partial<FullDocumentDiagnosticReport>
    this.#learn(path, version, items)
    return items
  }

  async #inquire(inquiry: Inquiry, { path, uri, version }: OpenDocument, signal: AbortSignal) {
    const answers = await Promise.all(
      inquiry.asks(uri).map(({ method, params }) => this.#options.request(method, params, signal))
    )
    const found = inquiry.found(answers)
    this.#learn(path, version, found)
    return found
  }

  async #wait(document: OpenDocument, signal: AbortSignal): Promise<readonly ServerDiagnostic[]> {
    const { documents, pull, answers } = this.#options
    const { path } = document
    const before = this.#known.get(path)
    const isAbout = before !== undefined && this.#isAbout(before, document)
    if (isAbout && before.changes === documents.changes) return before.diagnostics
    // What it said of a file may no longer hold since another one changed; once shown anew, it says so anew.
    const shown = isAbout ? await documents.reopen(path) : document
    for (;;) {
      const asked = pull()
      if (asked) return this.#pull(shown, asked.identifier, signal)
      const known = this.#known.get(path)
      if (known && this.#isAbout(known, shown)) {
        if (known.version !== undefined && !answers) return known.diagnostics
        if (await this.#isQuiet(answers ? QUIET_BEFORE_ASKED_MS : QUIET_MS, signal))
          return this.#known.get(path)!.diagnostics
      } else await this.#waiters.next(signal)
    }
  }

  #isAbout({ version, told }: Known, document: OpenDocument): boolean {
    return version === undefined ? told >= document.version : version === document.version
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

  #learn(path: string, version: number | undefined, all: readonly ServerDiagnostic[]) {
    const { documents, hear } = this.#options
    const diagnostics = all.slice(0, MOST_DIAGNOSTICS)
    this.#known.delete(path)
    this.#known.set(path, { diagnostics, version, told: documents.version, changes: documents.changes })
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break
      this.#known.delete(oldest)
    }
    hear(path, diagnostics)
    this.#waiters.wake()
  }

  /** Something may be otherwise for those who wait: how the server is asked, say. */
}

const isTimeout = (error: unknown) => error instanceof ToolError && error.code === 'TIMEOUT'
