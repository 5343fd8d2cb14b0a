// Asks the language servers of one workspace for one call, and tells the answers in our terms.
import type { Effects, Workspace } from '../host.ts'
import type { OpenDocument } from './documents.ts'
import type { Answerer, Asked, Diagnosed, Hover, Languages, Place, Renaming, Sym } from './languages.ts'
import { type LocationAnswer, Places } from './places.ts'
import type { LanguageServerPool } from './pool.ts'
import type { ProjectServer } from './project-server.ts'
import type { Session } from './session.ts'

/** What a request for one place in a file works with. */
interface Point {
  session: Session
  document: OpenDocument
  params: { textDocument: { uri: string }; position: { line: number; character: number } }
}

export class Asking implements Languages {
  readonly #pool: LanguageServerPool
  readonly #workspace: Workspace
  readonly #effects: Pick<Effects, 'signal' | 'committed'>
  #tell: (message: string) => void = () => {}

  constructor(pool: LanguageServerPool, workspace: Workspace, effects: Pick<Effects, 'signal' | 'committed'>) {
    this.#pool = pool
    this.#workspace = workspace
    this.#effects = effects
  }

  tells(listener: (message: string) => void) {
    this.#tell = listener
  }

  async definition(at: Asked) {
    return this.#at(at, async ({ session, params }) =>
      this.#places(session, await this.#request<LocationAnswer>(session, 'textDocument/definition', params))
    ).then(({ answer, answered }) => ({ places: answer, answered }))
  }

  async references(at: Asked): Promise<{ places: Place[]; answered: Answerer }> {
    const { answer, answered } = await this.#at(at, async ({ session, params }) => {
      const asked = { ...params, context: { includeDeclaration: true } }
      return this.#places(session, await this.#request<LocationAnswer>(session, 'textDocument/references', asked))
    })
    return { places: answer, answered }
  }

  async hover(_at: Asked): Promise<{ hover: Hover | undefined; answered: Answerer }> {
    throw new Error('to come')
  }

  async diagnostics(_path: string | undefined): Promise<Diagnosed> {
    throw new Error('to come')
  }

  async symbolsIn(_path: string): Promise<{ symbols: Sym[]; answered: Answerer }> {
    throw new Error('to come')
  }

  async symbolsNamed(_query: string): Promise<{ symbols: Sym[]; answered: Answerer[] }> {
    throw new Error('to come')
  }

  async rename(_at: Asked, _new_name: string): Promise<Renaming> {
    throw new Error('to come')
  }

  runs(_path: string): boolean {
    return false
  }

  kept(): Promise<'strict' | undefined> {
    return this.#pool.kept()
  }

  async #at<T>(
    { path, line, column }: Asked,
    ask: (point: Point) => Promise<T>
  ): Promise<{ answer: T; answered: Answerer }> {
    const server = await this.#pool.serverFor(this.#workspace, path)
    return this.#using(server, async session => {
      const document = await session.documents.sync(path)
      const position = document.positions.toServer({ line, column })
      const answer = await ask({ session, document, params: { textDocument: { uri: document.uri }, position } })
      return { answer, answered: answererOf(server, session, document) }
    })
  }

  #using<T>(server: ProjectServer, work: (session: Session) => Promise<T>): Promise<T> {
    if (!server.session) this.#tell(`starting ${server.launch.server.name}`)
    return server.using(work, this.#effects.signal)
  }

  #request<T>(session: Session, method: string, params: unknown): Promise<T> {
    return session.request<T>(method, params, this.#effects.signal)
  }

  #places(session: Session, answer: LocationAnswer): Promise<Place[]> {
    return new Places(this.#workspace, this.#pool.sourcesOf(this.#workspace), session).of(answer)
  }
}

function answererOf({ launch }: ProjectServer, session: Session, { path, hash, unsaved }: OpenDocument): Answerer {
  return {
    server: launch.server.name,
    ...(session.version !== undefined && { version: session.version }),
    root: launch.root,
    readiness: session.readiness.isReady ? 'ready' : 'loading',
    document: { path, hash, ...(unsaved && { unsaved }) }
  }
}
