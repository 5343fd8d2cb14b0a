// Policy for access to URLs.
import { invalidParam } from '../../errors.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import { patternsCoverHost } from '../policy/match-hosts.ts'
import { evaluatePolicy } from '../policy/policy.ts'
import type { CallFacts } from '../policy/policy-input.ts'
import { getEffectiveRules } from './effective-rules.ts'

/** Returns the host of a URL with its port, and if `web.allow` permits reading from it. */
export function getUrlFacts({ settings }: Engine, url: string): Pick<CallFacts, 'host' | 'isHostAllowed'> {
  if (!URL.canParse(url)) throw invalidParam('url', 'must be an absolute URL, such as https://example.com/page.')
  const { hostname, port, protocol } = new URL(url)
  const host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  return { host, isHostAllowed: patternsCoverHost(settings.web.allow, host) }
}

/** Evaluates a GET of another URL by the same call, such as the target of a redirect. */
export function decideFetch(engine: Engine, live: ActiveCall, url: string): 'allow' | 'ask' | 'deny' {
  const { call, tool, may_approve } = live
  const { agent, client } = call
  const request = { tool: tool.name, category: tool.category, effect: 'network', primary: 'url' } as const
  const facts = { ...request, params: { url }, url, ...getUrlFacts(engine, url), paths: [], agent, client, may_approve }
  const { decision } = evaluatePolicy(facts, getEffectiveRules(engine, live))
  return decision === 'strict' ? 'ask' : decision
}
