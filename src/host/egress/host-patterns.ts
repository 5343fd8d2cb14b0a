// Host patterns, as used in allowlists.
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostPatternError, readHostPattern } from '../../text/url/hosts.ts'
import { nonPublicReason } from './ip-addresses.ts'

export { hostPatternError }

/** Throws INVALID_PARAMS for an invalid pattern. */
export function parseHostPattern(text: string): HostPattern {
  const pattern = readHostPattern(text)
  if (pattern) return pattern
  throw new ToolError('INVALID_PARAMS', hostPatternError(text)!)
}

/** Returns the reason why a host is unreachable from a sandbox even if granted; undefined if it is reachable. */
export function explainUnreachable(text: string): string | undefined {
  const host = readHostPattern(text)?.host
  if (!host) return undefined
  const why =
    'address' in host ? nonPublicReason(host.address) : LOCALHOST_PATTERN.test(host.name) ? 'this machine' : undefined
  return (
    why &&
    `${JSON.stringify(text)} is ${why}, which a command in a sandbox cannot access. Request isolation none for it. A ` +
      'server that the command itself starts in the sandbox is reachable without permission.'
  )
}

/** Names that resolve to the loopback everywhere. */
const LOCALHOST_PATTERN = /^(?:.+\.)?localhost$/

/** Checks if a list of patterns covers a host. */
export const isHostCovered = (patterns: readonly HostPattern[], host: HostName, port: number) =>
  patterns.some(pattern => coversHost(pattern, host, port))
