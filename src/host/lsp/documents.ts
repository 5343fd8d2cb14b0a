// Open documents of a server: recently requested files, and files changed while it runs, each in its current state. All changes
// are sent to the server before any request.

import type { DocumentText, DocumentTextProvider } from './document-text-provider.ts'
import { PositionConverter, type PositionEncoding } from './wire/position-converter.ts'
import type { SendNotification } from './wire/protocol.ts'

/** Maximum number of open documents; eviction is least recently used. */
const MAX_OPEN_DOCUMENTS = 100
const MAX_OPEN_CHARACTERS = 16 * 1024 * 1024

export interface OpenDocument extends DocumentText {
  path: string
  uri: string
  /** Greater than all versions sent before, of any document. */
  version: number
  positions: PositionConverter
}

/** Capabilities of the server and callbacks. */
interface DocumentsOptions {
  notify: SendNotification
  /** Returns the protocol's language identifier of the file. */
  languageIdOf(path: string): string
  uriOf(path: string): string
  encoding: PositionEncoding
  /** The server requests notifications of saved files. */
  sendsDidSave: boolean
}

export class Documents {
  readonly #texts: DocumentTextProvider
  readonly #options: DocumentsOptions
  /** By path, in order of last use, oldest first. */
  readonly #open = new Map<string, OpenDocument>()
  #version = 0
  #changeCount = 0
  #queue: Promise<unknown> = Promise.resolve()

  constructor(sources: DocumentTextProvider, options: DocumentsOptions) {
    this.#texts = sources
    this.#options = options
  }

  /** Latest version sent, of any document. */
  get version(): number {
    return this.#version
  }

  /** Number of changes in any file since they were last sent. */
  get changeCount(): number {
    return this.#changeCount
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)
  }

  /** Syncs all open documents and returns this one in its current state. */
  sync(path: string): Promise<OpenDocument> {
    return this.#enqueue(async () => {
      const known = this.#open.get(path)
      const document = known && this.#texts.isCurrent(path, known) ? known : await this.#reload(path)
      // Most recently used.
      this.#open.delete(path)
      this.#open.set(path, document)
      await this.#reloadStale()
      this.#closeOldest()
      return document
    })
  }

  /** Closes and reopens a document. */
  reopen(path: string): Promise<OpenDocument> {
    return this.#enqueue(() => {
      this.#close(path)
      return this.#reload(path)
    })
  }

  /** Records a change in files that are not open. */
  noteOtherChange() {
    this.#changeCount += 1
  }

  /** Serializes work: an earlier read of one document must not be sent after a later read of another. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  /** Sends the changes of all open documents. */
  async #reloadStale() {
    for (const [path, document] of this.#open)
      if (!this.#texts.isCurrent(path, document)) await this.#reload(path).catch(() => this.#close(path))
  }

  async #reload(path: string): Promise<OpenDocument> {
    const source = await this.#texts.read(path)
    const known = this.#open.get(path)
    const same = known !== undefined && known.text === source.text
    const document: OpenDocument = {
      ...source,
      path,
      uri: known?.uri ?? this.#options.uriOf(path),
      version: same ? known.version : ++this.#version,
      positions: same ? known.positions : new PositionConverter(source.text, this.#options.encoding)
    }
    this.#open.set(path, document)
    if (!known) this.#sendDidOpen(document)
    else if (!same) this.#sendDidChange(document)
    return document
  }

  #sendDidOpen({ path, uri, version, text }: OpenDocument) {
    const languageId = this.#options.languageIdOf(path)
    this.#options.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
  }

  #sendDidChange({ uri, version, text, unsaved }: OpenDocument) {
    this.#changeCount += 1
    this.#options.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
    if (this.#options.sendsDidSave && !unsaved)
      this.#options.notify('textDocument/didSave', { textDocument: { uri }, text })
  }

  #close(path: string) {
    const document = this.#open.get(path)
    if (!document) return
    this.#open.delete(path)
    this.#options.notify('textDocument/didClose', { textDocument: { uri: document.uri } })
  }

  #closeOldest() {
    let characters = 0
    const newestFirst = [...this.#open.values()].reverse()
    for (const [at, { path, text }] of newestFirst.entries()) {
      characters += text.length
      if (at > 0 && (at >= MAX_OPEN_DOCUMENTS || characters > MAX_OPEN_CHARACTERS)) this.#close(path)
    }
  }
}
