// What is wrong with a rule as written, told before it is taken.
import type { ConfiguredRule, Match } from '../../config/schema.ts'
import { plainArgv } from '../../shell/plain.ts'
import { globMatches } from '../../text/glob/match.ts'
import { patternFault, patternMatches } from '../../text/re2-pattern.ts'
import { hostPatternFault } from '../../text/url/hosts.ts'
import { commandFacts } from './command-facts.ts'
import type { Facts } from './policy-input.ts'
import { readyFor, ruleHolds } from './rules.ts'

/** What is wrong with a rule by itself and by its own examples; empty where nothing is. */
export async function ruleFaults({ match, examples }: ConfiguredRule): Promise<string[]> {
  await readyFor([{ match }])
  const faults = matchFaults(match)
  if (GLOBS.some(field => globFault(field, match[field]).length > 0) || faultOfPattern(match).length > 0) return faults
  for (const example of examples?.match ?? [])
    if (!(await holds(match, example))) faults.push(`does not match its example ${JSON.stringify(example)}`)
  for (const example of examples?.no_match ?? [])
    if (await holds(match, example)) faults.push(`matches ${JSON.stringify(example)}, which it must not`)
  return faults
}

/** The same of what it matches alone. What patterns need has been loaded. */
export function matchFaults(match: Match): string[] {
  const faults: string[] = []
  if (Object.keys(match).length === 0) faults.push('match names nothing, so the rule would hold for every call')
  if (match.mode !== undefined && match.command === undefined) faults.push('mode needs command')
  if (match.param !== undefined && match.pattern === undefined) faults.push('param needs pattern')
  if (match.mode === 'prefix' && match.command !== undefined && plainArgv(match.command) === undefined)
    faults.push('a prefix must be plain words, without quotes, variables or operators')
  for (const text of [match.host, ...(match.network ?? [])]) {
    const fault = text === undefined ? undefined : hostPatternFault(text)
    if (fault !== undefined) faults.push(fault)
  }
  return [...faults, ...GLOBS.flatMap(field => globFault(field, match[field])), ...faultOfPattern(match)]
}

/** Examples are commands, texts of a param, paths or names of tools, by what the rule names. They are held against that
 * field alone. */
async function holds({ command, mode, pattern, param, path, tool }: Match, example: string): Promise<boolean> {
  if (command !== undefined) return commandHolds({ command, ...(mode !== undefined && { mode }) }, example)
  if (pattern !== undefined && param === COMMAND) return commandHolds({ pattern, param }, example)
  if (pattern !== undefined) return patternMatches(pattern, example, 'line') === true
  const glob = path ?? tool
  return glob !== undefined && globMatches(glob, example)
}

/** The param that holds a command line, wherever there is one. */
const COMMAND = 'command'

async function commandHolds(match: Match, line: string): Promise<boolean> {
  const facts: Facts = { ...NO_CALL, params: { [COMMAND]: line }, command: await commandFacts(line) }
  return ruleHolds({ effect: 'allow', match }, facts) === true
}

const NO_CALL = { tool: '', category: 'commands', effect: 'execute', paths: [], client: '' } as const

const GLOBS = ['tool', 'path', 'cwd', 'agent', 'client'] as const

function faultOfPattern({ pattern }: Match): string[] {
  const fault = pattern === undefined ? undefined : patternFault(pattern)
  return fault === undefined ? [] : [`pattern: ${fault}`]
}

function globFault(field: string, glob: string | undefined): string[] {
  try {
    if (glob !== undefined) globMatches(glob, '')
    return []
  } catch (error) {
    return [`${field}: ${(error as SyntaxError).message}`]
  }
}
