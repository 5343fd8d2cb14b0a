// Patterns of rules, held against one param of a call. The text of a command is held against them part by part, a path and
// a URL by what they mean.
import type { RuleMatch } from '../../config/schema.ts'
import { patternMatches } from '../../text/re2-pattern.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { CallFacts, CommandPartFacts } from './policy-input.ts'

type PatternMatch = Pick<RuleMatch, 'pattern' | 'param'>
type PartWords = Pick<CommandPartFacts, 'text' | 'argv'>

/** Whether a pattern is meant for the command's text, so that each part of the line counts by itself. */
export const isCommandPattern = (match: PatternMatch, facts: CallFacts): boolean =>
  match.pattern !== undefined && facts.command !== undefined && getParamValue(match, facts) === facts.command.text

/** To allow: whether the words of one command are what the pattern says. */
export const patternCoversPart = ({ pattern }: PatternMatch, { argv }: PartWords): boolean =>
  argv !== undefined && patternMatches(pattern!, quoteArgv(argv), 'line') === true

/** To allow: whether all that the param says is what the pattern says. */
export function patternCovers(match: PatternMatch, facts: CallFacts): boolean {
  const texts = getParamTexts(match, facts)
  return (
    Array.isArray(texts) && texts.every(({ resolved }) => patternMatches(match.pattern!, resolved, 'line') === true)
  )
}

/** To ask or deny: whether anything that the param says is what the pattern says. */
export function patternTouches(match: PatternMatch, facts: CallFacts): boolean | 'unclear' {
  const texts = getParamTexts(match, facts)
  if (texts === undefined || texts === 'unclear') return texts ?? false
  const parts = isCommandPattern(match, facts) ? facts.command!.parts : []
  const all = [...texts.flatMap(({ resolved, written }) => [resolved, written]), ...parts.flatMap(getPartTexts)]
  const found = new Set(all.map(text => patternMatches(match.pattern!, text, 'text')))
  if (found.has(true)) return true
  return (found.has(undefined) || (parts.length > 0 && !facts.command!.literal)) && 'unclear'
}

/** As written, by its words, and with the program named without its folder. */
function getPartTexts({ text, argv }: PartWords): string[] {
  if (argv === undefined) return [text]
  const [program = '', ...words] = argv
  return [text, quoteArgv(argv), quoteArgv([program.slice(program.lastIndexOf('/') + 1), ...words])]
}

interface ParamText {
  /** A path as it was found, a URL as it is asked for; any other text as it is. */
  resolved: string
  written: string
}

/** Undefined where the call has no such param; `unclear` where it is no text, number or truth value, and no list of these. */
function getParamTexts(match: PatternMatch, facts: CallFacts): ParamText[] | 'unclear' | undefined {
  const value = getParamValue(match, facts)
  const items: unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || value === null || items.length === 0) return undefined
  return items.every(item => SCALARS.has(typeof item)) ? items.map(item => toParamText(String(item), facts)) : 'unclear'
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

function getParamValue({ param }: PatternMatch, { params, primary }: CallFacts): unknown {
  const name = param ?? primary
  if (name === undefined || typeof params !== 'object' || params === null || !Object.hasOwn(params, name))
    return undefined
  return (params as Record<string, unknown>)[name]
}

function toParamText(written: string, { paths, url }: CallFacts): ParamText {
  const path = paths.find(({ path, given = path }) => given === written)?.path
  return { resolved: path ?? (written === url ? new URL(url).href : written), written }
}
