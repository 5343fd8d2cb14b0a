// Validation of rules before they are accepted.
import type { ConfiguredRule, RuleMatch } from '../../protocol/rules.ts'
import { plainArgv } from '../../shell/plain.ts'
import { globMatches } from '../../text/glob/match.ts'
import { patternError, patternMatches } from '../../text/re2-pattern.ts'
import { hostPatternError } from '../../text/url/hosts.ts'
import { analyzeCommand } from './command-facts.ts'
import type { CallFacts } from './policy-input.ts'
import { prepareRules, ruleMatches } from './rules.ts'

/** Returns the errors of a rule and of its examples; empty if it is valid. */
export async function validateRule({
  effect,
  match,
  approver,
  approvals,
  expires_after,
  limit,
  examples
}: ConfiguredRule): Promise<string[]> {
  await prepareRules([{ match }])
  const errors = validateMatch(match)
  if (approver !== undefined && effect !== 'ask') errors.push('approver is only for rules with the effect ask')
  if (approvals !== undefined && effect !== 'ask') errors.push('approvals is only for rules with the effect ask')
  if (expires_after !== undefined && effect !== 'ask')
    errors.push('expires_after is only for rules with the effect ask')
  if (limit !== undefined && effect !== 'allow') errors.push('limit is only for rules with the effect allow')
  if (GLOB_FIELDS.some(field => validateGlob(field, match[field]).length > 0) || validatePattern(match).length > 0)
    return errors
  for (const example of examples?.match ?? [])
    if (!(await matchesExample(match, example)))
      errors.push(`does not match its example ${JSON.stringify(example)}, but should`)
  for (const example of examples?.no_match ?? [])
    if (await matchesExample(match, example))
      errors.push(`matches its example ${JSON.stringify(example)}, but should not`)
  return errors
}

/** Returns the errors of a matcher. Patterns must have been loaded. */
export function validateMatch(match: RuleMatch): string[] {
  const errors: string[] = []
  if (Object.keys(match).length === 0) errors.push('match is empty, so the rule would apply to every call')
  if (match.mode !== undefined && match.command === undefined) errors.push('mode is only for rules with command')
  if (match.param !== undefined && match.pattern === undefined) errors.push('param is only for rules with pattern')
  if (match.mode === 'prefix' && match.command !== undefined && plainArgv(match.command) === undefined)
    errors.push('a prefix must consist of plain words, without quotes, variables or operators')
  for (const text of [match.host, ...(match.network ?? [])]) {
    const error = text === undefined ? undefined : hostPatternError(text)
    if (error !== undefined) errors.push(error)
  }
  return [...errors, ...GLOB_FIELDS.flatMap(field => validateGlob(field, match[field])), ...validatePattern(match)]
}

/**
 * Matches an example: a command, a param's text, a path or a tool name, depending on the field that the rule names. Only that
 * field is matched.
 */
async function matchesExample(
  { command, mode, pattern, param, path, tool }: RuleMatch,
  example: string
): Promise<boolean> {
  if (command !== undefined) return matchesCommand({ command, ...(mode !== undefined && { mode }) }, example)
  if (pattern !== undefined && param === COMMAND_PARAM) return matchesCommand({ pattern, param }, example)
  if (pattern !== undefined) return patternMatches(pattern, example, 'line') === true
  const glob = path ?? tool
  return glob !== undefined && globMatches(glob, example)
}

/** The param with the command line, in every tool that has one. */
const COMMAND_PARAM = 'command'

async function matchesCommand(match: RuleMatch, line: string): Promise<boolean> {
  const facts: CallFacts = { ...EMPTY_FACTS, params: { [COMMAND_PARAM]: line }, command: await analyzeCommand(line) }
  return ruleMatches({ effect: 'allow', match }, facts) === true
}

const EMPTY_FACTS = { tool: '', category: 'commands', effect: 'execute', paths: [], client: '' } as const

const GLOB_FIELDS = ['tool', 'path', 'cwd', 'agent', 'client'] as const

function validatePattern({ pattern }: RuleMatch): string[] {
  const error = pattern === undefined ? undefined : patternError(pattern)
  return error === undefined ? [] : [`pattern: ${error}`]
}

function validateGlob(field: string, glob: string | undefined): string[] {
  try {
    if (glob !== undefined) globMatches(glob, '')
    return []
  } catch (error) {
    return [`${field}: ${(error as SyntaxError).message}`]
  }
}
