// Whether what a file holds may be told to whoever submits a call, before anybody has decided on the call: in its preview,
// in what it fails with, in what it would do.
import type { PathUse } from '../../tool/tool.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { evaluatePolicy } from '../policy/policy.ts'
import type { PathFacts } from '../policy/policy-input.ts'
import { getEffectiveRules } from './effective-rules.ts'

/** What rules see of the plainest way to read a file. */
const READ_FILE_FACTS = { tool: 'read_file', category: 'files', effect: 'read', primary: 'path' } as const

type ClassifiedPath = Pick<PathFacts, 'path' | 'sensitive' | 'self_starting' | 'protected'>

/** Of a path as it is now: never a secret, and else only what policy would let the caller read at once. */
export function canReveal(engine: Engine, live: ActiveCall, { path, entry }: Pick<PathUse, 'path' | 'entry'>): boolean {
  const { files } = live.host
  return canRevealResolved(engine, live, entry ? files.peekEntry(path) : files.peek(path))
}

/** The same of a path that was judged just now. */
export function canRevealResolved(engine: Engine, live: ActiveCall, place: ClassifiedPath): boolean {
  const { call, may_approve } = live
  if (place.sensitive) return false
  const { agent, client } = call
  const paths = [{ ...place, access: 'read' as const }]
  const question = { ...READ_FILE_FACTS, params: { path: place.path }, paths, agent, client, may_approve }
  return evaluatePolicy(question, getEffectiveRules(engine, live)).decision === 'allow'
}
