// The hosts that somebody may reach, as a list of patterns.
import { ToolError } from '../../errors.ts'
import { coversHost, type HostName, type HostPattern, hostPatternFault, readHostPattern } from '../../text/hosts.ts'

export { hostPatternFault }

/** Throws INVALID_PARAMS where the text is no pattern. */
export function hostPattern(text: string): HostPattern {
  const pattern = readHostPattern(text)
  if (pattern) return pattern
  throw new ToolError('INVALID_PARAMS', hostPatternFault(text)!)
}

/** Whether a list of hosts covers this one. */
export const covers = (patterns: readonly HostPattern[], host: HostName, port: number) =>
  patterns.some(pattern => coversHost(pattern, host, port))
