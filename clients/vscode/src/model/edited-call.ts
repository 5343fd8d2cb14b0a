// A waiting call with params that the person has edited. The server checks them and previews their effect; nothing is changed
// before the person approves that preview.
import type { Approval, Client } from '../../../../src/client/client.ts'
import { findInexactNumbers } from '../../../../src/text/json-numbers.ts'
import type { WaitingCall } from './waiting-calls.ts'

export interface EditedCall {
  /** The params as the person wrote them. */
  readonly text: string
  readonly params: Record<string, unknown>
  /** Digest of the preview of the edited call; missing if the edited call has no preview. */
  readonly digest?: string
  readonly approval: Pick<Approval, 'level' | 'reason' | 'matched_rules' | 'preview'>
}

/** Parses edited params. Throws an error for the person if they are not a JSON object. */
export function parseParams(text: string): Record<string, unknown> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The parameters must be a JSON object.')
  const [inexact] = findInexactNumbers(text)
  if (inexact) throw new Error(`JavaScript would round the number ${inexact.source}. Write it in quotes.`)
  return value as Record<string, unknown>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The parameters are not valid JSON: ${(error as Error).message}`)
  }
}

/** Previews the call with other params. Throws if the server does not accept them. */
export async function previewEditedCall(
  client: Pick<Client, 'dryRunModified'>,
  call: WaitingCall,
  text: string
): Promise<EditedCall> {
  const params = parseParams(text)
  const found = await client.dryRunModified(call, params)
  const { verdict } = found
  if (verdict.decision === 'deny') throw new Error(verdict.reason)
  return {
    text,
    params,
    ...(found.digest !== undefined && { digest: found.digest }),
    approval: {
      level: verdict.decision === 'strict' ? 'strict' : call.approval.level,
      reason: verdict.reason,
      matched_rules: verdict.matched_rules,
      // A call that only reads has no preview.
      preview: found.preview ?? { title: `${call.tool} with other parameters` }
    }
  }
}
