// What a call would do right now: its paths resolved, its effect, policy's verdict, the preview, and the digest that
// binds a decision to all of it. Changes nothing.
import { createHash } from 'node:crypto'
import { ToolError } from '../../errors.ts'
import type { HeldBuffer } from '../../host/editors/editor-buffers.ts'
import { visible } from '../../text/escape-invisible.ts'
import { shellWords } from '../../text/shell-quote.ts'
import { primaryParam } from '../../tool/primary-param.ts'
import type { KnownAs, PathUse } from '../../tool/tool.ts'
import type { Assessment, Live } from '../active-call.ts'
import type { Approval, Preview } from '../call.ts'
import { mustReachEditors, notesBefore } from '../editors/editor-writes.ts'
import type { Engine } from '../engine.ts'
import { historyOf } from '../history.ts'
import { hookNotes } from '../hooks/hook-notes.ts'
import { judgedCommand } from '../policy/command-facts.ts'
import { isolationIn, keptFor } from '../policy/isolation.ts'
import { judge } from '../policy/policy.ts'
import type { HeldFile, Question } from '../policy/policy-input.ts'
import { commandNotes } from './command-notes.ts'
import { rulebook } from './effective-rules.ts'
import { staleFile } from './stale-file.ts'
import { reaching } from './url-access.ts'
import { mayShowAt } from './visibility.ts'

/** Finds what the call would touch and what policy says of it. Faults of the params' meaning are thrown. */
export async function assess(engine: Engine, live: Live, params: unknown): Promise<Assessment> {
  const { tool, ctx, host, call, may_approve, if_match } = live
  // What it finds of the past now is what it will act on.
  ctx.history = historyOf(engine, ctx.workspace.name, call)
  const subject = tool.subject(params, ctx.history)
  host.files.allowed.begin()
  const named = subject.paths ?? []
  const paths = named.map(use => resolve(host, use))
  // What is named must be inside the workspace before anything is looked at for it.
  const touched = (await tool.touches?.(params, ctx)) ?? []
  paths.push(...touched.map(use => resolve(host, use)), ...(await renamed(host, [...named, ...touched])))
  if (if_match !== undefined) addIfMatch(paths, if_match)
  const invocation = await tool.invocation?.(params, ctx)
  ctx.invocation = invocation
  const line = invocation ? (invocation.line ?? shellWords(invocation.argv)) : subject.command
  const cwd = line === undefined ? undefined : host.files.resolve(invocation?.cwd ?? subject.cwd ?? '.').path
  const surroundings = engine.surroundings()
  const command =
    line === undefined ? undefined : await judgedCommand(line, { files: host.files, cwd: cwd!, surroundings })
  const asked = { ...subject.isolation, ...(invocation?.network && { network: invocation.network }) }
  const kept = command || subject.isolation ? await keptFor(engine, asked) : undefined
  const known_as = await tool.known_as?.(params, ctx)
  refuseDenied(engine, live, known_as)
  const effect = typeof tool.effect === 'function' ? await tool.effect(params, ctx) : tool.effect
  const question: Question = {
    tool: tool.name,
    other_names: engine.tools.otherNames(tool.name),
    known_as,
    category: tool.category,
    effect,
    params,
    primary: primaryParam(tool),
    paths,
    command,
    alters: subject.alters,
    variables: subject.variables,
    kept,
    lasts: subject.lasts,
    own: subject.own,
    because: subject.because,
    strict: subject.strict,
    only_by_rule: subject.only_by_rule,
    ...(subject.url !== undefined && reaching(engine, subject.url)),
    url: subject.url,
    method: subject.sends?.method,
    sends: subject.sends?.parts,
    agent: call.agent,
    client: call.client,
    may_approve
  }
  const rules = rulebook(engine, live)
  const verdict = judge(question, rules)
  const byItself = verdict.decision === 'allow' && verdict.source === 'auto'
  if (kept) ctx.isolation = isolationIn(engine, kept, { network: asked.network, byItself })
  const isolation = kept && ctx.isolation
  ctx.only_reads = command?.class === 'auto'
  ctx.by_itself = byItself && command ? { ...(command.argv && { argv: command.argv }) } : undefined
  const found = { paths, command, cwd, calls: subject.calls, invocation, isolation, effect, verdict, question }
  // Nothing of what files hold is told to whoever is refused.
  if (found.verdict.decision === 'deny') return found
  for (const { if_match: wanted, ...use } of paths) {
    if (wanted === undefined) continue
    const is = host.files.preimage(use.path)
    if (is === wanted || is === `sha256:${wanted}`) continue
    const shown = mayShowAt(engine, live, use)
    throw await staleFile(engine, live, params, { path: use.path, if_match: wanted, found: is, shown })
  }
  const always_ask = effect === 'read' ? undefined : await tool.always_ask?.(params, ctx)
  if (always_ask === undefined) return found
  const anew = { ...question, always_ask }
  return { ...found, verdict: judge(anew, rules), question: anew }
}

/** What an agent may not call by its own name it may not call by another one either. */
function refuseDenied({ tools }: Engine, { call, may_approve }: Live, known_as: KnownAs | undefined) {
  const denied = known_as?.names.find(name => tools.denies(name, { agent: call.agent, may_approve }))
  if (denied !== undefined) throw new ToolError('UNKNOWN_TOOL', `There is no tool ${denied} for this agent.`)
}

/** Runs the tool's own early check, unless policy refuses the call anyway. */
export async function checkEarly(engine: Engine, live: Live, params: unknown, { verdict, paths }: Assessment) {
  if (verdict.decision === 'deny') return
  mustReachEditors(engine, paths)
  await live.tool.check?.(params, live.ctx)
}

/** What an approver is shown. */
export async function preview(
  engine: Engine,
  live: Live,
  params: unknown,
  assessment: Assessment,
  hooks = live.call.hooks
): Promise<Preview> {
  const shown = await previewOf(live, params)
  const notes = [
    ...(shown.notes ?? []),
    ...commandNotes(assessment, await lacksOf(engine, assessment)),
    ...notesBefore(engine, assessment.paths),
    ...hookNotes(hooks)
  ]
  const { title, text, diff } = shown
  // Whoever wrote the tool, what a screen would obey or hide is written out.
  const without = (one: string) => visible(engine.masking.maskedToDecideOn(one))
  return {
    title: without(title),
    ...(text !== undefined && { text: without(text) }),
    ...(diff !== undefined && { diff }),
    ...(notes.length > 0 && { notes: notes.map(without) })
  }
}

async function lacksOf({ sandbox }: Engine, { isolation }: Assessment) {
  const states = isolation ? await sandbox.states() : []
  return states.find(({ level }) => level === isolation?.level)?.lacks
}

async function previewOf({ tool, ctx }: Live, params: unknown): Promise<Preview> {
  return (await tool.preview?.(params, ctx)) ?? { title: tool.name, text: JSON.stringify(params, null, 2) }
}

/** sha256 over everything that must still be so for a decision to hold: tool, params, folder, the content of each file
 * touched and of what editors hold of it, where a whole tree would change, the preview that lists it, the earlier
 * calls that it is about, the program that it starts, what keeps that, which version of the tool it is, and what else the
 * tool says that it stands on. */
export async function digest(
  live: Live,
  params: unknown,
  { paths, cwd, calls, invocation, isolation }: Assessment
): Promise<string> {
  const { tool, host, ctx } = live
  const images = paths
    .filter(({ access }) => access !== 'list')
    .map(({ path, unsaved = [] }) => [path, host.files.preimage(path), ...unsaved.map(({ hash }) => hash)])
  const tree = paths.some(use => use.tree && use.access === 'write') ? await previewOf(live, params) : null
  return createHash('sha256')
    .update(
      JSON.stringify([
        tool.name,
        params,
        cwd ?? null,
        images,
        tree,
        ...(calls ? [calls] : []),
        ...(invocation ? [invocation.argv, ...(invocation.line === undefined ? [] : [invocation.line])] : []),
        ...(isolation ? [isolation] : []),
        ...(tool.version === undefined ? [] : [tool.version]),
        ...(tool.stands_on ? [await tool.stands_on(params, ctx)] : [])
      ])
    )
    .digest('hex')
}

/** What an approver is shown, and the digest of just that. */
export interface Shown {
  preview: Preview
  digest: string
}

/** How often it is looked at anew while what it is about changes. */
const LOOKS = 20

/** Files may change while they are looked at: then what is shown would not be what its digest says. */
export async function shown(
  engine: Engine,
  live: Live,
  params: unknown,
  assessment: Assessment,
  hooks = live.call.hooks
): Promise<Shown> {
  let before = await digest(live, params, assessment)
  for (let look = 0; look < LOOKS; look += 1) {
    const made = await preview(engine, live, params, assessment, hooks)
    const after = await digest(live, params, assessment)
    if (after === before) return { preview: made, digest: after }
    before = after
  }
  throw new ToolError(
    'CONFLICT',
    'What it is about changes all the while, so that nobody can be shown what it would do.'
  )
}

export async function approval(
  engine: Engine,
  live: Live,
  params: unknown,
  assessment: Assessment,
  hooks = live.call.hooks
): Promise<Approval> {
  const { decision, reason, matched_rules, always_options } = assessment.verdict
  const { ttl_ms } = engine.settings.approval
  return {
    level: decision === 'strict' ? 'strict' : 'ask',
    reason,
    matched_rules,
    ...(await shown(engine, live, params, assessment, hooks)),
    expires_at: ttl_ms === 0 ? null : new Date(Date.now() + ttl_ms).toISOString(),
    available_decisions: ['approve', 'reject'],
    always_options
  }
}

function resolve(
  { files }: Live['host'],
  { path, access, tree, entry, if_match }: PathUse
): Assessment['paths'][number] {
  const found = entry ? files.resolveEntry(path) : files.resolve(path)
  if (access === 'write') files.allowed.add(found.path, { given: path, tree: tree ?? false })
  const unsaved = access === 'list' ? [] : heldOf(files, found.path, tree)
  return {
    path: found.path,
    ...(found.path !== path && { given: path }),
    access,
    sensitive: found.sensitive,
    self_starting: found.self_starting,
    tree: tree ?? false,
    ...(found.protected && { protected: found.protected }),
    ...(unsaved.length > 0 && { unsaved: unsaved.map(asHeldFile) }),
    ...(if_match !== undefined && { if_match })
  }
}

/** What means another thing to security under its new name, as if it were named. */
async function renamed({ files }: Live['host'], uses: readonly PathUse[]): Promise<Assessment['paths']> {
  const found: Assessment['paths'] = []
  for (const { path, access, entry, renamed_to } of uses) {
    if (renamed_to === undefined) continue
    const [from, to] = [path, renamed_to].map(each => (entry ? files.peekEntry(each) : files.peek(each)))
    const beneath = await files.renamed({ from: from!, to: to!, leaves: access === 'write' })
    found.push(...beneath.map(({ kind: _, ...use }) => ({ ...use, tree: true })))
  }
  return found
}

const heldOf = (files: Live['host']['files'], path: string, tree: boolean | undefined) =>
  tree ? files.unsavedIn(path) : files.unsavedAt(path)

const asHeldFile = ({ path, client, client_id, hash }: HeldBuffer): HeldFile => ({ path, client, client_id, hash })

/** A hash given with the request is for the first file that would be written. */
function addIfMatch(paths: Assessment['paths'], if_match: string) {
  const target = paths.find(({ access }) => access === 'write')
  if (!target)
    throw new ToolError('INVALID_PARAMS', 'if_match is for calls that write a file.', {
      errors: [{ pointer: '/if_match', message: 'this call writes no file' }]
    })
  target.if_match ??= if_match
}
