// Share of command lines that run without approval, by list: no timing. Nothing is run, the policy is asked to explain each line.
import type { BenchEnvironment, BenchServer } from '../environment.ts'
import { Connection, encodeRequest } from '../http.ts'
import type { Measurement } from '../measurement.ts'
import { Canary } from '../policy/canary.ts'
import { type LineList, loadLists } from '../policy/lists.ts'
import { replayHour } from '../policy/replay.ts'
import { CALLS_PER_HOUR, countGrouped, countSingle, type Hour, MODEL, planHours, type Verdict } from '../policy/work.ts'
import { writeWorkspace } from '../policy/workspace.ts'
import type { Benchmark } from './benchmark.ts'

/** In smoke tests only so many lines of each list are submitted. */
const QUICK_LINES = 20
// As many explanations as a token may have under way.
const CONNECTIONS = 4
const MAX_EXAMPLES = 4
const MAX_EXAMPLE_LENGTH = 60
const PERCENT = 100

/** A session mode, by the fields of a call in it. */
interface Mode {
  name: string
  call: Readonly<Record<string, unknown>>
}
const MODES: readonly Mode[] = [
  { name: 'ask', call: {} },
  { name: 'auto', call: { session_id: 'auto' } }
]

/** Possible outcomes for a line. */
const OUTCOMES = ['unasked', 'ask', 'strict', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]
const OUTCOME_BY_DECISION: Readonly<Record<string, Outcome>> = {
  allow: 'unasked',
  ask: 'ask',
  strict: 'strict',
  deny: 'refused'
}

interface Answer {
  line: string
  outcome: Outcome
  reason: string
  isolation: string
}

interface Explanation {
  verdict: { decision: string; reason: string }
  isolation?: { level: string }
}

export default {
  name: 'policy',
  async measure(ground) {
    writeWorkspace(ground.root)
    const server = await ground.startToolgate(ground.root, 'unconfigured')
    await prepare(server)
    const findings: Measurement[] = []
    for (const list of loadLists())
      for (const mode of MODES) {
        const lines = list.lines.slice(0, ground.scale(list.lines.length, QUICK_LINES))
        findings.push(toMeasurement(list, mode, await explainLines(ground, server, lines, mode)))
      }
    return [...findings, ...(await measureQuestions(ground, server)), ...(await measureCanary(ground))]
  }
} satisfies Benchmark

/** Sets the mode of the session in that mode. Throws if no sandbox holds here. */
async function prepare(server: BenchServer) {
  const connection = await Connection.open(server)
  await connection.send(
    encodeRequest(server, 'PUT', '/sessions/auto/mode', {}, JSON.stringify({ mode: 'auto', token_id: 'server:call' }))
  )
  const { body } = await connection.send(encodeRequest(server, 'GET', '/capabilities'))
  connection.close()
  const { isolation } = JSON.parse(body.toString()) as { isolation: { levels: { level: string; holds: boolean }[] } }
  if (!['read-only', 'workspace'].every(each => isolation.levels.some(({ level, holds }) => level === each && holds)))
    throw new Error('The sandbox does not hold here, so every command asks.')
}

async function explainLines(
  ground: BenchEnvironment,
  server: BenchServer,
  lines: readonly string[],
  mode: Mode
): Promise<Answer[]> {
  const answers: Answer[] = []
  const waiting = lines.entries()
  const work = async () => {
    const connection = await Connection.open(server)
    ground.onCleanup(() => connection.close())
    for (const [at, line] of waiting) answers[at] = await explainLine(connection, server, line, mode)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return answers
}

async function explainLine(connection: Connection, server: BenchServer, line: string, { call }: Mode): Promise<Answer> {
  const submitted = JSON.stringify({ ...call, tool: 'shell_exec', params: { command: line } })
  const { status, body } = await connection.send(
    encodeRequest({ ...server, token: server.call_token }, 'POST', '/policy/explain', {}, submitted)
  )
  // Invalid params are refused before the policy is asked.
  if (status === 400) return { line, outcome: 'refused', reason: 'Invalid params.', isolation: '' }
  if (status !== 200) throw new Error(`${JSON.stringify(line)} answered ${status}: ${body}`)
  const { verdict, isolation } = JSON.parse(body.toString()) as Explanation
  return {
    line,
    outcome: OUTCOME_BY_DECISION[verdict.decision]!,
    reason: verdict.reason,
    isolation: isolation?.level ?? ''
  }
}

/** Hours of work that are replayed. */
const HOURS = 20

/** A way of asking: the mode of the sessions, rules that are saved for an hour, and one question for a group of calls. */
interface Asking {
  name: string
  mode: string
  grants: boolean
  count: (messages: readonly (readonly Verdict[])[]) => number
}
const ASKING: readonly Asking[] = [
  { name: 'each call in mode ask', mode: 'ask', grants: false, count: countSingle },
  { name: 'with groups', mode: 'ask', grants: false, count: countGrouped },
  { name: 'with grants', mode: 'ask', grants: true, count: countSingle },
  { name: 'in mode auto', mode: 'auto', grants: false, count: countSingle },
  { name: 'with groups and grants in mode auto', mode: 'auto', grants: true, count: countGrouped }
]

/** Counts how often a person would be asked in an hour of work. */
async function measureQuestions(ground: BenchEnvironment, server: BenchServer): Promise<Measurement[]> {
  const [readOnly, , real] = loadLists().map(({ lines }) => lines)
  const hours = planHours({ readOnly: readOnly!, real: real! }, ground.scale(HOURS, 1))
  const verdicts = new Map<string, Verdict[][][]>()
  for (const { mode, grants } of ASKING) {
    const key = `${mode} ${grants}`
    if (!verdicts.has(key)) verdicts.set(key, await replayHours(ground, server, hours, { mode, grants }))
  }
  return ASKING.map(({ name, mode, grants, count }, at) => {
    const replayed = verdicts.get(`${mode} ${grants}`)!
    const strict = replayed.flat(2).filter(({ decision }) => decision === 'strict').length
    return {
      work: `questions per hour of work of ${CALLS_PER_HOUR} calls, ${name}`,
      unit: '',
      ours: replayed.reduce((total, hour) => total + count(hour), 0) / hours.length,
      details: [...(at === 0 ? [MODEL] : []), `strict: ${(strict / hours.length).toFixed(1)}`]
    }
  })
}

async function replayHours(
  ground: BenchEnvironment,
  server: BenchServer,
  hours: readonly Hour[],
  { mode, grants }: Pick<Asking, 'mode' | 'grants'>
): Promise<Verdict[][][]> {
  const replayed: Verdict[][][] = []
  const known = new Map()
  const waiting = hours.entries()
  const work = async () => {
    const connection = await Connection.open(server)
    ground.onCleanup(() => connection.close())
    for (const [at, hour] of waiting) {
      const session_id = `work-${mode}-${grants ? 'grants' : 'none'}-${at}`
      const body = JSON.stringify({ mode, token_id: 'server:call' })
      await connection.send(encodeRequest(server, 'PUT', `/sessions/${session_id}/mode`, {}, body))
      replayed[at] = await replayHour(connection, server, hour, { session_id, grants, known })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return replayed
}

/** Every line takes a second: of the hostile ones, so many are run. */
const CANARY_LINES = 60

/** Runs hostile lines for real in the mode `auto`. */
async function measureCanary(ground: BenchEnvironment): Promise<Measurement[]> {
  const hostile = loadLists().at(-1)!.lines
  const stride = Math.floor(hostile.length / ground.scale(CANARY_LINES, QUICK_CANARY_LINES))
  const canary = new Canary(ground.folder)
  ground.onCleanup(() => canary.close())
  await canary.prepare(writeWorkspace)
  const server = await ground.startToolgate(canary.root, 'unconfigured')
  await prepare(server)
  const connection = await Connection.open(server)
  ground.onCleanup(() => connection.close())
  const result = await canary.run(
    hostile.filter((_, at) => at % stride === 0),
    async (as, method, target, body) => {
      const token = as === 'agent' ? server.call_token : server.token
      const json = body === undefined ? '' : JSON.stringify(body)
      const reply = await connection.send(encodeRequest({ ...server, token }, method, target, {}, json))
      return { status: reply.status, body: JSON.parse(reply.body.toString()) }
    }
  )
  const { ran, asked, refused, lost, printed, writtenOutside, packets } = result
  const none = { bound: 'at most', plus: 0 } as const
  const work = `${ran} hostile lines run in mode auto`
  return [
    {
      ...{ work: `${work}: that lost what undo could not bring back`, unit: '', ours: lost.length, target: none },
      details: [`asked ${asked}, refused ${refused}`, ...lost]
    },
    { work: `${work}: that printed a secret`, unit: '', ours: printed.length, target: none, details: printed },
    {
      ...{ work: `${work}: paths changed outside`, unit: '', ours: writtenOutside.length, target: none },
      details: writtenOutside
    },
    { work: `${work}: packets out`, unit: '', ours: packets, target: none }
  ]
}
const QUICK_CANARY_LINES = 5

function toMeasurement({ name, target }: LineList, mode: Mode, answers: readonly Answer[]): Measurement {
  const unasked = answers.filter(({ outcome }) => outcome === 'unasked')
  const counts = OUTCOMES.map(outcome => {
    const count = answers.filter(answer => answer.outcome === outcome).length
    return `${outcome} ${count} (${toPercent(count, answers)} %)`
  })
  const uncontained = unasked.filter(({ isolation }) => isolation !== 'read-only')
  return {
    work: `${answers.length} ${name}, unasked in mode ${mode.name}`,
    unit: '%',
    ours: (unasked.length / answers.length) * PERCENT,
    ...(target && { target }),
    details: [
      counts.join(', '),
      `unasked outside the read-only sandbox: ${uncontained.length}`,
      ...(name.startsWith('hostile') ? unasked.map(({ line }) => `unasked: ${shorten(line)}`) : []),
      ...formatReasons(answers.filter(({ outcome }) => outcome !== 'unasked'))
    ]
  }
}

/** Groups by reason, the most frequent first, with examples. */
function formatReasons(answers: readonly Answer[]): string[] {
  const groups = Map.groupBy(answers, ({ outcome, reason }) => `${outcome}: ${generalize(reason)}`)
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, group]) => {
      const examples = group.slice(0, MAX_EXAMPLES).map(({ line }) => shorten(line))
      return `${String(group.length).padStart(5)}  ${reason}  ${examples.join(' ⋅ ')}`
    })
}

/** Replaces what a reason quotes from the line. */
const generalize = (reason: string) =>
  reason
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '…')
    .replace(/^\S+(?= (?:is|stands|may|leads))/, '…')
    .replace(/(?<=with )-\S+/, '…')
    .replace(/(?<=uses cannot be determined: ).*/, '…')

const shorten = (line: string) => {
  const shown = line.replaceAll(/\s+/g, ' ')
  return shown.length > MAX_EXAMPLE_LENGTH ? `${shown.slice(0, MAX_EXAMPLE_LENGTH)}…` : shown
}

const toPercent = (count: number, all: readonly unknown[]) => ((count / all.length) * PERCENT).toFixed(1)
