// Host patterns as rules and calls name them. What cannot be read gives no leave, and none is sure to be free of it.
import { coversPattern, patternsOverlap, readHostPattern } from '../../text/url/hosts.ts'

/** Whether one of the patterns is for all that the other is for. */
export function patternsCoverHost(patterns: readonly string[], asked: string): boolean {
  const other = readHostPattern(asked)
  return other !== undefined && parsePatterns(patterns).some(pattern => coversPattern(pattern, other))
}

/** Whether one of the patterns is for some of what the other is for. */
export function patternsOverlapHost(patterns: readonly string[], asked: string): boolean | 'unclear' {
  const other = readHostPattern(asked)
  const read = parsePatterns(patterns)
  if (other !== undefined && read.some(pattern => patternsOverlap(pattern, other))) return true
  return (other === undefined || read.length < patterns.length) && 'unclear'
}

const parsePatterns = (patterns: readonly string[]) =>
  patterns.map(readHostPattern).filter(pattern => pattern !== undefined)
