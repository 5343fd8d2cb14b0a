// Queries the language servers of one workspace for one call, and converts their answers.
import type {
  ServerCapabilities,
  Hover as ServerHover,
  TextDocumentPositionParams
} from 'vscode-languageserver-protocol'
import { invalidParam, ToolError } from '../../errors.ts'
import type { Effects } from '../effects.ts'
import { convertSymbols } from './convert-symbols.ts'
import type { OpenDocument } from './documents.ts'
import { FolderDiagnostics } from './folder-diagnostics.ts'
import { formatHover } from './format-hover.ts'
import type {
  DiagnosticsResult,
  Hover,
  LanguageService,
  RenameResult,
  Respondent,
  SourceLocation,
  SourcePosition,
  SymbolInfo
} from './language-service.ts'
import { LocationConverter, type LocationResult } from './location-converter.ts'
import type { LspSession } from './lsp-session.ts'
import { listMainFiles } from './main-files.ts'
import type { ProjectServer } from './project-server.ts'
import type { ProjectServers } from './project-servers.ts'
import { convertRename, misreadError } from './rename-edits.ts'
import { isDirectoryInWorkspace } from './servers/workspace-fs.ts'
import { toDiagnostic } from './to-diagnostic.ts'
import type { WorkspaceContext } from './watched-workspace.ts'
import type { MethodParams, MethodResult, RequestMethod } from './wire/protocol.ts'

/** Maximum number of files that are opened for one rename: fewer than stay open. */
const MAX_MISREAD_DOCUMENTS = 50

type CallEffects = Pick<Effects, 'signal' | 'commitIntent'>

/** Labels of server capabilities, by name. */
const PROVIDER_LABELS = {
  definitionProvider: 'definitions',
  referencesProvider: 'references',
  hoverProvider: 'hover information',
  documentSymbolProvider: 'the symbols of a file',
  workspaceSymbolProvider: 'symbols by name',
  renameProvider: 'rename edits'
} as const satisfies Partial<Record<keyof ServerCapabilities, string>>
type Provider = keyof typeof PROVIDER_LABELS

/** Request for one position in a file. */
interface PositionRequest {
  server: ProjectServer
  session: LspSession
  document: OpenDocument
  params: TextDocumentPositionParams
}

export class WorkspaceLanguageService implements LanguageService {
  readonly #pool: ProjectServers
  readonly #context: WorkspaceContext
  readonly #effects: CallEffects
  #report: (message: string) => void = () => {}

  constructor(pool: ProjectServers, workplace: WorkspaceContext, effects: CallEffects) {
    this.#pool = pool
    this.#context = workplace
    this.#effects = effects
  }

  onProgress(listener: (message: string) => void) {
    this.#report = listener
  }

  definition(at: SourcePosition) {
    return this.#requestLocations(at, 'definitionProvider', ({ session, params }) =>
      this.#request(session, 'textDocument/definition', params)
    )
  }

  references(at: SourcePosition) {
    const context = { includeDeclaration: true }
    return this.#requestLocations(at, 'referencesProvider', ({ session, params }) =>
      this.#request(session, 'textDocument/references', { ...params, context })
    )
  }

  async hover(at: SourcePosition): Promise<{ hover: Hover | undefined; answered: Respondent }> {
    return this.#withPosition(at, 'hoverProvider', async ({ server, session, document, params }) => {
      const ask = () => this.#request(session, 'textDocument/hover', params)
      const answer = await this.#retryOnceReady(server, session, ask, answer => hoverContent(answer) !== undefined)
      const content = hoverContent(answer)
      const span = answer?.range && { span: document.positions.toSpan(answer.range) }
      return {
        hover: content && { ...content, ...span },
        answered: toRespondent(server, session, document)
      }
    })
  }

  async documentSymbols(path: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent }> {
    return this.#withCapability(path, 'documentSymbolProvider', async (server, session) => {
      const document = await session.documents.sync(path)
      const { uri } = document
      const params = { textDocument: { uri } }
      const ask = () => this.#request(session, 'textDocument/documentSymbol', params)
      const answer = await this.#retryOnceReady(server, session, ask, answer => (answer?.length ?? 0) > 0)
      const symbols = await convertSymbols(answer, this.#locationConverter(session), uri)
      return { symbols, answered: toRespondent(server, session, document) }
    })
  }

  async workspaceSymbols(query: string): Promise<{ symbols: SymbolInfo[]; answered: Respondent[] }> {
    const running = this.#runningSymbolServers()
    const able = running.length > 0 ? running : [await this.#startSymbolServer()]
    const answers = await Promise.all(
      able.map(server =>
        this.#withSession(server, async session => {
          await this.#waitUntilReady(server, session)
          const answer = await this.#request(session, 'workspace/symbol', { query })
          return {
            symbols: await convertSymbols(answer, this.#locationConverter(session)),
            answered: toRespondent(server, session)
          }
        })
      )
    )
    return { symbols: answers.flatMap(({ symbols }) => symbols), answered: answers.map(({ answered }) => answered) }
  }

  async assertFindsSymbols() {
    if (this.#runningSymbolServers().length > 0) return
    const { workspace } = this.#context
    await this.#tryMainFiles(async path => {
      await this.#pool.assertInstalled(workspace, path)
      return true
    })
  }

  #runningSymbolServers(): ProjectServer[] {
    return this.#pool
      .serversIn(this.#context.workspace)
      .filter(({ session }) => session?.capabilities.workspaceSymbolProvider)
  }

  /** Starts the server of the language that most files are in, of those that find symbols by name. */
  #startSymbolServer(): Promise<ProjectServer> {
    const { workspace } = this.#context
    return this.#tryMainFiles(async path => {
      const server = await this.#pool.serverFor(workspace, path)
      return this.#withSession(server, async session => {
        if (!session.capabilities.workspaceSymbolProvider) return undefined
        // Some servers load a project only with a file of it.
        await session.documents.sync(path)
        return server
      })
    })
  }

  /** Returns what `attempt` finds with the main file of a language. Throws LSP_UNAVAILABLE if it finds nothing with any. */
  async #tryMainFiles<T>(attempt: (path: string) => Promise<T | undefined>): Promise<T> {
    let failure: ToolError | undefined
    for (const path of listMainFiles(await this.#context.workspace.list.files(), this.#pool.definitions))
      try {
        const found = await attempt(path)
        if (found !== undefined) return found
      } catch (error) {
        if (!(error instanceof ToolError && error.code === 'LSP_UNAVAILABLE')) throw error
        failure ??= error
      }
    throw (
      failure ??
      new ToolError('LSP_UNAVAILABLE', 'No language server of this workspace can find symbols by name.', undefined, {
        recoverable: false
      })
    )
  }

  async rename(at: SourcePosition, newName: string): Promise<RenameResult> {
    return this.#withPosition(at, 'renameProvider', async ({ server, session, document, params }) => {
      await this.#waitUntilReady(server, session)
      const ask = async () => {
        const edit = (await this.#canRename(session, params))
          ? await this.#request(session, 'textDocument/rename', { ...params, newName })
          : null
        if (!edit) throw invalidParam('line', 'There is nothing to rename at this position.')
        return convertRename(edit, this.#context.workspace, this.#context.texts, session)
      }
      let renamed = await ask()
      if (renamed.misread.length > 0) {
        for (const path of renamed.misread.slice(0, MAX_MISREAD_DOCUMENTS)) await session.documents.sync(path)
        renamed = await ask()
      }
      const { files, misread } = renamed
      const answered = toRespondent(server, session, document)
      if (misread.length > 0) throw misreadError(answered.server, misread)
      return { files, answered }
    })
  }

  async diagnostics(path: string | undefined, { within_ms }: { within_ms?: number } = {}): Promise<DiagnosticsResult> {
    if (path === undefined || isDirectoryInWorkspace(this.#context.workspace, path))
      return this.#folderDiagnostics(path ?? '.', within_ms)
    const server = await this.#pool.serverFor(this.#context.workspace, path)
    return this.#withSession(server, async session => this.#fileDiagnostics(server, session, path, within_ms))
  }

  assertInstalled(path: string): Promise<void> {
    return this.#pool.assertInstalled(this.#context.workspace, path)
  }

  isRunning(path: string): boolean {
    return this.#pool.findRunning(this.#context.workspace, path) !== undefined
  }

  isolationLevel(): Promise<'read-only' | undefined> {
    return this.#pool.isolationLevel()
  }

  #requestLocations(
    at: SourcePosition,
    provider: Provider,
    ask: (point: PositionRequest) => Promise<LocationResult>
  ): Promise<{ places: SourceLocation[]; answered: Respondent }> {
    return this.#withPosition(at, provider, async point => {
      const { server, session, document } = point
      await this.#waitUntilReady(server, session)
      const answer = await ask(point)
      return {
        places: await this.#locationConverter(session).convertAll(answer),
        answered: toRespondent(server, session, document)
      }
    })
  }

  async #fileDiagnostics(server: ProjectServer, session: LspSession, path: string, within_ms: number | undefined) {
    const { start_ms, answer_ms } = this.#pool.settings
    const deadline = session.deadlines.start()
    // A server that has been loading for longer than its time limit is not awaited that long again.
    const limit = within_ms ?? (session.readiness.loadingMs > start_ms ? answer_ms : undefined)
    const late = limit === undefined ? deadline.signal : AbortSignal.timeout(limit)
    const { document, diagnostics, status } = await session.diagnostics
      .collect(path, this.#effects.signal, late)
      .finally(deadline.cancel)
    return {
      diagnostics: diagnostics.map(each => toDiagnostic(each, { path, ...document.positions.toSpan(each.range) })),
      status,
      answered: [toRespondent(server, session, document)]
    }
  }

  async #folderDiagnostics(folder: string, within_ms: number | undefined): Promise<DiagnosticsResult> {
    const late = this.#deadline(within_ms)
    const findings = await FolderDiagnostics.forFolder(folder, this.#context, this.#pool)
    return findings.collect(late, (server, path) =>
      this.#withSession(server, async session => ({
        ...(await this.#fileDiagnostics(server, session, path, within_ms)),
        answered: [toRespondent(server, session)]
      }))
    )
  }

  #deadline(within_ms: number | undefined): AbortSignal {
    return AbortSignal.timeout(within_ms ?? this.#pool.settings.start_ms)
  }

  async #canRename(session: LspSession, params: PositionRequest['params']): Promise<boolean> {
    const { renameProvider } = session.capabilities
    if (typeof renameProvider !== 'object' || !renameProvider.prepareProvider) return true
    try {
      return (await this.#request(session, 'textDocument/prepareRename', params)) !== null
    } catch (error) {
      if (error instanceof ToolError && error.code === 'EXECUTION_ERROR') throw invalidParam('line', error.message)
      throw error
    }
  }

  #withPosition<T>(
    { path, line, column }: SourcePosition,
    provider: Provider,
    work: (point: PositionRequest) => Promise<T>
  ): Promise<T> {
    return this.#withCapability(path, provider, async (server, session) => {
      const document = await session.documents.sync(path)
      const position = document.positions.toLspPosition({ line, column })
      return work({ server, session, document, params: { textDocument: { uri: document.uri }, position } })
    })
  }

  async #withCapability<T>(
    path: string,
    provider: Provider,
    work: (server: ProjectServer, session: LspSession) => Promise<T>
  ): Promise<T> {
    const server = await this.#pool.serverFor(this.#context.workspace, path)
    return this.#withSession(server, session => {
      if (session.capabilities[provider]) return work(server, session)
      const { name } = server.launch.server
      throw new ToolError(
        'LSP_UNAVAILABLE',
        `The language server ${name} does not support ${PROVIDER_LABELS[provider]}.`,
        {
          server: name
        }
      )
    })
  }

  async #withSession<T>(server: ProjectServer, work: (session: LspSession) => Promise<T>): Promise<T> {
    if (!server.session) {
      this.#report(`starting ${server.launch.server.name}`)
      if ((await this.#pool.isolationLevel()) === undefined) await this.#effects.commitIntent()
    }
    return server.withSession(async session => {
      await session.syncFiles()
      return work(session)
    }, this.#effects.signal)
  }

  /**
   * Requests about the whole project wait until the server has read it. If it takes longer than its time limit, further requests
   * do not wait again.
   */
  async #waitUntilReady({ launch }: ProjectServer, session: LspSession): Promise<void> {
    const { readiness } = session
    const left = Math.ceil(this.#pool.settings.start_ms - readiness.loadingMs)
    if (readiness.isReady || left <= 0) return
    const { name } = launch.server
    this.#report(`${name} is loading the project${readiness.currentTask ? `: ${readiness.currentTask}` : ''}`)
    const late = AbortSignal.timeout(left)
    await readiness.whenReady(AbortSignal.any([this.#effects.signal, late])).catch(() => {})
    this.#effects.signal.throwIfAborted()
  }

  /** Requests about one file need not wait for the project. But an empty answer is only trusted once the server has read it. */
  async #retryOnceReady<T>(
    server: ProjectServer,
    session: LspSession,
    ask: () => Promise<T>,
    hasContent: (answer: T) => boolean
  ): Promise<T> {
    const wasReady = session.readiness.isReady
    const answer = await ask()
    if (wasReady || hasContent(answer)) return answer
    await this.#waitUntilReady(server, session)
    return ask()
  }

  #request<M extends RequestMethod>(session: LspSession, method: M, params: MethodParams<M>): Promise<MethodResult<M>> {
    return session.request(method, params, this.#effects.signal)
  }

  #locationConverter(session: LspSession): LocationConverter {
    return new LocationConverter(this.#context.workspace, this.#context.texts, session)
  }
}

/** Returns undefined for an empty hover. */
function hoverContent(answer: ServerHover | null) {
  const hover = answer && formatHover(answer.contents)
  return hover?.text ? hover : undefined
}

function toRespondent({ launch }: ProjectServer, session: LspSession, document?: OpenDocument): Respondent {
  return {
    server: launch.server.name,
    ...(session.version !== undefined && { version: session.version }),
    root: launch.root,
    readiness: session.readiness.isReady ? (launch.readsWholeProject ? 'ready' : 'partial') : 'loading',
    ...(document && {
      document: { path: document.path, hash: document.hash, ...(document.unsaved && { unsaved: true as const }) }
    })
  }
}
