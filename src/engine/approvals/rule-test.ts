// Rule test: evaluates the calls of the journal again, with the rules and modes as they are and with a change of them. Executes and
// records nothing.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Call } from '../../protocol/calls.ts'
import type { ChangedDecision, RuleTest, RuleTestBody } from '../../protocol/rule-test.ts'
import type { CallQuery } from '../../store/call-log.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { isMasked, redactCredentials } from '../../text/secrets/credentials.ts'
import { summarizeLines } from '../../text/title-line.ts'
import { primaryParam } from '../../tool/primary-param.ts'
import type { ReviewReasons } from '../../tool/request.ts'
import { ActiveCall } from '../active-call.ts'
import { createLookupContext, createReadContext } from '../call-contexts.ts'
import { toolForExecutor } from '../client-execution.ts'
import { createCallServices } from '../create-call-services.ts'
import type { Engine } from '../engine.ts'
import { evaluatePolicy } from '../policy/policy.ts'
import type { PolicyVerdict } from '../policy/policy-input.ts'
import { redactCall } from '../redacted-call.ts'
import { addBeyondUndo } from './beyond-undo.ts'
import type { FactsOfCall } from './call-facts.ts'
import { getEffectiveRules, type RulesInForce } from './effective-rules.ts'
import { addPlan, requestFacts } from './evaluate.ts'

/** Maximum number of calls that one test evaluates, the newest. */
const MAX_TESTED_CALLS = 5_000
const PAGE_SIZE = 100
const DEFAULT_LISTED_CALLS = 100
/** Time limit for resolving one call, whose tool may have to ask a language server or an MCP server. */
const EVALUATION_TIMEOUT_MS = 5_000

type TestScope = Pick<RuleTestBody, 'since' | 'session_id' | 'workspace' | 'limit'>

interface StoredHead {
  head: string
  owner: string | null
}

/** The verdicts on one call, before and after the change. */
interface TestedCall {
  call: Call
  before: PolicyVerdict
  after: PolicyVerdict
  /** Name of the param with the subject of the call. */
  primary: string | undefined
}

/** Rules without what they have been used for: past calls do not count for their limits. */
export type TestedRules = Omit<RulesInForce, 'budgets'>
const UNLIMITED: RulesInForce['budgets'] = { spentUntil: () => undefined }

/** Compares the decisions about the calls of the journal with those under changed rules. Rejects once the signal is aborted. */
export async function testRules(
  engine: Engine,
  { since, session_id, workspace, limit = DEFAULT_LISTED_CALLS }: TestScope,
  changed: TestedRules,
  signal: AbortSignal
): Promise<RuleTest> {
  const before = createCounts()
  const after = createCounts()
  const differing: ChangedDecision[] = []
  const failures = new Map<string, number>()
  const query = { since: new Date(since).toISOString(), session_id, workspace }
  let [taken, differingTotal, cut] = [0, 0, false]
  for await (const row of iterateHeads(engine, query)) {
    assertConnected(signal)
    if (taken === MAX_TESTED_CALLS) {
      cut = true
      break
    }
    taken += 1
    const tested = await testCall(engine, row, changed, signal).catch(toFailure)
    if (typeof tested === 'string') failures.set(tested, (failures.get(tested) ?? 0) + 1)
    else {
      before[tested.before.decision] += 1
      after[tested.after.decision] += 1
      if (tested.before.decision !== tested.after.decision) {
        differingTotal += 1
        if (differing.length < limit) differing.push(toChangedDecision(engine, tested))
      }
    }
    // Other requests wait for no more than one call.
    await nextTurn()
  }
  assertConnected(signal)
  return {
    since: query.since,
    tested: taken - [...failures.values()].reduce((sum, count) => sum + count, 0),
    cut,
    before,
    after,
    changed: differing,
    changed_total: differingTotal,
    not_evaluated: [...failures].map(([reason, count]) => ({ reason, count }))
  }
}

function assertConnected(signal: AbortSignal) {
  if (signal.aborted) throw new ToolError('CANCELLED', 'The client disconnected.')
}

const createCounts = (): RuleTest['before'] => ({ allow: 0, ask: 0, strict: 0, deny: 0 })

/** Iterates over stored calls, newest first. */
async function* iterateHeads(
  { store }: Engine,
  query: Pick<CallQuery, 'since' | 'session_id' | 'workspace'>
): AsyncGenerator<StoredHead> {
  // A read may have been answered before its commit.
  await store.flushed().catch(() => {})
  let before: number | undefined
  for (;;) {
    const { calls, next } = await store.callHeads({ ...query, before, limit: PAGE_SIZE })
    yield* calls
    if (next === undefined) return
    before = next
  }
}

/** Returns the reason for which a call cannot be evaluated. */
function toFailure(error: unknown): string {
  return error instanceof ToolError ? error.code : 'INTERNAL'
}

async function testCall(
  engine: Engine,
  { head, owner }: StoredHead,
  changed: TestedRules,
  signal: AbortSignal
): Promise<TestedCall | string> {
  const { if_match: _, ...call } = JSON.parse(head) as Call
  if ('content_removed' in call && call.content_removed) return 'content_removed'
  if (isMasked(call.params)) return 'credentials_masked'
  const workspace = engine.workspaces.get(call.workspace)
  if (!workspace) return 'workspace_gone'
  const may_approve = owner === null
  const tool = engine.tools.find(call.tool, { agent: call.agent, may_approve, workspace: call.workspace })
  if (!tool) return 'UNKNOWN_TOOL'
  engine.tools.validate(tool, call.params)
  const abort = new AbortController()
  const live = new ActiveCall({
    call,
    tool: toolForExecutor(tool, call),
    owner: owner ?? undefined,
    may_approve,
    abort,
    sinceSeq: engine.journal.last,
    services: self => createCallServices(engine, self, workspace),
    redact: value => redactCall(engine, value)
  })
  const stop = () => abort.abort(signal.reason)
  const timer = setTimeout(
    () => abort.abort(new ToolError('TIMEOUT', 'The effect of the call could not be determined in time.')),
    EVALUATION_TIMEOUT_MS
  )
  signal.addEventListener('abort', stop)
  try {
    return { call, primary: primaryParam(tool), ...(await compareVerdicts(engine, live, changed)) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    abort.abort()
  }
}

async function compareVerdicts(engine: Engine, live: ActiveCall, changed: TestedRules) {
  const facts = await findFacts(engine, live)
  const { settings, rules, modes: set, hub } = engine
  const bothRules = [
    getEffectiveRules({ settings, rules, modes: set, hub, budgets: UNLIMITED }, live),
    getEffectiveRules({ ...changed, budgets: UNLIMITED }, live)
  ] as const
  const modes = bothRules.map(({ mode }) => mode)
  const question = await addBeyondUndo(engine, live, facts.question, modes)
  const [before, after] = bothRules.map(rules => evaluatePolicy(question, rules))
  return { before: before!, after: after! }
}

/**
 * Returns the facts of a call as it would be planned now. The files of a call that has changed them are no longer those that it
 * was made for, so the reasons that were recorded then count; also where it cannot be planned any more.
 */
async function findFacts(engine: Engine, live: ActiveCall): Promise<FactsOfCall> {
  const { tool, call } = live
  const { params } = call
  const lookup = createLookupContext(engine, live)
  const request = await tool.request(params, lookup)
  const requested = await requestFacts(engine, live, params, request)
  if (!tool.plan) return requested
  const hasChanged = 'changes' in call && (call.changes?.length ?? 0) > 0
  const recorded = { state: undefined, reasons: getRecordedReasons(call) }
  try {
    const context = createReadContext(live, lookup, requested.command)
    const plan = await tool.plan(params, context, request)
    const counting = hasChanged ? { ...plan, reasons: recorded.reasons } : plan
    return await addPlan(engine, live, params, { request, requested, plan: counting })
  } catch (error) {
    if (!(error instanceof ToolError) || requested.effect === 'execute') throw error
    return addPlan(engine, live, params, { request, requested, plan: recorded })
  }
}

function getRecordedReasons(call: Call): ReviewReasons {
  const rules = 'approval' in call ? (call.approval?.matched_rules.filter(({ tier }) => tier === 'tool') ?? []) : []
  const strict = rules.find(({ effect }) => effect === 'strict')?.reason
  if (strict !== undefined) return { strict }
  const ask = rules.find(({ effect }) => effect === 'ask')?.reason
  return ask === undefined ? {} : { ask }
}

function toChangedDecision(engine: Engine, { call, before, after, primary }: TestedCall): ChangedDecision {
  const { tool_call_id, tool, session_id, workspace, created_at, status } = call
  const decidedBy = call.status === 'rejected' ? call.rejected_by : 'approved_by' in call ? call.approved_by : undefined
  return redactCredentials({
    tool_call_id,
    tool,
    title: getTitle(engine, call, primary),
    session_id,
    workspace,
    created_at,
    status,
    ...(decidedBy && { decided_by: decidedBy }),
    before: before.decision,
    after: after.decision,
    reason: after.reason
  })
}

/** Returns the title that was shown to an approver or with the result, or else the subject. */
function getTitle({ store }: Engine, call: Call, primary: string | undefined): string {
  if ('approval' in call && call.approval) return call.approval.preview.title
  const result = call.status === 'success' ? store.call(call.tool_call_id)?.result : undefined
  if (typeof result === 'string') return (JSON.parse(result) as { title: string }).title
  const subject = (call.params as Record<string, unknown>)[primary ?? '']
  return summarizeLines(escapeInvisible(typeof subject === 'string' ? subject : JSON.stringify(call.params)))
}
