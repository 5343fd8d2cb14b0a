// Host patterns in rules and calls. A pattern that cannot be parsed allows nothing, but may match a deny or ask rule.
import { coversPattern, patternsOverlap, readHostPattern } from '../../text/url/hosts.ts'

/** Returns true if one of the patterns covers all of the requested one. */
export function patternsCoverHost(patterns: readonly string[], requested: string): boolean {
  const other = readHostPattern(requested)
  return other !== undefined && parsePatterns(patterns).some(pattern => coversPattern(pattern, other))
}

/** Returns true if one of the patterns overlaps the requested one. */
export function patternsOverlapHost(patterns: readonly string[], requested: string): boolean | 'unclear' {
  const other = readHostPattern(requested)
  const read = parsePatterns(patterns)
  if (other !== undefined && read.some(pattern => patternsOverlap(pattern, other))) return true
  return (other === undefined || read.length < patterns.length) && 'unclear'
}

const parsePatterns = (patterns: readonly string[]) =>
  patterns.map(readHostPattern).filter(pattern => pattern !== undefined)
