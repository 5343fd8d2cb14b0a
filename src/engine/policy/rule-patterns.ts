// Rule patterns, matched against one param of a call: the text of a command by part, a path and a URL in resolved form.
import type { RuleMatch } from '../../protocol/rules.ts'
import { patternMatches } from '../../text/re2-pattern.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import type { CallFacts, CommandPartFacts } from './policy-input.ts'
import { mayRunOther } from './unknown-words.ts'

type PatternMatch = Pick<RuleMatch, 'pattern' | 'param'>
type PartWords = Pick<CommandPartFacts, 'text' | 'argv'>

/** Returns true if a pattern applies to the command's text, so that each part of the line is matched separately. */
export const isCommandPattern = (match: PatternMatch, facts: CallFacts): boolean =>
  match.pattern !== undefined && facts.command !== undefined && getParamValue(match, facts) === facts.command.text

/** For allow: returns true if the pattern matches the words of one command. */
export const patternCoversPart = ({ pattern }: PatternMatch, { argv }: PartWords): boolean =>
  argv !== undefined && patternMatches(pattern!, quoteArgv(argv), 'line') === true

/** For allow: returns true if the pattern matches every value of the param. */
export function patternCovers(match: PatternMatch, facts: CallFacts): boolean {
  const texts = getParamTexts(match, facts)
  return (
    Array.isArray(texts) && texts.every(({ resolved }) => patternMatches(match.pattern!, resolved, 'line') === true)
  )
}

/** For ask or deny: returns true if the pattern matches any text of the param. */
export function patternTouches(match: PatternMatch, facts: CallFacts): boolean | 'unclear' {
  const texts = getParamTexts(match, facts)
  if (texts === undefined || texts === 'unclear') return texts ?? false
  const parts = isCommandPattern(match, facts) ? facts.command!.parts : []
  const all = [...texts.flatMap(({ resolved, written }) => [resolved, written]), ...parts.flatMap(getPartTexts)]
  const found = new Set(all.map(text => patternMatches(match.pattern!, text, 'text')))
  if (found.has(true)) return true
  const isUnclear =
    found.has(undefined) || (parts.length > 0 && mayRunOther(facts.command!, words => mayMatch(match.pattern!, words)))
  return isUnclear && 'unclear'
}

/** Returns true if a command that begins with these words may match: the pattern begins with a text, and both agree so far. */
function mayMatch(pattern: string, [program = '', ...words]: readonly string[]): boolean {
  const head = literalHead(pattern)
  return [program, program.slice(program.lastIndexOf('/') + 1)].some(name => {
    const known = `${quoteArgv([name, ...words])} `
    return known.startsWith(head.slice(0, known.length))
  })
}

/** Returns the text with which all that a pattern matches begins. */
function literalHead(pattern: string): string {
  if (pattern.includes('|')) return ''
  const [, head = '', next = ''] = /^\^?([\w /:=-]*)(.?)/s.exec(pattern) ?? []
  return /[*?{]/.test(next) ? head.slice(0, -1) : head
}

/** Returns the part as written, requoted, and with the program's basename. */
function getPartTexts({ text, argv }: PartWords): string[] {
  if (argv === undefined) return [text]
  const [program = '', ...words] = argv
  return [text, quoteArgv(argv), quoteArgv([program.slice(program.lastIndexOf('/') + 1), ...words])]
}

interface ParamText {
  /** A resolved path or normalized URL; any other text unchanged. */
  resolved: string
  written: string
}

/**
 * Returns undefined if the call has no such param; `unclear` if it is neither a string, number or boolean, nor a list of these.
 */
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
