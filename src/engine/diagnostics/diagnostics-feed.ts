// Feed of language server diagnostics per workspace: the latest ones of each file, and an event for each change.

import type { Journal } from '../../events/journal.ts'
import type { Diagnostic, FileDiagnostics, LanguageServers, Severity } from '../../host/lsp/language-service.ts'
import type { NewEvent } from '../../protocol/events.ts'

/** Reports within this interval are merged: a server that loads a project reports each file separately. */
const DEBOUNCE_MS = 200
const FILES_PER_EVENT = 100
/** Maximum number of files per workspace; the least recently reported are evicted. */
const MAX_FILES = 5_000
const MAX_EDITS = 1_000

type DiagnosticsChangedEvent = Extract<NewEvent, { type: 'diagnostics.changed' }>
type FileCounts = DiagnosticsChangedEvent['files'][number]

/** A pending report for a file: its diagnostics now, and those at the last report. */
interface PendingReport {
  was: readonly Diagnostic[]
  now: readonly Diagnostic[]
  counts: FileCounts
}

/** Keyed by server and path. */
export type KnownDiagnostics = ReadonlyMap<string, FileDiagnostics>

export class DiagnosticsFeed {
  readonly #journal: Journal
  readonly #known = new Map<string, Map<string, FileDiagnostics>>()
  /** Recent edits of calls, by content. */
  readonly #edits = new Map<string, string>()
  /** Pending reports, by workspace and server. */
  readonly #pending = new Map<string, { workspace: string; server: string; files: Map<string, PendingReport> }>()
  #timer: NodeJS.Timeout | undefined

  constructor(journal: Journal, servers: Pick<LanguageServers, 'onDiagnostics'>) {
    this.#journal = journal
    servers.onDiagnostics(finding => this.#record(finding))
  }

  /** Returns all known diagnostics of a workspace at this moment. */
  snapshot(workspace: string): KnownDiagnostics {
    const known = this.#known.get(workspace)
    return known ? new Map(known) : EMPTY
  }

  /** Records that a call has given a file this content. */
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
      // Some servers clear all diagnostics before they publish them again.
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
    // The store reports a journal failure once.
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
