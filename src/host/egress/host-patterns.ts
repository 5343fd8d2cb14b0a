// The hosts that somebody may reach, as a list of patterns.
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostPatternError, readHostPattern } from '../../text/url/hosts.ts'
import { nonPublicReason } from './ip-addresses.ts'

export { hostPatternError }

/** Throws INVALID_PARAMS where the text is no pattern. */
export function parseHostPattern(text: string): HostPattern {
  const pattern = readHostPattern(text)
  if (pattern) return pattern
  throw new ToolError('INVALID_PARAMS', hostPatternError(text)!)
}

/** Why a host is never reached from a sandbox, whoever grants it; undefined where it may be. */
export function explainUnreachable(text: string): string | undefined {
  const host = readHostPattern(text)?.host
  if (!host) return undefined
  const why =
    'address' in host ? nonPublicReason(host.address) : LOCALHOST_PATTERN.test(host.name) ? 'this machine' : undefined
  return (
    why &&
    `${JSON.stringify(text)} is ${why}, which is never reached from a sandbox: isolation none reaches it. ` +
      'What a command serves in its own sandbox it reaches without a grant.'
  )
}

/** Names that stand for the loopback wherever they are looked up. */
const LOCALHOST_PATTERN = /^(?:.+\.)?localhost$/

/** Whether a list of hosts covers this one. */
export const isHostCovered = (patterns: readonly HostPattern[], host: HostName, port: number) =>
  patterns.some(pattern => coversHost(pattern, host, port))
