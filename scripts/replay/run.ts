// Runs one case and reports the result.
import type { Call } from '../../src/client/client.ts'
import { ToolgateError } from '../../src/client/client.ts'
import type { ReplayCase } from './cases.ts'
import type { ReplayServer } from './server.ts'
import { compareFileTrees, readFileTree, writeFileTree } from './tree.ts'

export const REPLAY_OUTCOMES = ['exact', 'tolerated', 'wrong', 'refused'] as const
export type ReplayOutcome = (typeof REPLAY_OUTCOMES)[number]

export interface ReplayVerdict {
  outcome: ReplayOutcome
  /** The reason of a failure. */
  why?: string
}

export async function runCase(
  server: ReplayServer,
  root: string,
  { tool, params, before, after }: ReplayCase
): Promise<ReplayVerdict> {
  writeFileTree(root, before)
  let call: Call
  try {
    call = await server.call(tool, params)
  } catch (error) {
    if (error instanceof ToolgateError) return { outcome: 'refused', why: `${error.code}: ${error.message}` }
    throw error
  }
  if (call.status !== 'success') return { outcome: 'refused', why: formatReason(call) }
  const different = compareFileTrees(after, readFileTree(root))
  if (different.length > 0) return { outcome: 'wrong', why: `not as it was: ${different.join(', ')}` }
  const forgiven = findTolerated(call.result.data)
  return forgiven.length === 0 ? { outcome: 'exact' } : { outcome: 'tolerated', why: forgiven.join(', ') }
}

function formatReason(call: Call): string {
  return 'error' in call && call.error ? `${call.error.code}: ${call.error.message}` : call.status
}

/** Returns the tolerances that a tool reports anywhere in its result: how a text was matched, lines found elsewhere. */
function findTolerated(data: unknown): string[] {
  if (Array.isArray(data)) return data.flatMap(findTolerated)
  if (data === null || typeof data !== 'object') return []
  return Object.entries(data).flatMap(([name, value]) => {
    if (name === 'match' && value !== 'exact') return [String(value)]
    if ((name === 'offset' || name === 'fuzz') && value !== 0) return [`${name} ${value}`]
    return typeof value === 'object' ? findTolerated(value) : []
  })
}
