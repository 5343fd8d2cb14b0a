// The files that a server has open: those asked about lately, and those changed since it runs, each as it is now. The server
// is told of every change before it is asked anything.

import type { DocumentText, DocumentTextProvider } from './document-text-provider.ts'
import { PositionConverter, type PositionEncoding } from './wire/position-converter.ts'
import type { SendNotification } from './wire/protocol.ts'

/** So many stay open, those asked about last. */
const MAX_OPEN_DOCUMENTS = 100
const MAX_OPEN_CHARACTERS = 16 * 1024 * 1024

export interface OpenDocument extends DocumentText {
  path: string
  uri: string
  /** Greater than that of any document the server was told of before. */
  version: number
  positions: PositionConverter
}

/** How a server is told. */
interface DocumentsOptions {
  notify: SendNotification
  /** The protocol's identifier of the file's language. */
  languageIdOf(path: string): string
  uriOf(path: string): string
  encoding: PositionEncoding
  /** It wants to hear when a file is saved. */
  sendsDidSave: boolean
}

export class Documents {
  readonly #texts: DocumentTextProvider
  readonly #options: DocumentsOptions
  /** By path, the one asked about longest ago first. */
  readonly #open = new Map<string, OpenDocument>()
  #version = 0
  #changeCount = 0
  #queue: Promise<unknown> = Promise.resolve()

  constructor(sources: DocumentTextProvider, told: DocumentsOptions) {
    this.#texts = sources
    this.#options = told
  }

  /** The version told last, of any document. */
  get version(): number {
    return this.#version
  }

  /** Counts what has become other than the server was told before, in any file. */
  get changeCount(): number {
    return this.#changeCount
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)
  }

  /** The document as it is now. All others that are open are as they are now, too. */
  sync(path: string): Promise<OpenDocument> {
    return this.#enqueue(async () => {
      const known = this.#open.get(path)
      const document = known && this.#texts.isCurrent(path, known) ? known : await this.#reload(path)
      // Asked about last.
      this.#open.delete(path)
      this.#open.set(path, document)
      await this.#reloadStale()
      this.#closeOldest()
      return document
    })
  }

  /** Shows a document anew as if it had not been open. */
  reopen(path: string): Promise<OpenDocument> {
    return this.#enqueue(() => {
      this.#close(path)
      return this.#reload(path)
    })
  }

  /** Other files than those open have changed. */
  noteOtherChange() {
    this.#changeCount += 1
  }

  /** One after the other: what is read for one must not be told after what was read later for another. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  /** Tells the server of all that is open and no longer what it was. */
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
