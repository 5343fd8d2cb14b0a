// Asks the policy of a server about the calls of hours of work, and saves the narrowest rule for each call that asks.
import { describeCause } from '../../src/engine/approvals/approval-group.ts'
import type { Explanation } from '../../src/protocol/explanation.ts'
import type { BenchServer } from '../environment.ts'
import { type Connection, encodeRequest } from '../http.ts'
import type { Hour, Verdict, WorkCall } from './work.ts'

interface ReplayOptions {
  session_id: string
  /** Saves a rule for the hour once a call asks: the narrowest one that is offered. */
  grants: boolean
  /** Verdicts by call, which apply to all hours as long as no rules are saved. */
  known: Map<string, Promise<Explanation>>
}

/** Returns the verdicts of an hour, message by message. Nothing is run. */
export async function replayHour(
  connection: Connection,
  server: BenchServer,
  hour: Hour,
  options: ReplayOptions
): Promise<Verdict[][]> {
  const verdicts: Verdict[][] = []
  for (const message of hour) {
    const answers: Explanation[] = []
    for (const call of message) answers.push(await explainOnce(connection, server, call, options))
    verdicts.push(answers.map(toVerdict))
    if (options.grants) for (const answer of answers) await grant(connection, server, answer, options)
  }
  return verdicts
}

const toVerdict = ({ verdict, isolation }: Explanation): Verdict => ({
  decision: verdict.decision,
  cause: JSON.stringify(describeCause(verdict, isolation))
})

function explainOnce(
  connection: Connection,
  server: BenchServer,
  call: WorkCall,
  options: ReplayOptions
): Promise<Explanation> {
  if (options.grants) return explain(connection, server, call, options)
  const key = JSON.stringify(call)
  const answer = options.known.get(key) ?? explain(connection, server, call, options)
  options.known.set(key, answer)
  return answer
}

/** A line that the schema of the tool refuses is denied. */
async function explain(
  connection: Connection,
  server: BenchServer,
  call: WorkCall,
  { session_id }: ReplayOptions
): Promise<Explanation> {
  const asAgent = { ...server, token: server.call_token }
  const body = JSON.stringify({ ...call, session_id })
  const reply = await connection.send(encodeRequest(asAgent, 'POST', '/policy/explain', {}, body))
  if (reply.status === 400) return { verdict: { decision: 'deny', matched_rules: [] } } as unknown as Explanation
  if (reply.status !== 200) throw new Error(`${body} answered ${reply.status}: ${reply.body}`)
  return JSON.parse(reply.body.toString()) as Explanation
}

async function grant(
  connection: Connection,
  server: BenchServer,
  { verdict }: Explanation,
  { session_id }: ReplayOptions
) {
  const [narrowest] = verdict.decision === 'ask' ? verdict.always_options : []
  for (const rule of narrowest?.rules ?? (narrowest?.rule ? [narrowest.rule] : [])) {
    const body = JSON.stringify({ ...rule, scope: 'session', session_id, for: '1h' })
    const reply = await connection.send(encodeRequest(server, 'POST', '/rules', {}, body))
    if (reply.status >= 300) throw new Error(`${body} answered ${reply.status}: ${reply.body}`)
  }
}
