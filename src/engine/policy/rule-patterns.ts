// Patterns of rules, held against one param of a call. The text of a command is held against them part by part, a path and
// a URL by what they mean.
import type { Match } from '../../config/schema.ts'
import { patternMatches } from '../../text/re2-pattern.ts'
import { shellWords } from '../../text/shell-quote.ts'
import type { Facts, JudgedPart } from './policy-input.ts'

type Patterned = Pick<Match, 'pattern' | 'param'>
type Words = Pick<JudgedPart, 'text' | 'argv'>

/** Whether a pattern is meant for the command's text, so that each part of the line counts by itself. */
export const patternIsOnCommand = (match: Patterned, facts: Facts): boolean =>
  match.pattern !== undefined && facts.command !== undefined && valueIn(match, facts) === facts.command.text

/** To allow: whether the words of one command are what the pattern says. */
export const patternCoversPart = ({ pattern }: Patterned, { argv }: Words): boolean =>
  argv !== undefined && patternMatches(pattern!, shellWords(argv), 'line') === true

/** To allow: whether all that the param says is what the pattern says. */
export function patternCovers(match: Patterned, facts: Facts): boolean {
  const texts = textsOf(match, facts)
  return Array.isArray(texts) && texts.every(({ meant }) => patternMatches(match.pattern!, meant, 'line') === true)
}

/** To ask or deny: whether anything that the param says is what the pattern says. */
export function patternTouches(match: Patterned, facts: Facts): boolean | 'unclear' {
  const texts = textsOf(match, facts)
  if (texts === undefined || texts === 'unclear') return texts ?? false
  const parts = patternIsOnCommand(match, facts) ? facts.command!.parts : []
  const all = [...texts.flatMap(({ meant, written }) => [meant, written]), ...parts.flatMap(textsOfPart)]
  const found = new Set(all.map(text => patternMatches(match.pattern!, text, 'text')))
  if (found.has(true)) return true
  return (found.has(undefined) || (parts.length > 0 && !facts.command!.literal)) && 'unclear'
}

/** As written, by its words, and with the program named without its folder. */
function textsOfPart({ text, argv }: Words): string[] {
  if (argv === undefined) return [text]
  const [program = '', ...words] = argv
  return [text, shellWords(argv), shellWords([program.slice(program.lastIndexOf('/') + 1), ...words])]
}

interface ParamText {
  /** A path as it was found, a URL as it is asked for; any other text as it is. */
  meant: string
  written: string
}

/** Undefined where the call has no such param; `unclear` where it is no text, number or truth value, and no list of these. */
function textsOf(match: Patterned, facts: Facts): ParamText[] | 'unclear' | undefined {
  const value = valueIn(match, facts)
  const items: unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || value === null || items.length === 0) return undefined
  return items.every(item => SCALARS.has(typeof item)) ? items.map(item => textOf(String(item), facts)) : 'unclear'
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

function valueIn({ param }: Patterned, { params, primary }: Facts): unknown {
  const name = param ?? primary
  if (name === undefined || typeof params !== 'object' || params === null || !Object.hasOwn(params, name))
    return undefined
  return (params as Record<string, unknown>)[name]
}

function textOf(written: string, { paths, url }: Facts): ParamText {
  const path = paths.find(({ path, given = path }) => given === written)?.path
  return { meant: path ?? (written === url ? new URL(url).href : written), written }
}
