// What is found in all files of a folder: of those that servers have open or have spoken of, and of others as far as bounds
// allow. What was not looked at is told.
import { ToolError } from '../../errors.ts'
import { inTurns } from '../files/time-slicing.ts'
import type { Answerer, Completeness, Diagnosed, Unseen } from './language-service.ts'
import type { LanguageServerPool, Workplace } from './pool.ts'
import type { ProjectServer } from './project-server.ts'
import { serversFor } from './servers/launch-config.ts'

const MOST_FILES = 200
const AT_A_TIME = 8

interface Part {
  server: ProjectServer
  path: string
}

export class FolderFindings {
  readonly #parts: readonly Part[]
  readonly #unseen: readonly Unseen[]

  /** Throws LSP_UNAVAILABLE where no server is for any file there. */
  static async in(folder: string, { workspace }: Workplace, pool: LanguageServerPool): Promise<FolderFindings> {
    const files = (await workspace.list.files()).filter(path => folder === '.' || path.startsWith(`${folder}/`))
    const known = files.filter(path => serversFor(path, pool.rows).length > 0)
    const parts: Part[] = []
    const missing = new Map<string, { files: number; error: ToolError }>()
    const ground = pool.groundOf(workspace)
    for (const path of known.sort())
      try {
        parts.push({ path, server: await pool.serverFor(workspace, path, ground) })
      } catch (error) {
        if (!(error instanceof ToolError && error.code === 'LSP_UNAVAILABLE')) throw error
        const { files = 0 } = missing.get(error.message) ?? {}
        missing.set(error.message, { files: files + 1, error })
      }
    const [first] = missing.values()
    if (parts.length === 0 && first) throw first.error
    return new FolderFindings(
      parts,
      [...missing.values()].map(({ files, error }) => ({ files, reason: error.message }))
    )
  }

  constructor(parts: readonly Part[], unseen: readonly Unseen[]) {
    this.#parts = parts
    this.#unseen = unseen
  }

  /** `look` at each; after `late`, no more. */
  async gather(
    late: AbortSignal,
    look: (server: ProjectServer, path: string) => Promise<Diagnosed>
  ): Promise<Diagnosed> {
    const first = this.#parts.filter(isKnown)
    const wanted = [...first, ...this.#parts.filter(part => !isKnown(part))]
    const looked = await inTurns(wanted.slice(0, MOST_FILES), AT_A_TIME, async ({ server, path }) =>
      late.aborted ? undefined : look(server, path)
    )
    const answers = looked.filter(answer => answer !== undefined)
    const late_files = looked.length - answers.length
    const unseen = [
      ...this.#unseen,
      ...(late_files > 0 ? [{ files: late_files, reason: 'There was no time left.' }] : []),
      ...(wanted.length > MOST_FILES
        ? [{ files: wanted.length - MOST_FILES, reason: `No more than ${MOST_FILES} files are looked at at once.` }]
        : [])
    ]
    return {
      diagnostics: answers.flatMap(({ diagnostics }) => diagnostics),
      status: statusOf(answers, unseen),
      answered: distinct(answers.flatMap(({ answered }) => answered)),
      ...(unseen.length > 0 && { unseen })
    }
  }
}

/** Those open, or spoken of, are most likely of interest. */
const isKnown = ({ server: { session }, path }: Part): boolean =>
  session !== undefined && (session.documents.get(path) !== undefined || session.findings.knownOf(path).length > 0)

function statusOf(answers: readonly Diagnosed[], unseen: readonly Unseen[]): Completeness {
  if (unseen.length === 0 && answers.every(({ status }) => status === 'complete')) return 'complete'
  return answers.every(({ status }) => status === 'timeout') ? 'timeout' : 'partial'
}

function distinct(answered: readonly Answerer[]): Answerer[] {
  return [...new Map(answered.map(each => [JSON.stringify([each.server, each.root]), each])).values()]
}
