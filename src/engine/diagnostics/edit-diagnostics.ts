// What a call's changes break, by the language servers that run already: found out before its result is told, within a
// bound, and told with it. Where no server runs for a file, one is got ready for the next time.
import type { Diagnosed, Diagnostic } from '../../host/lsp/language-service.ts'
import type { Live } from '../active-call.ts'
import { mayShow } from '../approvals/visibility.ts'
import type { NewDiagnostic, NewDiagnostics } from '../call.ts'
import type { Engine } from '../engine.ts'
import { type Compared, compared } from './diagnostics-diff.ts'
import type { Known } from './diagnostics-feed.ts'

const MOST_FILES = 20
/** Of all that a command may change, so many are looked at to find those. */
const MOST_LOOKED_AT = 200
const MOST_TOLD = 50
const LONGEST_MESSAGE = 500
/** What a server that is late may take to say that it is. */
const GRACE_MS = 100
/** How long an edit waits at most to be told what is wrong with a file that nobody has asked about yet. */
const BEFORE_MS = 500

/** What was known before the call acted. */
export interface Before {
  known: Known
  asked: ReadonlyMap<string, Promise<Diagnosed | undefined>>
  /** Worth waiting for before anything changes: without it nobody could say what is new. */
  needed?: Promise<unknown>
}

/** Begins to ask what is wrong with the files that a call is about to change. */
export function lookBefore(engine: Engine, live: Live): Before | undefined {
  const ms = engine.settings.language_servers.diagnostics_after_edit_ms
  const { assessment, host, call } = live
  if (ms === 0 || assessment!.effect === 'read') return undefined
  const written = assessment!.paths.filter(({ access, tree }) => access === 'write' && !tree).map(({ path }) => path)
  const running = [...new Set(written)].slice(0, MOST_FILES).filter(path => host.languages.runs(path))
  const known = engine.findings.of(call.workspace)
  const asked = new Map(running.map(path => [path, ask(live, path, ms)]))
  const isKnown = new Set([...known.values()].map(({ path }) => path))
  const needed = running.filter(path => !isKnown.has(path)).map(path => asked.get(path)!)
  return { known, asked, ...(needed.length > 0 && { needed: inTime(Promise.all(needed), Math.min(ms, BEFORE_MS)) }) }
}

/** What is wrong now that was not before; undefined where nothing changed that a running server knows of. */
export async function lookAfter(
  engine: Engine,
  live: Live,
  before: Before | undefined
): Promise<NewDiagnostics | undefined> {
  if (!before) return undefined
  const { host, call } = live
  const edits = editsOf(live).slice(0, MOST_LOOKED_AT)
  const running = edits.filter(({ path }) => host.languages.runs(path))
  const others = edits.filter(edit => !running.includes(edit)).slice(0, MOST_FILES)
  if (others.length > 0)
    engine.languages.warm(
      call.workspace,
      others.map(({ path }) => path)
    )
  if (running.length === 0) return undefined
  const ms = engine.settings.language_servers.diagnostics_after_edit_ms
  // Those first of which it can be said what is new.
  const [some = [], rest = []] = [true, false].map(is => running.filter(({ from }) => before.asked.has(from) === is))
  const asked = [...some, ...rest].slice(0, MOST_FILES)
  const answers = await Promise.all(
    asked.map(async edit => ({ edit, now: await inTime(ask(live, edit.path, ms), ms + GRACE_MS) }))
  )
  const found: Compared[] = []
  let isCompared = true
  for (const { edit, now } of answers) {
    if (!now) continue
    const was = await knownBefore(edit, before)
    isCompared &&= was !== undefined
    found.push(compared(grave(was ?? []), grave(now.diagnostics), edit.shift))
  }
  found.push(...elsewhere(engine, live, before, edits))
  const fresh = found.flatMap(each => each.fresh)
  const all = answers.map(({ now }) => now?.status ?? 'timeout')
  const isWhole = all.every(status => status === 'complete') && asked.length === running.length
  return {
    status: isWhole ? 'complete' : all.every(status => status === 'timeout') ? 'timeout' : 'partial',
    new: fresh.slice(0, MOST_TOLD).map(each => told(engine, live, each)),
    ...(fresh.length > MOST_TOLD && { more: fresh.length - MOST_TOLD }),
    gone: found.reduce((sum, { gone }) => sum + gone, 0),
    compared: isCompared,
    servers: [...new Set(answers.flatMap(({ now }) => now?.answered.map(({ server }) => server) ?? []))]
  }
}

/** The same as lines for a model and a person. */
export function newDiagnosticsNotes({
  status,
  new: found,
  more = 0,
  gone,
  compared,
  servers
}: NewDiagnostics): string[] {
  const by = servers.length === 0 ? 'the language server' : servers.join(' and ')
  if (status === 'timeout') return [`(What this breaks is not known yet: ${by} has not answered in time.)`]
  const lines = found.map(({ path, line, column, severity, source, code, message }) => {
    const kind = [source, code].filter(word => word !== undefined).join(' ')
    return `${path}:${line}:${column}: ${severity}${kind === '' ? '' : ` (${kind})`}${message === undefined ? '' : `: ${message}`}`
  })
  const head = compared
    ? `New errors and warnings, by ${by}:`
    : `Errors and warnings that are there now, by ${by}; which of them are new is not known:`
  return [
    ...(lines.length > 0 ? [head, ...lines] : []),
    ...(more > 0 ? [`(${more} more.)`] : []),
    ...(lines.length === 0 && status === 'complete' ? [`(No new errors or warnings, by ${by}.)`] : []),
    ...(gone > 0 ? [`(${gone} that were there before are gone.)`] : []),
    ...(status === 'partial' ? ['(Not all has been looked at yet: there may be more.)'] : [])
  ]
}

const ask = ({ host }: Live, path: string, within_ms: number) =>
  host.languages.diagnostics(path, { within_ms }).catch(() => undefined)

/** A server that does not keep to its time is not waited for. */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}

interface Edit {
  path: string
  /** Where it was before. */
  from: string
  /** Of what was there before; undefined where nothing was. */
  before_hash: string | undefined
  is_new: boolean
  shift: number
}

/** Every file that the call has changed, in files and in editors, as it is now. */
function editsOf({ changes, in_editors }: Live): Edit[] {
  const edits = new Map<string, Edit>()
  for (const { path, kind, operation, from = path, before_hash, from_hash, added = 0, removed = 0 } of changes) {
    edits.delete(from)
    if (kind !== undefined || operation === 'deleted') edits.delete(path)
    else {
      const is_new = operation === 'created'
      edits.set(path, { path, from, before_hash: from_hash ?? before_hash, is_new, shift: added - removed })
    }
  }
  for (const { path } of in_editors)
    edits.set(path, { path, from: path, before_hash: undefined, is_new: false, shift: 0 })
  return [...edits.values()]
}

/** What was wrong with a file before; undefined where nobody knew. */
async function knownBefore(
  { path, from, before_hash, is_new }: Edit,
  { known, asked }: Before
): Promise<readonly Diagnostic[] | undefined> {
  if (is_new) return []
  // What is not answered by now is of no use.
  const answer = await Promise.race([asked.get(from), undefined])
  const seen = answer?.answered.find(({ document }) => document?.path === path)?.document?.hash
  if (answer?.status === 'complete' && (seen === undefined || seen === before_hash)) return answer.diagnostics
  const isOfThat = (hash: string | undefined) => hash === undefined || before_hash === undefined || hash === before_hash
  const findings = [...known.values()].filter(finding => finding.path === from && isOfThat(finding.hash))
  return findings.length === 0 ? undefined : findings.flatMap(({ diagnostics }) => diagnostics)
}

/** What servers have said meanwhile of files that the call did not change. */
function elsewhere(engine: Engine, { call }: Live, { known }: Before, edits: readonly Edit[]): Compared[] {
  const own = new Set(edits.map(({ path }) => path))
  return [...engine.findings.of(call.workspace)].flatMap(([key, now]) => {
    const was = known.get(key)
    if (now === was || own.has(now.path) || was === undefined) return []
    return [compared(grave(was.diagnostics), grave(now.diagnostics))]
  })
}

const grave = (all: readonly Diagnostic[]) =>
  all.filter(({ severity }) => severity === 'error' || severity === 'warning')

function told(
  engine: Engine,
  live: Live,
  { path, start, end, severity, message, code, source }: Diagnostic
): NewDiagnostic {
  return {
    path,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
    severity,
    ...(mayShow(engine, live, { path }) && { message: message.slice(0, LONGEST_MESSAGE).toWellFormed() }),
    ...(code !== undefined && { code }),
    ...(source !== undefined && { source })
  }
}
