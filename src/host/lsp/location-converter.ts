// Places as a server tells them, in our terms: paths in the workspace, lines and columns counted in the text that the server
// saw.
import type { Location, LocationLink, Position, Range } from 'vscode-languageserver-protocol'
import type { Workspace } from '../host.ts'
import type { Sources } from './document-text-provider.ts'
import type { Place } from './language-service.ts'
import type { Session } from './lsp-session.ts'
import { pathOfUri, within } from './wire/file-uris.ts'
import { Positions } from './wire/position-converter.ts'
import type { Result } from './wire/protocol.ts'

/** Texts that are read for their columns alone; beyond that, columns are told as the server counts. */
const MOST_FILES = 200

export type LocationAnswer = Result<'textDocument/definition' | 'textDocument/references'>

export class Places {
  readonly #workspace: Workspace
  readonly #sources: Sources
  readonly #session: Session
  readonly #read = new Map<string, Positions>()

  constructor(workspace: Workspace, sources: Sources, session: Session) {
    this.#workspace = workspace
    this.#sources = sources
    this.#session = session
  }

  async of(answer: LocationAnswer): Promise<Place[]> {
    const all = answer === null ? [] : 'uri' in answer ? [answer] : answer
    const places: Place[] = []
    for (const one of all) {
      const place = await this.place('uri' in one ? one : locationOf(one))
      if (place) places.push(place)
    }
    return places
  }

  /** Undefined for what is in no file. */
  async place({ uri, range }: Location): Promise<Place | undefined> {
    const absolute = pathOfUri(uri)
    if (absolute === undefined) return undefined
    const path = within(this.#workspace.root, absolute)
    if (path === undefined) return { path: absolute, outside: true, ...UNREAD.spanOf(range) }
    return { path, ...(await this.#positionsIn(path)).spanOf(range) }
  }

  async #positionsIn(path: string): Promise<Positions> {
    const known = this.#session.documents.get(path)?.positions ?? this.#read.get(path)
    if (known) return known
    const positions = this.#read.size < MOST_FILES ? await this.#readPositions(path) : UNREAD
    this.#read.set(path, positions)
    return positions
  }

  async #readPositions(path: string): Promise<Positions> {
    try {
      return new Positions((await this.#sources.read(path)).text, this.#session.units)
    } catch {
      return UNREAD
    }
  }
}

const locationOf = ({ targetUri, targetRange, targetSelectionRange }: LocationLink): Location => ({
  uri: targetUri,
  range: targetSelectionRange ?? targetRange
})

/** Where the text is not known, a column is what the server says. */
const UNREAD = {
  spanOf: ({ start, end }: Range) => ({ start: plain(start), end: plain(end) })
} as Pick<Positions, 'spanOf'> as Positions

const plain = ({ line, character }: Position) => ({ line: line + 1, column: character + 1 })
