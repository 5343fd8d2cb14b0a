// Collects diagnostics of all files in a folder: first of those that servers have open or have published, then of others within
// limits. Skipped files are reported.
import { ToolError } from '../../errors.ts'
import { mapConcurrently } from '../files/time-slicing.ts'
import type { Completeness, DiagnosticsResult, Respondent, SkippedFiles } from './language-service.ts'
import type { ProjectServer } from './project-server.ts'
import type { ProjectServers } from './project-servers.ts'
import { serversFor } from './servers/launch-config.ts'
import type { WorkspaceContext } from './watched-workspace.ts'

const MAX_FILES = 200
const CONCURRENCY = 8

interface DiagnosticTarget {
  server: ProjectServer
  path: string
}

export class FolderDiagnostics {
  readonly #targets: readonly DiagnosticTarget[]
  readonly #skipped: readonly SkippedFiles[]

  /** Throws LSP_UNAVAILABLE if no file has a server. */
  static async forFolder(
    folder: string,
    { workspace }: WorkspaceContext,
    pool: ProjectServers
  ): Promise<FolderDiagnostics> {
    const files = (await workspace.list.files()).filter(path => folder === '.' || path.startsWith(`${folder}/`))
    const known = files.filter(path => serversFor(path, pool.definitions).length > 0)
    const parts: DiagnosticTarget[] = []
    const missing = new Map<string, { files: number; error: ToolError }>()
    const environment = pool.launchEnvironment(workspace)
    for (const path of known.sort())
      try {
        parts.push({ path, server: await pool.serverFor(workspace, path, environment) })
      } catch (error) {
        if (!(error instanceof ToolError && error.code === 'LSP_UNAVAILABLE')) throw error
        const { files = 0 } = missing.get(error.message) ?? {}
        missing.set(error.message, { files: files + 1, error })
      }
    const [first] = missing.values()
    if (parts.length === 0 && first) throw first.error
    return new FolderDiagnostics(
      parts,
      [...missing.values()].map(({ files, error }) => ({ files, reason: error.message }))
    )
  }

  constructor(parts: readonly DiagnosticTarget[], unseen: readonly SkippedFiles[]) {
    this.#targets = parts
    this.#skipped = unseen
  }

  /** Calls `look` for each; after `late` for no more. */
  async collect(
    late: AbortSignal,
    look: (server: ProjectServer, path: string) => Promise<DiagnosticsResult>
  ): Promise<DiagnosticsResult> {
    const first = this.#targets.filter(isKnown)
    const wanted = [...first, ...this.#targets.filter(part => !isKnown(part))]
    const looked = await mapConcurrently(wanted.slice(0, MAX_FILES), CONCURRENCY, async ({ server, path }) =>
      late.aborted ? undefined : look(server, path)
    )
    const answers = looked.filter(answer => answer !== undefined)
    const late_files = looked.length - answers.length
    const unseen = [
      ...this.#skipped,
      ...(late_files > 0 ? [{ files: late_files, reason: 'The time limit of the call was reached.' }] : []),
      ...(wanted.length > MAX_FILES
        ? [{ files: wanted.length - MAX_FILES, reason: `One call checks at most ${MAX_FILES} files.` }]
        : [])
    ]
    return {
      diagnostics: answers.flatMap(({ diagnostics }) => diagnostics),
      status: overallStatus(answers, unseen),
      answered: uniqueRespondents(answers.flatMap(({ answered }) => answered)),
      ...(unseen.length > 0 && { unseen })
    }
  }
}

/** Open files, and those with published diagnostics, are most likely relevant. */
const isKnown = ({ server: { session }, path }: DiagnosticTarget): boolean =>
  session !== undefined && (session.documents.get(path) !== undefined || session.diagnostics.knownFor(path).length > 0)

function overallStatus(answers: readonly DiagnosticsResult[], unseen: readonly SkippedFiles[]): Completeness {
  if (unseen.length === 0 && answers.every(({ status }) => status === 'complete')) return 'complete'
  return answers.every(({ status }) => status === 'timeout') ? 'timeout' : 'partial'
}

function uniqueRespondents(answered: readonly Respondent[]): Respondent[] {
  return [...new Map(answered.map(each => [JSON.stringify([each.server, each.root]), each])).values()]
}
