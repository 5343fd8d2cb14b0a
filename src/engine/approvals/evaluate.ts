// Evaluation of a call: resolved paths, effect, the policy's verdict, the preview, and the digest that binds a decision to all of
// it. Has no side effects.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../../errors.ts'
import type { EditorBuffer } from '../../host/editors/editor-buffers.ts'
import type { Host } from '../../host/host.ts'
import { steadyNow } from '../../steady-time.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { redactForDecision, redactParamsForDecision } from '../../text/secrets/credentials.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { joinLines } from '../../text/title-line.ts'
import { primaryParam } from '../../tool/primary-param.ts'
import type { ExternalToolIdentity, ForcedReview, PathUse } from '../../tool/tool.ts'
import type { ActiveCall, CallEvaluation, TrackingKind } from '../active-call.ts'
import type { Approval, Preview } from '../call.ts'
import { assertEditorsReachable, unsavedNotesBefore } from '../editors/editor-writes.ts'
import type { Engine } from '../engine.ts'
import { createHistory } from '../history.ts'
import { hookNotes } from '../hooks/hook-notes.ts'
import { resolveCommandFacts } from '../policy/command-facts.ts'
import {
  classifyApproval,
  findChangedSource,
  findCommandSources,
  findMisreadSource,
  findUnshownSource
} from '../policy/command-sources.ts'
import { resolveIsolation, selectIsolation } from '../policy/isolation.ts'
import { evaluatePolicy, findGuardedGlobs } from '../policy/policy.ts'
import type {
  CommandFacts,
  PolicyInput,
  PolicyVerdict,
  ResolvedIsolation,
  UnsavedFile
} from '../policy/policy-input.ts'
import { shellScope } from '../shells.ts'
import { addBeyondUndo } from './beyond-undo.ts'
import { commandNotes } from './command-notes.ts'
import { findDisplacement } from './displaced-files.ts'
import { getEffectiveRules } from './effective-rules.ts'
import { listFileHrefs } from './preview-files.ts'
import { assertShowable, CUT_PREVIEW, limitPreview, type PreviewLimits } from './preview-limits.ts'
import { previewSources, sourceIdentity } from './source-previews.ts'
import { createStaleFileError } from './stale-file.ts'
import { getUrlFacts } from './url-access.ts'
import { canRevealResolved } from './visibility.ts'
import { formatCutNote } from './whole-preview.ts'

/** Throws WORKSPACE_GONE if the folder of the call's workspace is not there. A job, which is ended by such a tool, may outlive it. */
export function assertWorkspacePresent({ presence }: Engine, { tool, call }: ActiveCall) {
  if (!tool.skipsQueue) presence.assertPresent(call.workspace)
}

/** Resolves what the call would touch: the input of the policy, before any rule is applied. Throws on semantic errors in the params. */
export async function resolveCallFacts(engine: Engine, live: ActiveCall, params: unknown) {
  const { tool, ctx, host, call, may_approve } = live
  assertWorkspacePresent(engine, live)
  // The call acts on the same history that it is evaluated on.
  ctx.history = createHistory(engine, ctx.workspace.name, live)
  const shell = tool.shell?.(params)
  ctx.shell = shell === undefined ? undefined : engine.shells.open(shellScope(live), shell)
  const subject = tool.subject(params, ctx.history, ctx.shell)
  host.files.allowedChanges.restrict()
  const named = subject.paths ?? []
  const paths = named.map(use => resolvePathUse(host, use))
  // Each named path must be inside the workspace before anything is read for it.
  const touched = (await tool.touches?.(params, ctx)) ?? []
  paths.push(
    ...touched.map(use => resolvePathUse(host, use)),
    ...(await resolveRenamedPaths(host, [...named, ...touched]))
  )
  if (call.if_match !== undefined) addIfMatch(paths, call.if_match)
  const invocation = await tool.invocation?.(params, ctx)
  ctx.invocation = invocation
  const line = invocation ? (invocation.commandLine ?? quoteArgv(invocation.argv)) : subject.command
  const cwd = line === undefined ? undefined : host.files.resolve(invocation?.cwd ?? subject.cwd ?? '.').path
  const surroundings = engine.serverResources()
  const command = line === undefined ? undefined : await resolveCommandFacts(line, { ...host, cwd: cwd!, surroundings })
  const request = { ...subject.isolation, ...(invocation?.network && { network: invocation.network }) }
  const resolvedIsolation =
    command || subject.isolation ? await withReadableSecrets(await resolveIsolation(engine, request), host) : undefined
  const sources = command && (await findSources(engine, live, command))
  const externalTool = await tool.known_as?.(params, ctx)
  assertNotDenied(engine, live, externalTool)
  const ownEffect = typeof tool.effect === 'function' ? await tool.effect(params, ctx) : tool.effect
  const displacement =
    ownEffect === 'create' ? await findDisplacement(engine, live, { paths, uses: [...named, ...touched] }) : undefined
  const effect = displacement === undefined ? ownEffect : 'write'
  const question: PolicyInput = {
    tool: tool.name,
    alternateNames: engine.tools.alternateNames(tool.name),
    externalTool,
    category: tool.category,
    effect,
    params,
    primary: primaryParam(tool),
    paths,
    command,
    ...(sources && { sources: classifyApproval(sources) }),
    changedSource: sources && findChangedSource(sources),
    unshownSource: sources && findUnshownSource(sources),
    modifiers: subject.modifiers,
    envNames: subject.envNames,
    isolation: resolvedIsolation,
    longRunning: subject.longRunning,
    untracked: subject.untracked,
    ownedBySession: subject.ownedBySession,
    displacement,
    runningSource: engine.runningSources.explainWrite(call.workspace, paths),
    approvalReason: subject.approvalReason,
    strictReason: subject.strictReason ?? (sources && findMisreadSource(sources)),
    ruleRequiredReason: subject.ruleRequiredReason,
    ...(subject.url !== undefined && getUrlFacts(engine, subject.url)),
    url: subject.url,
    method: subject.sends?.method,
    sends: subject.sends?.parts,
    agent: call.agent,
    client: call.client,
    may_approve
  }
  return {
    paths,
    cwd,
    command,
    invocation,
    request,
    resolvedIsolation,
    sources,
    displacement,
    effect,
    callIds: subject.callIds,
    tracks: subject.tracks,
    question
  }
}

/** Resolves what the call would touch and evaluates the policy. Throws on semantic errors in the params. */
export async function evaluateCall(engine: Engine, live: ActiveCall, params: unknown): Promise<CallEvaluation> {
  const { tool, ctx, host } = live
  const facts = await resolveCallFacts(engine, live, params)
  const { paths, cwd, command, invocation, request, resolvedIsolation, sources, displacement, effect } = facts
  const rules = getEffectiveRules(engine, live)
  const question = await addBeyondUndo(engine, live, facts.question, [rules.mode])
  const verdict = evaluatePolicy(question, rules)
  const readsHistory = command?.parts.some(part => part.readsHistory) ?? false
  const unasked = toUnasked(live, question, verdict)
  if (resolvedIsolation)
    ctx.isolation = selectIsolation(engine, resolvedIsolation, {
      network: request.network,
      unasked,
      guarded: isUnapproved(live, verdict) ? findGuardedGlobs(question, rules) : undefined,
      readsHistory
    })
  const isolation = resolvedIsolation && ctx.isolation
  ctx.isReadOnly = command?.class === 'auto'
  const isSafeGit = unasked === 'by itself' || (unasked === 'by mode' && readsHistory)
  ctx.autoApproval = isSafeGit && command ? { ...(command.argv && { argv: command.argv }) } : undefined
  const found = {
    paths,
    command,
    cwd,
    calls: facts.callIds,
    invocation,
    isolation,
    sources,
    displaces: displacement !== undefined,
    tracking:
      unasked === 'by mode'
        ? { cover: { hides: findGuardedGlobs(question, rules) } }
        : selectTracking(engine, live, facts),
    effect,
    verdict,
    question
  }
  // Never reveal file contents to a caller that is denied.
  if (found.verdict.decision === 'deny') return found
  for (const { if_match: wanted, ...use } of paths) {
    if (wanted === undefined) continue
    const is = await host.files.contentHash(use.path)
    if (is === wanted || is === `sha256:${wanted}`) continue
    const shown = canRevealResolved(engine, live, use)
    throw await createStaleFileError(engine, live, params, { path: use.path, if_match: wanted, found: is, shown })
  }
  const forced = effect === 'read' ? undefined : await tool.always_ask?.(params, ctx)
  if (forced === undefined) return found
  const input = addForcedReview(question, forced)
  return { ...found, verdict: evaluatePolicy(input, rules), question: input }
}

/** Adds what a tool demands of the approval of a call. */
export const addForcedReview = (question: PolicyInput, forced: ForcedReview | undefined): PolicyInput =>
  typeof forced === 'object' ? { ...question, strictReason: forced.strict } : { ...question, always_ask: forced }

/** Returns true for a call that no person was asked about. */
const isUnapproved = ({ call }: ActiveCall, { decision }: PolicyVerdict) =>
  decision === 'allow' && !('approval' in call && call.approval)

/** Returns how a command runs without approval. A call that was asked about runs as approved, whatever the mode is by now. */
function toUnasked(
  { call }: ActiveCall,
  { command, isolation }: PolicyInput,
  { decision, source, mode }: PolicyVerdict
): 'by itself' | 'by mode' | undefined {
  if (decision !== 'allow') return undefined
  if (source === 'auto') return 'by itself'
  return mode !== undefined && command && isolation && !('approval' in call && call.approval) ? 'by mode' : undefined
}

/** Selects the tracking of a command, or of other code, that can change files of the workspace and ends with its call. */
function selectTracking(
  { settings }: Engine,
  { ctx }: ActiveCall,
  { command, question, tracks }: Awaited<ReturnType<typeof resolveCallFacts>>
): TrackingKind | undefined {
  if (!command && !tracks) return undefined
  if (ctx.isReadOnly || question.longRunning || ctx.isolation.level === 'read-only') return undefined
  if (tracks) return 'required'
  return (tracks ?? settings.undo.track_commands) ? 'possible' : undefined
}

async function withReadableSecrets(isolation: ResolvedIsolation, host: Host): Promise<ResolvedIsolation> {
  const readableSecrets = isolation.exposesWorkspace ? await host.findReadableSecrets(isolation.level) : []
  return readableSecrets.length > 0 ? { ...isolation, readableSecrets } : isolation
}

const findSources = ({ store }: Engine, { host, ctx }: ActiveCall, command: CommandFacts) =>
  findCommandSources(command, {
    files: host.files,
    root: ctx.workspace.root,
    approved: (path, entry) => store.approvedSource(ctx.workspace.root, path, entry),
    canReveal: path => ctx.canReveal({ path })
  })

/** Throws STALE_FILE if what the call's command executes is no longer what it was evaluated with. */
export async function assertSourcesUnchanged(engine: Engine, live: ActiveCall): Promise<void> {
  const { command, sources } = live.evaluation!
  const now = await findSources(engine, live, command!)
  if (now && sources && isDeepStrictEqual(sourceIdentity(now), sourceIdentity(sources))) return
  throw new ToolError('STALE_FILE', 'What the command executes has changed since it was decided on.')
}

/** Throws if the agent is denied the tool under any of its names. */
function assertNotDenied(
  { tools }: Engine,
  { call, may_approve }: ActiveCall,
  known_as: ExternalToolIdentity | undefined
) {
  const denied = known_as?.names.find(name => tools.isDenied(name, { agent: call.agent, may_approve }))
  if (denied !== undefined) throw new ToolError('UNKNOWN_TOOL', `There is no tool ${denied} for this agent.`)
}

/** Runs the tool's early check, unless policy denies the call anyway. */
export async function runEarlyCheck(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  { verdict, paths }: CallEvaluation
) {
  if (verdict.decision === 'deny') return
  assertEditorsReachable(engine, paths)
  await live.tool.check?.(params, live.ctx)
}

/** Settings of a preview. */
interface PreviewOptions {
  hooks?: ActiveCall['call']['hooks']
  limits?: PreviewLimits
}

interface BuiltPreview {
  preview: Preview
  /** The diff before it was limited, which can be applied. */
  wholeDiff: string | undefined
}

/** Builds the preview for the approver. */
async function buildPreview(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  evaluation: CallEvaluation,
  { hooks = live.call.hooks, limits = CUT_PREVIEW }: PreviewOptions
): Promise<BuiltPreview> {
  const whole = await getToolPreview(live, params)
  const own = limitPreview(whole, limits)
  assertShowable(whole)
  const shown: Preview = evaluation.sources ? previewSources(own, evaluation.sources, limits) : own
  const isCut = own.cut || shown.cut
  const command = commandNotes(evaluation, await findLevelState(engine, evaluation))
  const information = [...(shown.information ?? []), ...command.information]
  const notes = [
    ...(isCut ? [formatCutNote(live.call.tool_call_id)] : []),
    ...(shown.notes ?? []),
    ...command.notes,
    ...unsavedNotesBefore(engine, evaluation.paths),
    ...hookNotes(hooks)
  ]
  const { title, text, diff } = shown
  // Escape what a terminal would interpret or hide, including text from the author of the tool.
  const without = (one: string) => escapeInvisible(redactForDecision(engine.masking.maskForDecision(one)))
  const toLine = (one: string) => joinLines(without(one))
  const preview = {
    title: toLine(title),
    ...(text !== undefined && { text: without(text) }),
    ...(diff !== undefined && { diff }),
    ...(notes.length > 0 && { notes: notes.map(toLine) }),
    ...(information.length > 0 && { information: information.map(toLine) }),
    ...(isCut && { cut: true as const })
  }
  return { preview, wholeDiff: whole.diff }
}

async function findLevelState({ sandbox }: Engine, { isolation }: CallEvaluation) {
  const states = isolation ? await sandbox.states() : []
  return states.find(({ level }) => level === isolation?.level)
}

async function getToolPreview({ tool, ctx }: ActiveCall, params: unknown): Promise<Preview> {
  return (
    (await tool.preview?.(params, ctx)) ?? {
      title: tool.name,
      text: JSON.stringify(redactParamsForDecision(params), null, 2)
    }
  )
}

/**
 * Computes a sha256 over all preconditions of a decision: tool, params, folder, the content of each touched file and its editor
 * buffers, the preview (which lists a changed tree or compares with a displaced file), the earlier calls that it refers to, the
 * program that it starts, the content of the files that a command executes, the state of its shell, the sandbox, the version of the
 * tool, and the tool's own preconditions.
 */
export async function computeDigest(
  live: ActiveCall,
  params: unknown,
  { paths, cwd, calls, invocation, isolation, sources, displaces }: CallEvaluation
): Promise<string> {
  const { tool, host, ctx } = live
  const images = paths
    .filter(({ access }) => access !== 'list')
    .map(({ path, unsaved = [] }) => [path, host.files.preimage(path), ...unsaved.map(({ hash }) => hash)])
  const lists = displaces || paths.some(use => use.tree && use.access === 'write')
  const tree = lists ? await getToolPreview(live, params) : null
  return createHash('sha256')
    .update(
      JSON.stringify([
        tool.name,
        params,
        cwd ?? null,
        images,
        tree,
        ...(calls ? [calls] : []),
        ...(invocation
          ? [invocation.argv, ...(invocation.commandLine === undefined ? [] : [invocation.commandLine])]
          : []),
        ...(isolation ? [isolation] : []),
        ...(sources ? [sourceIdentity(sources)] : []),
        ...(ctx.shell ? [ctx.shell] : []),
        ...(tool.version === undefined ? [] : [tool.version]),
        ...(tool.stands_on ? [await tool.stands_on(params, ctx)] : [])
      ])
    )
    .digest('hex')
}

/** The preview for the approver, and its digest. */
interface BoundPreview extends BuiltPreview {
  digest: string
}

/** Maximum number of attempts while the targets keep changing. */
const MAX_PREVIEW_ATTEMPTS = 20

/** Builds a preview that matches its digest; retries if files change during the build. */
export async function buildStablePreview(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  evaluation: CallEvaluation,
  options: PreviewOptions = {}
): Promise<BoundPreview> {
  let before = await computeDigest(live, params, evaluation)
  for (let look = 0; look < MAX_PREVIEW_ATTEMPTS; look += 1) {
    const made = await buildPreview(engine, live, params, evaluation, options)
    const after = await computeDigest(live, params, evaluation)
    if (after === before) return { ...made, digest: after }
    before = after
  }
  throw new ToolError(
    'CONFLICT',
    'What it is about changes all the while, so that nobody can be shown what it would do.'
  )
}

export async function buildApproval(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  evaluation: CallEvaluation,
  hooks = live.call.hooks
): Promise<Approval> {
  const { decision, reason, matched_rules, always_options } = evaluation.verdict
  const { ttl_ms } = engine.settings.approval
  const { preview, digest, wholeDiff } = await buildStablePreview(engine, live, params, evaluation, { hooks })
  const files = await listFileHrefs(engine, live, wholeDiff, digest)
  return {
    level: decision === 'strict' ? 'strict' : 'ask',
    reason,
    matched_rules,
    preview,
    digest,
    ...(files && { files }),
    expires_at: ttl_ms === 0 ? null : new Date(steadyNow() + ttl_ms).toISOString(),
    available_decisions: ['approve', 'reject'],
    always_options
  }
}

function resolvePathUse(
  { files }: ActiveCall['host'],
  { path, access, tree, entry, if_match }: PathUse
): CallEvaluation['paths'][number] {
  const found = entry ? files.resolveEntry(path) : files.resolve(path)
  if (access === 'write') files.allowedChanges.add(found.path, { given: path, tree: tree ?? false })
  const unsaved = access === 'list' ? [] : findUnsavedBuffers(files, found.path, tree)
  return {
    path: found.path,
    ...(found.path !== path && { given: path }),
    access,
    sensitive: found.sensitive,
    self_starting: found.self_starting,
    tree: tree ?? false,
    ...(found.protected && { protected: found.protected }),
    ...(unsaved.length > 0 && { unsaved: unsaved.map(toUnsavedFile) }),
    ...(if_match !== undefined && { if_match })
  }
}

/** Returns the files whose security classification changes with their new name, as if the call named them. */
async function resolveRenamedPaths(
  { files }: ActiveCall['host'],
  uses: readonly PathUse[]
): Promise<CallEvaluation['paths']> {
  const found: CallEvaluation['paths'] = []
  for (const { path, access, entry, renamed_to } of uses) {
    if (renamed_to === undefined) continue
    const [from, to] = [path, renamed_to].map(each => (entry ? files.peekEntry(each) : files.peek(each)))
    const effects = await files.findRenameEffects({ from: from!, to: to!, removesSource: access === 'write' })
    found.push(...effects.map(({ kind: _, ...use }) => ({ ...use, tree: true })))
  }
  return found
}

const findUnsavedBuffers = (files: ActiveCall['host']['files'], path: string, tree: boolean | undefined) =>
  tree ? files.unsavedIn(path) : files.unsavedAt(path)

const toUnsavedFile = ({ path, client, client_id, hash }: EditorBuffer): UnsavedFile => ({
  path,
  client,
  client_id,
  hash
})

/** Applies the request's `if_match` to the first file to be written. */
function addIfMatch(paths: CallEvaluation['paths'], if_match: string) {
  const target = paths.find(({ access }) => access === 'write')
  if (!target)
    throw new ToolError('INVALID_PARAMS', 'if_match is for calls that write a file.', {
      errors: [{ pointer: '/if_match', message: 'this call writes no file' }]
    })
  target.if_match ??= if_match
}
