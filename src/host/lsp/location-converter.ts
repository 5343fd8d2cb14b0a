// Converts LSP locations: to workspace paths, and to lines and columns of the text that the server saw.
import type { Location, LocationLink, Position, Range } from 'vscode-languageserver-protocol'
import { relativeToRoot } from '../../text/root-path.ts'
import type { Workspace } from '../workspace.ts'
import type { DocumentTextProvider } from './document-text-provider.ts'
import type { SourceLocation } from './language-service.ts'
import type { LspSession } from './lsp-session.ts'
import { fileUriToPath } from './wire/file-uris.ts'
import { PositionConverter } from './wire/position-converter.ts'
import type { MethodResult } from './wire/protocol.ts'

/** Maximum number of texts read only to convert columns; beyond that, the server's columns are returned. */
const MAX_FILES_READ = 200

export type LocationResult = MethodResult<'textDocument/definition' | 'textDocument/references'>

export class LocationConverter {
  readonly #workspace: Workspace
  readonly #texts: DocumentTextProvider
  readonly #session: LspSession
  readonly #positions = new Map<string, PositionConverter>()

  constructor(workspace: Workspace, sources: DocumentTextProvider, session: LspSession) {
    this.#workspace = workspace
    this.#texts = sources
    this.#session = session
  }

  async convertAll(answer: LocationResult): Promise<SourceLocation[]> {
    const all = answer === null ? [] : 'uri' in answer ? [answer] : answer
    const places: SourceLocation[] = []
    for (const one of all) {
      const place = await this.convert('uri' in one ? one : linkToLocation(one))
      if (place) places.push(place)
    }
    return places
  }

  /** Returns undefined for a location that is not in a file. */
  async convert({ uri, range }: Location): Promise<SourceLocation | undefined> {
    const absolute = fileUriToPath(uri)
    if (absolute === undefined) return undefined
    const path = relativeToRoot(this.#workspace, absolute)
    if (path === undefined) return { path: absolute, outside: true, ...RAW_POSITIONS.toSpan(range) }
    return { path, ...(await this.#positionsFor(path)).toSpan(range) }
  }

  async #positionsFor(path: string): Promise<PositionConverter> {
    const known = this.#session.documents.get(path)?.positions ?? this.#positions.get(path)
    if (known) return known
    const positions = this.#positions.size < MAX_FILES_READ ? await this.#readPositions(path) : RAW_POSITIONS
    this.#positions.set(path, positions)
    return positions
  }

  async #readPositions(path: string): Promise<PositionConverter> {
    try {
      return new PositionConverter((await this.#texts.read(path)).text, this.#session.encoding)
    } catch {
      return RAW_POSITIONS
    }
  }
}

const linkToLocation = ({ targetUri, targetRange, targetSelectionRange }: LocationLink): Location => ({
  uri: targetUri,
  range: targetSelectionRange ?? targetRange
})

/** Without the text, the server's column is returned. */
const RAW_POSITIONS = {
  toSpan: ({ start, end }: Range) => ({ start: toOneBased(start), end: toOneBased(end) })
} as Pick<PositionConverter, 'toSpan'> as PositionConverter

const toOneBased = ({ line, character }: Position) => ({ line: line + 1, column: character + 1 })
