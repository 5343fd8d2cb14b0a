// The files that a server has open: those asked about lately, and those changed since it runs, each as it is now. The server
// is told of every change before it is asked anything.

import type { Source, Sources } from './document-text-provider.ts'
import { Positions, type Units } from './wire/position-converter.ts'
import type { Tell } from './wire/protocol.ts'

/** So many stay open, those asked about last. */
const MOST_OPEN = 100
const MOST_CHARACTERS = 16 * 1024 * 1024

export interface OpenDocument extends Source {
  path: string
  uri: string
  /** Greater than that of any document the server was told of before. */
  version: number
  positions: Positions
}

/** How a server is told. */
interface Told {
  notify: Tell
  /** The protocol's identifier of the file's language. */
  languageOf(path: string): string
  uriOf(path: string): string
  units: Units
  /** It wants to hear when a file is saved. */
  saves: boolean
}

export class Documents {
  readonly #sources: Sources
  readonly #told: Told
  /** By path, the one asked about longest ago first. */
  readonly #open = new Map<string, OpenDocument>()
  #version = 0
  #changes = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(sources: Sources, told: Told) {
    this.#sources = sources
    this.#told = told
  }

  /** The version told last, of any document. */
  get version(): number {
    return this.#version
  }

  /** Counts what has become other than the server was told before, in any file. */
  get changes(): number {
    return this.#changes
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)
  }

  /** The document as it is now. All others that are open are as they are now, too. */
  sync(path: string): Promise<OpenDocument> {
    return this.#inTurn(async () => {
      const known = this.#open.get(path)
      const document = known && this.#sources.isCurrent(path, known) ? known : await this.#renew(path)
      // Asked about last.
      this.#open.delete(path)
      this.#open.set(path, document)
      await this.#refresh()
      this.#forgetOldest()
      return document
    })
  }

  /** Shows a document anew as if it had not been open. */
  reopen(path: string): Promise<OpenDocument> {
    return this.#inTurn(() => {
      this.#close(path)
      return this.#renew(path)
    })
  }

  /** Other files than those open have changed. */
  changedElsewhere() {
    this.#changes += 1
  }

  /** One after the other: what is read for one must not be told after what was read later for another. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  /** Tells the server of all that is open and no longer what it was. */
  async #refresh() {
    for (const [path, document] of this.#open)
      if (!this.#sources.isCurrent(path, document)) await this.#renew(path).catch(() => this.#close(path))
  }

  async #renew(path: string): Promise<OpenDocument> {
    const source = await this.#sources.read(path)
    const known = this.#open.get(path)
    const same = known !== undefined && known.text === source.text
    const document: OpenDocument = {
      ...source,
      path,
      uri: known?.uri ?? this.#told.uriOf(path),
      version: same ? known.version : ++this.#version,
      positions: same ? known.positions : new Positions(source.text, this.#told.units)
    }
    this.#open.set(path, document)
    if (!known) this.#opened(document)
    else if (!same) this.#changed(document)
    return document
  }

  #opened({ path, uri, version, text }: OpenDocument) {
    const languageId = this.#told.languageOf(path)
    this.#told.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
  }

  #changed({ uri, version, text, unsaved }: OpenDocument) {
    this.#changes += 1
    this.#told.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
    if (this.#told.saves && !unsaved) this.#told.notify('textDocument/didSave', { textDocument: { uri }, text })
  }

  #close(path: string) {
    const document = this.#open.get(path)
    if (!document) return
    this.#open.delete(path)
    this.#told.notify('textDocument/didClose', { textDocument: { uri: document.uri } })
  }

  #forgetOldest() {
    let characters = 0
    const newestFirst = [...this.#open.values()].reverse()
    for (const [at, { path, text }] of newestFirst.entries()) {
      characters += text.length
      if (at > 0 && (at >= MOST_OPEN || characters > MOST_CHARACTERS)) this.#close(path)
    }
  }
}
