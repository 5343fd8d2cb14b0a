// What policy says of reaching a host.
import { invalidParam } from '../../errors.ts'
import type { Live } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { allHosts } from '../policy/host-patterns.ts'
import { judge } from '../policy/policy.ts'
import type { Facts } from '../policy/policy-input.ts'
import { rulebook } from './effective-rules.ts'

/** Of a URL: its host with the port, and whether that is read from without asking. */
export function reaching({ settings }: Engine, url: string): Pick<Facts, 'host' | 'host_allowed'> {
  if (!URL.canParse(url)) throw invalidParam('url', 'must be a whole URL, such as https://example.com/page.')
  const { hostname, port, protocol } = new URL(url)
  const host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  return { host, host_allowed: allHosts(settings.web.allow, host) }
}

/** Of a plain read at another URL by the same call, as where its own leads on. */
export function mayReach(engine: Engine, live: Live, url: string): 'allow' | 'ask' | 'deny' {
  const { call, tool, may_approve } = live
  const { agent, client } = call
  const asked = { tool: tool.name, category: tool.category, effect: 'network', primary: 'url' } as const
  const facts = { ...asked, params: { url }, url, ...reaching(engine, url), paths: [], agent, client, may_approve }
  const { decision } = judge(facts, rulebook(engine, live))
  return decision === 'strict' ? 'ask' : decision
}
