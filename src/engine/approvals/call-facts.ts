// The facts of a call, on which policy decides: its paths and its command as they are in the workspace now.
import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '../../errors.ts'
import type { EditorBuffer } from '../../host/editors/editor-buffers.ts'
import type { Host } from '../../host/host.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { primaryParam } from '../../tool/primary-param.ts'
import type {
  CommandRequest,
  Effect,
  ExternalToolIdentity,
  IsolationRequest,
  PathUse,
  Request
} from '../../tool/request.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { EvaluatedPath } from '../evaluation.ts'
import { findExecutedCommand, resolveCommandFacts } from '../policy/command-facts.ts'
import {
  type CommandSources,
  classifyApproval,
  type ExecutedCommand,
  findChangedSource,
  findCommandSources,
  findMisreadSource,
  findUnshownSource
} from '../policy/command-sources.ts'
import { resolveIsolation } from '../policy/isolation.ts'
import type { CommandFacts, PolicyInput, ResolvedIsolation, UnsavedFile } from '../policy/policy-input.ts'
import { findDisplacement } from './displaced-files.ts'
import { sourceIdentity } from './source-previews.ts'
import { getUrlFacts } from './url-access.ts'
import { canRevealResolved, peekAsUsed } from './visibility.ts'

/** Paths that a call names, with their facts. */
interface PathsOfCall {
  uses: readonly PathUse[]
  paths: readonly EvaluatedPath[]
}

/** The command of a call with its facts. */
export interface CommandOfCall {
  request: CommandRequest | undefined
  cwd: string | undefined
  facts: CommandFacts | undefined
  isolationRequest: IsolationRequest
  isolation: ResolvedIsolation | undefined
  executed: ExecutedCommand | undefined
  sources: CommandSources | undefined
}

/** All facts of a call; `question` is the input of the policy. */
export interface FactsOfCall {
  named: PathsOfCall
  command: CommandOfCall
  displacement: string | undefined
  effect: Effect
  question: PolicyInput
}

/** Resolves the paths of a call, also those whose classification changes with a rename. */
export async function resolvePaths(host: Host, uses: readonly PathUse[]): Promise<PathsOfCall> {
  const paths = uses.map(use => resolvePathUse(host, use))
  paths.push(...(await resolveRenamedPaths(host, uses)))
  return { uses, paths }
}

/** Resolves the command that a call runs. */
export async function resolveCommand(
  engine: Engine,
  live: ActiveCall,
  request: CommandRequest | undefined
): Promise<CommandOfCall> {
  const { host } = live
  const { program, line: text, cwd: folder = '.', isolation } = request ?? {}
  const line = program ? (program.commandLine ?? quoteArgv(program.argv)) : text
  const cwd = line === undefined ? undefined : host.files.resolve(host.files.accept(program?.cwd ?? folder)).path
  const surroundings = engine.serverResources()
  const facts = line === undefined ? undefined : await resolveCommandFacts(line, { ...host, cwd: cwd!, surroundings })
  const execution = request?.execution
  const executed = execution
    ? await findExecutedCommand(execution, host.files.resolve(host.files.accept(folder)).path, facts)
    : facts
  const isolationRequest = { ...isolation, ...(program?.network && { network: program.network }) }
  return {
    request,
    cwd,
    facts,
    isolationRequest,
    isolation:
      facts || isolation
        ? await withReadableSecrets(await resolveIsolation(engine, isolationRequest), host)
        : undefined,
    executed,
    sources: executed && (await findSources(engine, live, executed))
  }
}

/** Gathers the facts of a call from its request and its resolved paths and command. */
export async function gatherFacts(
  engine: Engine,
  live: ActiveCall,
  params: unknown,
  { request, named, command }: { request: Request; named: PathsOfCall; command: CommandOfCall }
): Promise<FactsOfCall> {
  const { tool, call, may_approve } = live
  const { uses } = named
  const ownEffect = effectOf(live, request)
  const paths = named.paths.map(one => (mattersToStart(one, ownEffect) ? withSelfStarting(live.host, one) : one))
  const { url, reasons = {}, externalTool, earlierCalls } = request
  const alwaysAsk = reasons.ask ?? explainUncheckedHash(engine, live, named)
  assertNotDenied(engine, live, externalTool)
  const displacement = ownEffect === 'create' ? await findDisplacement(engine, live, { paths, uses }) : undefined
  const effect = displacement === undefined ? ownEffect : 'write'
  const { request: commandRequest, sources } = command
  const question: PolicyInput = {
    tool: tool.name,
    alternateNames: engine.tools.alternateNames(tool.name),
    externalTool,
    category: tool.category,
    effect,
    params,
    primary: primaryParam(tool),
    paths,
    command: command.facts,
    ...(sources && { sources: classifyApproval(sources) }),
    changedSource: sources && findChangedSource(sources),
    unshownSource: sources && findUnshownSource(sources),
    modifiers: commandRequest?.modifiers,
    envNames: commandRequest?.envNames,
    isolation: command.isolation,
    longRunning: commandRequest?.longRunning,
    untracked: commandRequest?.untracked,
    ownedBySession: earlierCalls?.ownedBySession,
    displacement,
    runningSource: engine.runningSources.explainWrite(call.workspace, paths),
    approvalReason: reasons.approval,
    strictReason: reasons.strict ?? (sources && findMisreadSource(sources)),
    ...(alwaysAsk !== undefined && { always_ask: alwaysAsk }),
    ruleRequiredReason: reasons.rule,
    ...(url && getUrlFacts(engine, url.url)),
    url: url?.url,
    method: url?.sends?.method,
    sends: url?.sends?.parts,
    agent: call.agent,
    client: call.client,
    may_approve
  }
  return { named: { uses, paths }, command, displacement, effect, question }
}

/** A read executes nothing, so what programs make of its files is not looked up. */
const mattersToStart = ({ access, self_starting }: EvaluatedPath, effect: Effect) =>
  !self_starting && (access === 'write' || effect !== 'read')

/** Returns a path with whether programs execute or interpret it automatically, also because git's configuration names it. */
export function withSelfStarting({ files }: Host, path: EvaluatedPath): EvaluatedPath {
  return files.isSelfStarting(path) ? { ...path, self_starting: true } : path
}

/** Returns why a call asks that names the hash of a file which may not be revealed: its end would confirm or refute a guess. */
function explainUncheckedHash(engine: Engine, live: ActiveCall, { paths }: PathsOfCall): string | undefined {
  const hidden = paths.find(use => use.if_match !== undefined && !canRevealResolved(engine, live, use))
  return (
    hidden &&
    `The content of ${hidden.path} is hidden until the call is approved. Its hash is compared with if_match when the call runs.`
  )
}

function effectOf({ tool }: ActiveCall, { effect }: Request): Effect {
  if (effect !== undefined) return effect
  if (tool.effect !== 'depends') return tool.effect
  throw new Error(`The request of ${tool.name} has no effect.`)
}

async function withReadableSecrets(isolation: ResolvedIsolation, host: Host): Promise<ResolvedIsolation> {
  const readableSecrets = isolation.exposesWorkspace ? await host.findReadableSecrets(isolation.level) : []
  return readableSecrets.length > 0 ? { ...isolation, readableSecrets } : isolation
}

const findSources = ({ store }: Engine, { host, workspace, services }: ActiveCall, command: ExecutedCommand) =>
  findCommandSources(command, {
    files: host.files,
    root: workspace.root,
    approved: (path, entry) => store.approvedSource(workspace.root, path, entry),
    canReveal: path => services.canReveal({ path })
  })

/** Throws STALE_FILE if what the call's command executes is no longer what it was evaluated with. */
export async function assertSourcesUnchanged(engine: Engine, live: ActiveCall): Promise<void> {
  const { executed, sources } = live.evaluation!
  const now = await findSources(engine, live, executed!)
  if (now && sources && isDeepStrictEqual(sourceIdentity(now), sourceIdentity(sources))) return
  throw new ToolError(
    'STALE_FILE',
    'The scripts that the command executes have changed since the command was approved.'
  )
}

/** Throws if the agent is denied the external tool under any of its names. */
function assertNotDenied(
  { tools }: Engine,
  { call, may_approve }: ActiveCall,
  externalTool: ExternalToolIdentity | undefined
) {
  const denied = externalTool?.names.find(name => tools.isDenied(name, { agent: call.agent, may_approve }))
  if (denied !== undefined) throw new ToolError('UNKNOWN_TOOL', `The tool ${denied} is not available to this agent.`)
}

function resolvePathUse(
  { files }: Host,
  { path, access, tree, entry, literal, exact, if_match, renamed_to }: PathUse
): EvaluatedPath {
  if (!literal && !exact) files.accept(path)
  const found = literal ? files.resolveLiteral(path) : entry ? files.resolveEntry(path) : files.resolve(path)
  if (access === 'write') files.allowedChanges.add(found.path, { given: path, tree: tree ?? false })
  const unsaved = access === 'list' ? [] : findUnsavedBuffers(files, found.path, tree)
  return {
    path: found.path,
    ...(found.path !== path && { given: path }),
    ...(found.asked !== undefined && { asked: found.asked }),
    access,
    sensitive: found.sensitive,
    self_starting: found.self_starting,
    tree: tree ?? false,
    ...(renamed_to !== undefined && { moved: true }),
    ...(found.protected && { protected: found.protected }),
    ...(unsaved.length > 0 && { unsaved: unsaved.map(toUnsavedFile) }),
    ...(if_match !== undefined && { if_match })
  }
}

/** Returns the files whose security classification changes with their new name, as if the call named them. */
async function resolveRenamedPaths(host: Host, uses: readonly PathUse[]): Promise<EvaluatedPath[]> {
  const found: EvaluatedPath[] = []
  for (const { renamed_to, ...use } of uses) {
    if (renamed_to === undefined) continue
    const from = peekAsUsed(host, use)
    const to = peekAsUsed(host, { ...use, path: renamed_to })
    const effects = await host.files.findRenameEffects({ from, to, removesSource: use.access === 'write' })
    found.push(...effects.map(({ kind: _, ...use }) => ({ ...use, tree: true })))
  }
  return found
}

const findUnsavedBuffers = (files: Host['files'], path: string, tree: boolean | undefined) =>
  tree ? files.unsavedIn(path) : files.unsavedAt(path)

const toUnsavedFile = ({ path, client, client_id, hash }: EditorBuffer): UnsavedFile => ({
  path,
  client,
  client_id,
  hash
})

/** Applies the request's `if_match` to the first file to be written. */
export function addIfMatch({ uses, paths }: PathsOfCall, if_match: string): PathsOfCall {
  const target = paths.findIndex(({ access }) => access === 'write')
  if (target < 0)
    throw new ToolError('INVALID_PARAMS', 'This call writes no file, so it cannot have if_match.', {
      errors: [{ pointer: '/if_match', message: 'this call writes no file' }]
    })
  return { uses, paths: paths.map((path, i) => (i === target ? { if_match, ...path } : path)) }
}
