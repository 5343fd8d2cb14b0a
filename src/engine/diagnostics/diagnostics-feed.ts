// What language servers find wrong in the files of each workspace: the newest they have said of each file, and the event
// that tells where that has changed.
import type { NewEvent } from '../../events/events.ts'
import type { Journal } from '../../events/journal.ts'
import type { Diagnostic, FileDiagnostics, LanguageServers, Severity } from '../../host/lsp/language-service.ts'

/** What comes within so long is told together: a server that looks at a project has something to say of each file. */
const DEBOUNCE_MS = 200
const FILES_PER_EVENT = 100
/** Of each workspace, those heard of last. */
const MAX_FILES = 5_000
const MAX_EDITS = 1_000

type DiagnosticsChangedEvent = Extract<NewEvent, { type: 'diagnostics.changed' }>
type FileCounts = DiagnosticsChangedEvent['files'][number]

/** What is to be told of a file, and what was there when it was told of last. */
interface PendingReport {
  was: readonly Diagnostic[]
  now: readonly Diagnostic[]
  counts: FileCounts
}

/** By server and path. */
export type KnownDiagnostics = ReadonlyMap<string, FileDiagnostics>

export class DiagnosticsFeed {
  readonly #journal: Journal
  readonly #known = new Map<string, Map<string, FileDiagnostics>>()
  /** What calls made of files lately, by content. */
  readonly #edits = new Map<string, string>()
  /** By workspace and server, what is to be told. */
  readonly #pending = new Map<string, { workspace: string; server: string; files: Map<string, PendingReport> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(journal: Journal, servers: Pick<LanguageServers, 'onDiagnostics'>) {
    this.#journal = journal
    servers.onDiagnostics(finding => this.#record(finding))
  }

  /** All that is known of a workspace at this moment. */
  snapshot(workspace: string): KnownDiagnostics {
    const known = this.#known.get(workspace)
    return known ? new Map(known) : EMPTY
  }

  /** A call has given a file this content. */
  recordEdit(workspace: string, path: string, hash: string, tool_call_id: string) {
    if (this.#known.size === 0) return
    this.#edits.delete(toKey(workspace, path, hash))
    this.#edits.set(toKey(workspace, path, hash), tool_call_id)
    dropOldest(this.#edits, MAX_EDITS)
  }

  close() {
    clearTimeout(this.#timer)
  }

  #record(finding: FileDiagnostics) {
    const { workspace, server, path, diagnostics } = finding
    const known = this.#known.get(workspace) ?? new Map<string, FileDiagnostics>()
    this.#known.set(workspace, known)
    const key = toKey(server, path)
    const before = known.get(key)?.diagnostics ?? []
    known.delete(key)
    known.set(key, finding)
    dropOldest(known, MAX_FILES)
    if (!areEqual(before, diagnostics)) this.#schedule(finding, before)
  }

  #schedule({ workspace, server, path, hash, diagnostics }: FileDiagnostics, before: readonly Diagnostic[]) {
    const key = toKey(workspace, server)
    const untold = this.#pending.get(key) ?? { workspace, server, files: new Map<string, PendingReport>() }
    this.#pending.set(key, untold)
    const tool_call_id = hash === undefined ? undefined : this.#edits.get(toKey(workspace, path, hash))
    const counts = {
      path,
      ...countBySeverity(diagnostics),
      ...(tool_call_id !== undefined && { by: { tool_call_id } })
    }
    untold.files.set(path, { was: untold.files.get(path)?.was ?? before, now: diagnostics, counts })
    this.#timer ??= setTimeout(() => this.#flush(), DEBOUNCE_MS).unref()
  }

  #flush() {
    this.#timer = undefined
    const events = [...this.#pending.values()].flatMap(({ workspace, server, files }) => {
      // Some servers take all back before they say it again.
      const others = [...files.values()].filter(({ was, now }) => !areEqual(was, now))
      return chunk(others, FILES_PER_EVENT).map(
        (part): DiagnosticsChangedEvent => ({
          type: 'diagnostics.changed',
          workspace,
          server,
          files: part.map(({ counts }) => counts)
        })
      )
    })
    this.#pending.clear()
    // A journal that fails is told of once, by the store.
    if (events.length > 0) this.#journal.append(events).catch(() => {})
  }
}

const EMPTY: KnownDiagnostics = new Map()

const toKey = (...parts: string[]) => parts.join('\0')

function dropOldest(all: Map<string, unknown>, most: number) {
  for (const oldest of all.keys()) {
    if (all.size <= most) return
    all.delete(oldest)
  }
}

export function countBySeverity(diagnostics: readonly Pick<Diagnostic, 'severity'>[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, information: 0, hint: 0 }
  for (const { severity } of diagnostics) counts[severity] += 1
  return counts
}

const areEqual = (a: readonly Diagnostic[], b: readonly Diagnostic[]) =>
  a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b))

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
