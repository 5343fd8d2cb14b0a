// Says whether the newest rules of the hub are active at a server.
import type { ListedServer } from '../../src/protocol/hub.ts'

/** Returns why a server does not have a version of the rules; undefined if it has it. */
export function describeDelivery(
  { state, rules_version, rules_refused }: Pick<ListedServer, 'state' | 'rules_version' | 'rules_refused'>,
  version: number
): { kind: 'refused' | 'pending'; text: string } | undefined {
  if (rules_version === version) return undefined
  const active = rules_version === null ? 'no rules of the hub are active' : `version ${rules_version} is active`
  if (rules_refused && (rules_refused.version === null || rules_refused.version === version))
    return { kind: 'refused', text: `${rules_refused.reason} (${active})` }
  return { kind: 'pending', text: state === 'connected' ? active : `the server is not connected; ${active}` }
}
