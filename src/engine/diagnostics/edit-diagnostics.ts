// Diagnostics introduced by a call, from language servers that are already running: collected within a time limit and reported
// with the result. For a file without a running server, one is started for the next time.
import type { Diagnostic, DiagnosticsResult } from '../../host/lsp/language-service.ts'
import type { NewDiagnostic, NewDiagnostics } from '../../protocol/calls.ts'
import type { ActiveCall } from '../active-call.ts'
import { canReveal } from '../approvals/visibility.ts'
import type { Engine } from '../engine.ts'
import { type DiagnosticsDiff, diffDiagnostics } from './diagnostics-diff.ts'
import type { KnownDiagnostics } from './diagnostics-feed.ts'

const MAX_FILES = 20
/** Maximum number of changed files that are searched for those with a running server. */
const MAX_EXAMINED_FILES = 200
const MAX_REPORTED = 50
const MAX_MESSAGE_LENGTH = 500
/** Extra milliseconds in which a slow server can report that it is late. */
const GRACE_MS = 100
/** Maximum wait for the baseline before an edit, in milliseconds, for a file without known diagnostics. */
const BASELINE_TIMEOUT_MS = 500

/** Diagnostics known before the call acted. */
interface DiagnosticsBaseline {
  known: KnownDiagnostics
  requested: ReadonlyMap<string, Promise<DiagnosticsResult | undefined>>
  /**
   * Resolves when the baseline is complete. Await it before any change: without a baseline, new diagnostics cannot be
   * distinguished.
   */
  ready?: Promise<unknown>
}

/** Starts to request diagnostics of the files that a call is about to change. */
export function captureDiagnosticsBaseline(engine: Engine, live: ActiveCall): DiagnosticsBaseline | undefined {
  const ms = engine.settings.language_servers.diagnostics_after_edit_ms
  const { evaluation, host, call } = live
  if (ms === 0 || evaluation!.effect === 'read') return undefined
  const written = evaluation!.paths.filter(({ access, tree }) => access === 'write' && !tree).map(({ path }) => path)
  const running = [...new Set(written)].slice(0, MAX_FILES).filter(path => host.languages.isRunning(path))
  const known = engine.diagnostics.snapshot(call.workspace)
  const requested = new Map(running.map(path => [path, requestDiagnostics(live, path, ms)]))
  const isKnown = new Set([...known.values()].map(({ path }) => path))
  const needed = running.filter(path => !isKnown.has(path)).map(path => requested.get(path)!)
  return {
    known,
    requested,
    ...(needed.length > 0 && { ready: orTimeout(Promise.all(needed), Math.min(ms, BASELINE_TIMEOUT_MS)) })
  }
}

/** Returns the diagnostics that are new; undefined if nothing changed that a running server handles. */
export async function collectNewDiagnostics(
  engine: Engine,
  live: ActiveCall,
  before: DiagnosticsBaseline | undefined
): Promise<NewDiagnostics | undefined> {
  if (!before) return undefined
  const { host, call } = live
  const edits = listEdits(live).slice(0, MAX_EXAMINED_FILES)
  const running = edits.filter(({ path }) => host.languages.isRunning(path))
  const others = edits.filter(edit => !running.includes(edit)).slice(0, MAX_FILES)
  if (others.length > 0)
    engine.languageServers.warm(
      call.workspace,
      others.map(({ path }) => path)
    )
  if (running.length === 0) return undefined
  const ms = engine.settings.language_servers.diagnostics_after_edit_ms
  // Files with a baseline first.
  const [some = [], rest = []] = [true, false].map(is =>
    running.filter(({ from }) => before.requested.has(from) === is)
  )
  const queried = [...some, ...rest].slice(0, MAX_FILES)
  const answers = await Promise.all(
    queried.map(async edit => ({ edit, now: await orTimeout(requestDiagnostics(live, edit.path, ms), ms + GRACE_MS) }))
  )
  const found: DiagnosticsDiff[] = []
  let isCompared = true
  for (const { edit, now } of answers) {
    if (!now) continue
    const was = await getBaseline(edit, before)
    isCompared &&= was !== undefined
    found.push(
      diffDiagnostics(filterErrorsAndWarnings(was ?? []), filterErrorsAndWarnings(now.diagnostics), edit.shift)
    )
  }
  found.push(...compareOtherFiles(engine, live, before, edits))
  const fresh = found.flatMap(each => each.fresh)
  const all = answers.map(({ now }) => now?.status ?? 'timeout')
  const isWhole = all.every(status => status === 'complete') && queried.length === running.length
  return {
    status: isWhole ? 'complete' : all.every(status => status === 'timeout') ? 'timeout' : 'partial',
    new: fresh.slice(0, MAX_REPORTED).map(each => toNewDiagnostic(engine, live, each)),
    ...(fresh.length > MAX_REPORTED && { more: fresh.length - MAX_REPORTED }),
    gone: found.reduce((sum, { gone }) => sum + gone, 0),
    compared: isCompared,
    servers: [...new Set(answers.flatMap(({ now }) => now?.answered.map(({ server }) => server) ?? []))]
  }
}

/** Formats the new diagnostics as lines for a model and a person. */
export function formatNewDiagnostics({
  status,
  new: found,
  more = 0,
  gone,
  compared,
  servers
}: NewDiagnostics): string[] {
  const by = servers.length === 0 ? 'the language server' : servers.join(' and ')
  if (status === 'timeout') return [`(New errors are not known yet: ${by} did not answer in time.)`]
  const lines = found.map(({ path, line, column, severity, source, code, message }) => {
    const kind = [source, code].filter(word => word !== undefined).join(' ')
    return `${path}:${line}:${column}: ${severity}${kind === '' ? '' : ` (${kind})`}${message === undefined ? '' : `: ${message}`}`
  })
  const head = compared
    ? `New errors and warnings from ${by}:`
    : `Current errors and warnings from ${by}; it is not known which of them are new:`
  return [
    ...(lines.length > 0 ? [head, ...lines] : []),
    ...(more > 0 ? [`(${more} more are not listed.)`] : []),
    ...(lines.length === 0 && status === 'complete' ? [`(No new errors or warnings from ${by}.)`] : []),
    ...(gone > 0 ? [`(${gone} earlier errors and warnings are fixed.)`] : []),
    ...(status === 'partial' ? ['(The check is not complete yet: there may be more errors and warnings.)'] : [])
  ]
}

const requestDiagnostics = ({ host }: ActiveCall, path: string, within_ms: number) =>
  host.languages.diagnostics(path, { within_ms }).catch(() => undefined)

/** Resolves with undefined if the server misses the timeout. */
async function orTimeout<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}

interface Edit {
  path: string
  /** The path before the change. */
  from: string
  /** Hash of the previous content; undefined if there was none. */
  before_hash: string | undefined
  isNew: boolean
  shift: number
}

/** Lists every file that the call has changed, on disk and in editors, in its current state. */
function listEdits({ changes, editorChanges }: ActiveCall): Edit[] {
  const edits = new Map<string, Edit>()
  for (const { path, kind, operation, from = path, before_hash, from_hash, added = 0, removed = 0 } of changes) {
    edits.delete(from)
    if (kind !== undefined || operation === 'deleted') edits.delete(path)
    else {
      const isNew = operation === 'created'
      edits.set(path, { path, from, before_hash: from_hash ?? before_hash, isNew, shift: added - removed })
    }
  }
  for (const { path } of editorChanges)
    edits.set(path, { path, from: path, before_hash: undefined, isNew: false, shift: 0 })
  return [...edits.values()]
}

/** Returns the diagnostics of a file before the change; undefined if unknown. */
async function getBaseline(
  { path, from, before_hash, isNew }: Edit,
  { known, requested }: DiagnosticsBaseline
): Promise<readonly Diagnostic[] | undefined> {
  if (isNew) return []
  // An answer that has not arrived by now comes too late for the baseline.
  const answer = await Promise.race([requested.get(from), undefined])
  const seen = answer?.answered.find(({ document }) => document?.path === path)?.document?.hash
  if (answer?.status === 'complete' && (seen === undefined || seen === before_hash)) return answer.diagnostics
  const isOfThat = (hash: string | undefined) => hash === undefined || before_hash === undefined || hash === before_hash
  const findings = [...known.values()].filter(finding => finding.path === from && isOfThat(finding.hash))
  return findings.length === 0 ? undefined : findings.flatMap(({ diagnostics }) => diagnostics)
}

/** Compares the diagnostics published in the meantime for files that the call did not change. */
function compareOtherFiles(
  engine: Engine,
  { call }: ActiveCall,
  { known }: DiagnosticsBaseline,
  edits: readonly Edit[]
): DiagnosticsDiff[] {
  const own = new Set(edits.map(({ path }) => path))
  return [...engine.diagnostics.snapshot(call.workspace)].flatMap(([key, now]) => {
    const was = known.get(key)
    if (now === was || own.has(now.path) || was === undefined) return []
    return [diffDiagnostics(filterErrorsAndWarnings(was.diagnostics), filterErrorsAndWarnings(now.diagnostics))]
  })
}

const filterErrorsAndWarnings = (all: readonly Diagnostic[]) =>
  all.filter(({ severity }) => severity === 'error' || severity === 'warning')

function toNewDiagnostic(
  engine: Engine,
  live: ActiveCall,
  { path, start, end, severity, message, code, source }: Diagnostic
): NewDiagnostic {
  return {
    path,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    severity,
    ...(canReveal(engine, live, { path }) && { message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() }),
    ...(code !== undefined && { code }),
    ...(source !== undefined && { source })
  }
}
