// Visibility of file contents to the submitter of a call before any decision: in previews, errors and dry runs.
import type { Host } from '../../host/host.ts'
import type { PathUse } from '../../tool/request.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { evaluatePolicy } from '../policy/policy.ts'
import type { PathFacts } from '../policy/policy-input.ts'
import { getEffectiveRules } from './effective-rules.ts'

/** The facts of a plain file read, for rules. */
const READ_FILE_FACTS = { tool: 'read_file', category: 'files', effect: 'read', primary: 'path' } as const

type ClassifiedPath = Pick<PathFacts, 'path' | 'sensitive' | 'self_starting' | 'protected'>

/**
 * Returns true if the path may be revealed as it is now: it is no secret, and policy would let the caller read it without
 * approval.
 */
export const canReveal = (engine: Engine, live: ActiveCall, use: NamedEntry): boolean =>
  canRevealResolved(engine, live, peekAsUsed(live.host, use))

type NamedEntry = Pick<PathUse, 'path' | 'entry' | 'literal'>

/** Classifies a path through the links that its use follows. */
export function peekAsUsed({ files }: Host, { path, entry, literal }: NamedEntry) {
  if (literal) return files.peekLiteral(path)
  return entry ? files.peekEntry(path) : files.peek(path)
}

/** The same check for a path that has just been resolved. */
export function canRevealResolved(engine: Engine, live: ActiveCall, place: ClassifiedPath): boolean {
  const { call, may_approve } = live
  if (place.sensitive) return false
  const { agent, client } = call
  const paths = [{ ...place, access: 'read' as const }]
  const question = { ...READ_FILE_FACTS, params: { path: place.path }, paths, agent, client, may_approve }
  return evaluatePolicy(question, getEffectiveRules(engine, live)).decision === 'allow'
}
