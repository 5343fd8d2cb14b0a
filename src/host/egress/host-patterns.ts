// The hosts that somebody may reach, as a list of patterns.
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostPatternFault, readHostPattern } from '../../text/url/hosts.ts'
import { whyNotPublic } from './ip-addresses.ts'

export { hostPatternFault }

/** Throws INVALID_PARAMS where the text is no pattern. */
export function hostPattern(text: string): HostPattern {
  const pattern = readHostPattern(text)
  if (pattern) return pattern
  throw new ToolError('INVALID_PARAMS', hostPatternFault(text)!)
}

/** Why a host is never reached from a sandbox, whoever grants it; undefined where it may be. */
export function unreachableFault(text: string): string | undefined {
  const host = readHostPattern(text)?.host
  if (!host) return undefined
  const why = 'address' in host ? whyNotPublic(host.address) : LOCAL.test(host.name) ? 'this machine' : undefined
  return (
    why &&
    `${JSON.stringify(text)} is ${why}, which is never reached from a sandbox: isolation none reaches it. ` +
      'What a command serves in its own sandbox it reaches without a grant.'
  )
}

/** Names that stand for the loopback wherever they are looked up. */
const LOCAL = /^(?:.+\.)?localhost$/

/** Whether a list of hosts covers this one. */
export const covers = (patterns: readonly HostPattern[], host: HostName, port: number) =>
  patterns.some(pattern => coversHost(pattern, host, port))
