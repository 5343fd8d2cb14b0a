// What language servers find wrong in the files of each workspace: the newest they have said of each file, and the event
// that tells where that has changed.
import type { NewEvent } from '../../events/events.ts'
import type { Journal } from '../../events/journal.ts'
import type { Diagnostic, Finding, LanguageServers, Severity } from '../../host/lsp/language-service.ts'

/** What comes within so long is told together: a server that looks at a project has something to say of each file. */
const TOGETHER_MS = 200
const FILES_TOLD = 100
/** Of each workspace, those heard of last. */
const MOST_FILES = 5_000
const MOST_EDITS = 1_000

type Changed = Extract<NewEvent, { type: 'diagnostics.changed' }>
type FileCounts = Changed['files'][number]

/** What is to be told of a file, and what was there when it was told of last. */
interface Untold {
  was: readonly Diagnostic[]
  now: readonly Diagnostic[]
  counts: FileCounts
}

/** By server and path. */
export type Known = ReadonlyMap<string, Finding>

export class Findings {
  readonly #journal: Journal
  readonly #known = new Map<string, Map<string, Finding>>()
  /** What calls made of files lately, by content. */
  readonly #edits = new Map<string, string>()
  /** By workspace and server, what is to be told. */
  readonly #untold = new Map<string, { workspace: string; server: string; files: Map<string, Untold> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(journal: Journal, servers: Pick<LanguageServers, 'listen'>) {
    this.#journal = journal
    servers.listen(finding => this.#hear(finding))
  }

  /** All that is known of a workspace at this moment. */
  of(workspace: string): Known {
    const known = this.#known.get(workspace)
    return known ? new Map(known) : NOTHING
  }

  /** A call has given a file this content. */
  edited(workspace: string, path: string, hash: string, tool_call_id: string) {
    if (this.#known.size === 0) return
    this.#edits.delete(keyOf(workspace, path, hash))
    this.#edits.set(keyOf(workspace, path, hash), tool_call_id)
    dropOldest(this.#edits, MOST_EDITS)
  }

  close() {
    clearTimeout(this.#timer)
  }

  #hear(finding: Finding) {
    const { workspace, server, path, diagnostics } = finding
    const known = this.#known.get(workspace) ?? new Map<string, Finding>()
    this.#known.set(workspace, known)
    const key = keyOf(server, path)
    const before = known.get(key)?.diagnostics ?? []
    known.delete(key)
    known.set(key, finding)
    dropOldest(known, MOST_FILES)
    if (!areSame(before, diagnostics)) this.#tell(finding, before)
  }

  #tell({ workspace, server, path, hash, diagnostics }: Finding, before: readonly Diagnostic[]) {
    const key = keyOf(workspace, server)
    const untold = this.#untold.get(key) ?? { workspace, server, files: new Map<string, Untold>() }
    this.#untold.set(key, untold)
    const tool_call_id = hash === undefined ? undefined : this.#edits.get(keyOf(workspace, path, hash))
    const counts = { path, ...countsOf(diagnostics), ...(tool_call_id !== undefined && { by: { tool_call_id } }) }
    untold.files.set(path, { was: untold.files.get(path)?.was ?? before, now: diagnostics, counts })
    this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS).unref()
  }

  #flush() {
    this.#timer = undefined
    const events = [...this.#untold.values()].flatMap(({ workspace, server, files }) => {
      // Some servers take all back before they say it again.
      const others = [...files.values()].filter(({ was, now }) => !areSame(was, now))
      return inParts(others, FILES_TOLD).map(
        (part): Changed => ({ type: 'diagnostics.changed', workspace, server, files: part.map(({ counts }) => counts) })
      )
    })
    this.#untold.clear()
    // A journal that fails is told of once, by the store.
    if (events.length > 0) this.#journal.append(events).catch(() => {})
  }
}

const NOTHING: Known = new Map()

const keyOf = (...parts: string[]) => parts.join('\0')

function dropOldest(all: Map<string, unknown>, most: number) {
  for (const oldest of all.keys()) {
    if (all.size <= most) return
    all.delete(oldest)
  }
}

export function countsOf(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, information: 0, hint: 0 }
  for (const { severity } of diagnostics) counts[severity] += 1
  return counts
}

const areSame = (a: readonly Diagnostic[], b: readonly Diagnostic[]) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b))

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
