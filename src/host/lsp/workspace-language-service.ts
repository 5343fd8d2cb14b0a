// Asks the language servers of one workspace for one call, and tells the answers in our terms.
import type {
  ServerCapabilities,
  Hover as ServerHover,
  TextDocumentPositionParams
} from 'vscode-languageserver-protocol'
import { invalidParam, ToolError } from '../../errors.ts'
import type { Effects } from '../host.ts'
import { symbolsOf } from './convert-symbols.ts'
import type { OpenDocument } from './documents.ts'
import { FolderFindings } from './folder-diagnostics.ts'
import { hoverText } from './format-hover.ts'
import type { Answerer, Asked, Diagnosed, Hover, Languages, Place, Renaming, Sym } from './language-service.ts'
import { type LocationAnswer, Places } from './location-converter.ts'
import type { Session } from './lsp-session.ts'
import type { LanguageServerPool, Workplace } from './pool.ts'
import type { ProjectServer } from './project-server.ts'
import { renamedFiles } from './rename-edits.ts'
import { isFolder } from './servers/workspace-fs.ts'
import { diagnosticOf } from './to-diagnostic.ts'
import type { Params, RequestMethod, Result } from './wire/protocol.ts'

type CallEffects = Pick<Effects, 'signal' | 'committed'>

/** What servers say that they can do, by what it is called among their capabilities. */
const PROVIDERS = {
  definitionProvider: 'definitions',
  referencesProvider: 'references',
  hoverProvider: 'what it knows of a place',
  documentSymbolProvider: 'the symbols of a file',
  workspaceSymbolProvider: 'symbols by name',
  renameProvider: 'what a rename would change'
} as const satisfies Partial<Record<keyof ServerCapabilities, string>>
type Provider = keyof typeof PROVIDERS

/** What a question about one place in a file is asked with. */
interface Point {
  server: ProjectServer
  session: Session
  document: OpenDocument
  params: TextDocumentPositionParams
}

export class Asking implements Languages {
  readonly #pool: LanguageServerPool
  readonly #at: Workplace
  readonly #effects: CallEffects
  #tell: (message: string) => void = () => {}

  constructor(pool: LanguageServerPool, workplace: Workplace, effects: CallEffects) {
    this.#pool = pool
    this.#at = workplace
    this.#effects = effects
  }

  tells(listener: (message: string) => void) {
    this.#tell = listener
  }

  definition(at: Asked) {
    return this.#placesFor(at, 'definitionProvider', ({ session, params }) =>
      this.#request(session, 'textDocument/definition', params)
    )
  }

  references(at: Asked) {
    const context = { includeDeclaration: true }
    return this.#placesFor(at, 'referencesProvider', ({ session, params }) =>
      this.#request(session, 'textDocument/references', { ...params, context })
    )
  }

  async hover(at: Asked): Promise<{ hover: Hover | undefined; answered: Answerer }> {
    return this.#askAt(at, 'hoverProvider', async ({ server, session, document, params }) => {
      const ask = () => this.#request(session, 'textDocument/hover', params)
      const answer = await this.#orOnceReady(server, session, ask, answer => toldIn(answer) !== undefined)
      const told = toldIn(answer)
      const span = answer?.range && { span: document.positions.spanOf(answer.range) }
      return {
        hover: told && { ...told, ...span },
        answered: answererOf(server, session, document)
      }
    })
  }

  async symbolsIn(path: string): Promise<{ symbols: Sym[]; answered: Answerer }> {
    return this.#ask(path, 'documentSymbolProvider', async (server, session) => {
      const document = await session.documents.sync(path)
      const { uri } = document
      const params = { textDocument: { uri } }
      const ask = () => this.#request(session, 'textDocument/documentSymbol', params)
      const answer = await this.#orOnceReady(server, session, ask, answer => (answer?.length ?? 0) > 0)
      const symbols = await symbolsOf(answer, this.#placesOf(session), uri)
      return { symbols, answered: answererOf(server, session, document) }
    })
  }

  async symbolsNamed(query: string): Promise<{ symbols: Sym[]; answered: Answerer[] }> {
    const able = this.#pool
      .all(this.#at.workspace)
      .filter(({ session }) => session?.capabilities.workspaceSymbolProvider)
    if (able.length === 0)
      throw new ToolError(
        'LSP_UNAVAILABLE',
        'No language server runs that finds symbols by name. Ask for the symbols of a file first: that starts its server.'
      )
    const answers = await Promise.all(
      able.map(server =>
        this.#using(server, async session => {
          await this.#untilReady(server, session)
          const answer = await this.#request(session, 'workspace/symbol', { query })
          return { symbols: await symbolsOf(answer, this.#placesOf(session)), answered: answererOf(server, session) }
        })
      )
    )
    return { symbols: answers.flatMap(({ symbols }) => symbols), answered: answers.map(({ answered }) => answered) }
  }

  async rename(at: Asked, newName: string): Promise<Renaming> {
    return this.#askAt(at, 'renameProvider', async ({ server, session, document, params }) => {
      await this.#untilReady(server, session)
      const edit = (await this.#mayRename(session, params))
        ? await this.#request(session, 'textDocument/rename', { ...params, newName })
        : null
      if (!edit) throw invalidParam('line', 'There is nothing that can be renamed at this place.')
      const files = await renamedFiles(edit, this.#at.workspace, this.#at.sources, session)
      return { files, answered: answererOf(server, session, document) }
    })
  }

  async diagnostics(path: string | undefined, { within_ms }: { within_ms?: number } = {}): Promise<Diagnosed> {
    if (path === undefined || isFolder(this.#at.workspace, path)) return this.#inFolder(path ?? '.', within_ms)
    const server = await this.#pool.serverFor(this.#at.workspace, path)
    return this.#using(server, async session => this.#inFile(server, session, path, within_ms))
  }

  runs(path: string): boolean {
    return this.#pool.running(this.#at.workspace, path) !== undefined
  }

  kept(): Promise<'strict' | undefined> {
    return this.#pool.kept()
  }

  #placesFor(
    at: Asked,
    provider: Provider,
    ask: (point: Point) => Promise<LocationAnswer>
  ): Promise<{ places: Place[]; answered: Answerer }> {
    return this.#askAt(at, provider, async point => {
      const { server, session, document } = point
      await this.#untilReady(server, session)
      const answer = await ask(point)
      return { places: await this.#placesOf(session).of(answer), answered: answererOf(server, session, document) }
    })
  }

  async #inFile(server: ProjectServer, session: Session, path: string, within_ms: number | undefined) {
    const deadline = session.deadlines.start()
    const late = within_ms === undefined ? deadline.signal : AbortSignal.timeout(within_ms)
    const { document, diagnostics, status } = await session.findings
      .of(path, this.#effects.signal, late)
      .finally(deadline.cancel)
    return {
      diagnostics: diagnostics.map(each => diagnosticOf(each, { path, ...document.positions.spanOf(each.range) })),
      status,
      answered: [answererOf(server, session, document)]
    }
  }

  async #inFolder(folder: string, within_ms: number | undefined): Promise<Diagnosed> {
    const late = this.#late(within_ms)
    const findings = await FolderFindings.in(folder, this.#at, this.#pool)
    return findings.gather(late, (server, path) =>
      this.#using(server, async session => ({
        ...(await this.#inFile(server, session, path, within_ms)),
        answered: [answererOf(server, session)]
      }))
    )
  }

  #late(within_ms: number | undefined): AbortSignal {
    return AbortSignal.timeout(within_ms ?? this.#pool.settings.start_ms)
  }

  async #mayRename(session: Session, params: Point['params']): Promise<boolean> {
    const { renameProvider } = session.capabilities
    if (typeof renameProvider !== 'object' || !renameProvider.prepareProvider) return true
    try {
      return (await this.#request(session, 'textDocument/prepareRename', params)) !== null
    } catch (error) {
      if (error instanceof ToolError && error.code === 'EXECUTION_ERROR') throw invalidParam('line', error.message)
      throw error
    }
  }

  #askAt<T>({ path, line, column }: Asked, provider: Provider, work: (point: Point) => Promise<T>): Promise<T> {
    return this.#ask(path, provider, async (server, session) => {
      const document = await session.documents.sync(path)
      const position = document.positions.toServer({ line, column })
      return work({ server, session, document, params: { textDocument: { uri: document.uri }, position } })
    })
  }

  async #ask<T>(
    path: string,
    provider: Provider,
    work: (server: ProjectServer, session: Session) => Promise<T>
  ): Promise<T> {
    const server = await this.#pool.serverFor(this.#at.workspace, path)
    return this.#using(server, session => {
      if (session.capabilities[provider]) return work(server, session)
      const { name } = server.launch.server
      throw new ToolError('LSP_UNAVAILABLE', `The language server ${name} does not tell ${PROVIDERS[provider]}.`, {
        server: name
      })
    })
  }

  async #using<T>(server: ProjectServer, work: (session: Session) => Promise<T>): Promise<T> {
    if (!server.session) {
      this.#tell(`starting ${server.launch.server.name}`)
      if ((await this.#pool.kept()) === undefined) await this.#effects.committed()
    }
    return server.using(async session => {
      await session.catchUp()
      return work(session)
    }, this.#effects.signal)
  }

  /** What is asked of the whole project is asked once the server has read it. One that reads on beyond its time is not
   * waited for by every question anew. */
  async #untilReady({ launch }: ProjectServer, session: Session): Promise<void> {
    const { readiness } = session
    const left = Math.ceil(this.#pool.settings.start_ms - readiness.reading_ms)
    if (readiness.isReady || left <= 0) return
    const { name } = launch.server
    this.#tell(`${name} is loading the project${readiness.doing ? `: ${readiness.doing}` : ''}`)
    const late = AbortSignal.timeout(left)
    await readiness.ready(AbortSignal.any([this.#effects.signal, late])).catch(() => {})
    this.#effects.signal.throwIfAborted()
  }

  /** What is asked of one file need not wait for the project. But that nothing is there is only believed of a server that
   * has read it. */
  async #orOnceReady<T>(
    server: ProjectServer,
    session: Session,
    ask: () => Promise<T>,
    saysSomething: (answer: T) => boolean
  ): Promise<T> {
    const wasReady = session.readiness.isReady
    const answer = await ask()
    if (wasReady || saysSomething(answer)) return answer
    await this.#untilReady(server, session)
    return ask()
  }

  #request<M extends RequestMethod>(session: Session, method: M, params: Params<M>): Promise<Result<M>> {
    return session.request(method, params, this.#effects.signal)
  }

  #placesOf(session: Session): Places {
    return new Places(this.#at.workspace, this.#at.sources, session)
  }
}

/** Undefined where it says nothing. */
function toldIn(answer: ServerHover | null) {
  const told = answer && hoverText(answer.contents)
  return told?.text ? told : undefined
}

function answererOf({ launch }: ProjectServer, session: Session, document?: OpenDocument): Answerer {
  return {
    server: launch.server.name,
    ...(session.version !== undefined && { version: session.version }),
    root: launch.root,
    readiness: session.readiness.isReady ? (launch.reads_all ? 'ready' : 'partial') : 'loading',
    ...(document && {
      document: { path: document.path, hash: document.hash, ...(document.unsaved && { unsaved: true as const }) }
    })
  }
}
