// Matching of configured and saved rules against a call.
import type { ConfiguredRule, RuleMatch } from '../../protocol/rules.ts'
import { HARMLESS_FILES } from '../../shell/parsed-command-line.ts'
import { plainArgv } from '../../shell/plain.ts'
import { globMatches, literalGlob } from '../../text/glob/match.ts'
import { mayMatchWithin } from '../../text/glob/may-match-within.ts'
import { loadPatternEngine } from '../../text/re2-pattern.ts'
import { isLooser } from './isolation.ts'
import { patternsCoverHost, patternsOverlapHost } from './match-hosts.ts'
import type { CallFacts, CommandFacts, CommandPartFacts, ResolvedIsolation } from './policy-input.ts'
import { isCommandPattern, patternCovers, patternCoversPart, patternTouches } from './rule-patterns.ts'
import { mayRunOther } from './unknown-words.ts'

/** Outcome of a match; `unclear` if it cannot be determined, so that approval is required. */
type MatchOutcome = boolean | 'unclear'

type Rule = Pick<ConfiguredRule, 'effect' | 'match'>

/** Loads what matching these rules needs. No rule is in force before. */
export async function prepareRules(rules: readonly Pick<Rule, 'match'>[]): Promise<void> {
  if (rules.some(({ match }) => match.pattern !== undefined)) await loadPatternEngine()
}

/** Matches a rule: one that allows must cover the whole call; one that denies or asks matches any part of it. */
export function ruleMatches({ effect, match }: Rule, facts: CallFacts): MatchOutcome {
  if (effect === 'allow') return coversContext(match, facts) && coversCommand(match, facts)
  return matchFields(TOUCH_MATCHERS, match, facts)
}

/**
 * Returns the path of a rule that denies or asks about files, whatever the call names; undefined if the rule is about other calls.
 */
export function findGuardedPaths({ effect, match }: Rule, facts: CallFacts): string | undefined {
  if (effect === 'allow' || match.path === undefined) return undefined
  return matchFields(TOUCH_CONTEXT_MATCHERS, match, facts) === false ? undefined : match.path
}

/** Returns true for a match about reading a path, whatever else the call that reads it does. */
export const isAboutReading = ({ effect, path }: RuleMatch) => effect === 'read' && path !== undefined

/** Returns the parts of a line that an allow rule covers, if it does not cover the whole line. */
export function findCoveredParts({ effect, match }: Rule, facts: CallFacts): readonly CommandPartFacts[] {
  const { command } = facts
  if (effect !== 'allow' || !isCommandRule(match, facts) || !command?.literal) return []
  return coversContext(match, facts) ? command.parts.filter(part => coversPart(match, part, facts)) : []
}

export const isExpired = ({ expires_at }: Pick<ConfiguredRule, 'expires_at'>, now: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= now

type FieldMatchers = { [Field in keyof RuleMatch]-?: (match: RuleMatch, facts: CallFacts) => MatchOutcome }

function matchFields(fields: Partial<FieldMatchers>, match: RuleMatch, facts: CallFacts): MatchOutcome {
  let holds: MatchOutcome = true
  for (const field of Object.keys(fields) as (keyof RuleMatch)[]) {
    if (match[field] === undefined) continue
    const found = fields[field]!(match, facts)
    if (found === false) return false
    if (found === 'unclear') holds = found
  }
  return holds
}

const COMMON_MATCHERS = {
  // A toolset's name for a tool is matched literally: as a glob it could match more than its author expected.
  tool: ({ tool }, facts) =>
    getToolNames(facts).some(name => globMatches(tool!, name)) || (facts.alternateNames?.includes(tool!) ?? false),
  definition: ({ definition }, { externalTool }) => definition === externalTool?.definition,
  category: ({ category }, facts) => category === facts.category,
  effect: ({ effect }, facts) => effect === facts.effect,
  agent: ({ agent }, facts) => facts.agent !== undefined && globMatches(agent!, facts.agent),
  client: ({ client }, facts) => globMatches(client!, facts.client),
  sources: (_, { command, sources }) => command !== undefined && (sources === undefined || sources === 'approved'),
  method: ({ method }, facts) => facts.host !== undefined && method === (facts.method ?? 'GET')
} satisfies Partial<FieldMatchers>

const getToolNames = ({ tool, externalTool }: CallFacts) => [tool, ...(externalTool?.names ?? [])]

/** Everything except the command's text. */
const COVER_MATCHERS: Partial<FieldMatchers> = {
  ...COMMON_MATCHERS,
  host: ({ host }, facts) => facts.host !== undefined && patternsCoverHost([host!], facts.host),
  // The paths that a command touches besides its operands are unknown.
  path: ({ path }, { command, paths }) =>
    command === undefined && paths.length > 0 && paths.every(used => globMatches(path!, used.path)),
  // Permission for a command's text does not extend to another environment or input.
  command: (_, { command, modifiers }) => command !== undefined && !modifiers?.length,
  mode: ({ command }) => command !== undefined,
  // The text of a command is matched part by part.
  pattern: (match, facts) => (isCommandPattern(match, facts) ? !facts.modifiers?.length : patternCovers(match, facts)),
  param: ({ pattern }) => pattern !== undefined
}

const coversContext = (match: RuleMatch, facts: CallFacts): boolean =>
  matchFields(COVER_MATCHERS, match, facts) === true &&
  coversRequest(match, facts) &&
  (!facts.isolation || coversIsolation(match, facts.isolation))

/** Permission to read from a host does not include sending data to it. */
const coversRequest = ({ method }: RuleMatch, { host, method: requestMethod = 'GET', sends = [] }: CallFacts) =>
  host === undefined || method !== undefined || (requestMethod === 'GET' && sends.length === 0)

/** Permission for one isolation level includes neither looser ones nor network access, in either direction. */
const coversIsolation = ({ isolation, network = [], ports = [] }: RuleMatch, resolved: ResolvedIsolation) =>
  !isLooser(resolved.level, isolation ?? resolved.default) &&
  (resolved.ports ?? []).every(port => ports.includes(port)) &&
  resolved.network.every(host => patternsCoverHost(network, host))

const isCommandRule = (match: RuleMatch, facts: CallFacts) =>
  match.command !== undefined || isCommandPattern(match, facts)

function coversCommand(match: RuleMatch, facts: CallFacts): boolean {
  const { command } = facts
  if (!isCommandRule(match, facts))
    return match.cwd === undefined || (command !== undefined && staysInFolder(match, command))
  const { parts, literal, cwd = ROOT } = command!
  if (matchesWholeLine(match, command!)) return matchesFolder(match, cwd)
  const covered = literal ? parts.filter(part => coversPart(match, part, facts)) : []
  return covered.length > 0 && parts.every(part => part.class === 'auto' || covered.includes(part))
}

function coversPart(match: RuleMatch, part: CommandPartFacts, facts: CallFacts) {
  const isMeant =
    (match.command === undefined || partMatches(match, part)) &&
    (!isCommandPattern(match, facts) || patternCoversPart(match, part))
  return (
    isMeant && hasOnlyHarmlessRedirects(part) && matchesFolder(match, getPartFolder(part, facts.command!.cwd ?? ROOT))
  )
}

const ROOT = '.'
/** The same words have other effects in another folder, so permission for a command is limited to one. */
const matchesFolder = ({ cwd = literalGlob(ROOT) }: RuleMatch, folder: string | null) =>
  folder !== null && globMatches(cwd, folder)
const staysInFolder = (match: RuleMatch, { cwd = ROOT, parts }: CommandFacts) =>
  [cwd, ...parts.map(part => getPartFolder(part, cwd))].every(folder => matchesFolder(match, folder))

/** Returns the folder of a part of a line; null if it cannot be determined. */
export const getPartFolder = ({ cwd, folder = null }: CommandPartFacts, line: string): string | null =>
  cwd === undefined ? line : folder

/** The beginning of a here-document: in a literal line, one that a script reads as data. */
const QUOTED_DOCUMENT = /<<[ \t]*(?:'[\w.-]+'|"[\w.-]+"|\\[\w.-]+)/
/** Permission for words does not include redirecting their output to a file, or a file to their input. */
export const hasOnlyHarmlessRedirects = ({ text, operands }: CommandPartFacts) =>
  !/[<>]/.test(text.replace(QUOTED_DOCUMENT, '')) ||
  operands.every(({ path, access }) => access === 'list' || HARMLESS_FILES.has(path))

const TOUCH_MATCHERS: FieldMatchers = {
  ...COMMON_MATCHERS,
  // A call of any effect may read a path, so the path decides.
  effect: (match, facts) => isAboutReading(match) || COMMON_MATCHERS.effect(match, facts),
  host: ({ host }, facts) => facts.host !== undefined && patternsOverlapHost([host!], facts.host),
  path: (match, facts) => {
    const { path } = match
    const { command } = facts
    const paths = isAboutReading(match) ? facts.paths.filter(mayExposeContent) : facts.paths
    const operands = command?.parts.flatMap(part => part.operands) ?? []
    const used = [...paths, ...operands.map(operand => ({ ...operand, path: operand.resolved ?? operand.path }))]
    if (
      [
        ...used.map(each => each.path),
        ...paths.flatMap(each => each.asked ?? []),
        ...(command?.candidatePaths ?? [])
      ].some(each => globMatches(path!, each))
    )
      return true
    const isUnclear =
      used.some(each => each.tree && mayMatchWithin(each.path, path!)) ||
      mayReadUnnamedFiles(facts) ||
      command?.literal === false ||
      // Code may read any file.
      (command?.parts.some(({ contained }) => contained === 'computes') ?? false)
    return isUnclear && 'unclear'
  },
  command: (match, { command }) =>
    command !== undefined &&
    (matchesWholeLine(match, command) ||
      command.parts.some(part => partMatches(match, part) || partMatches(match, withoutProgramFolder(part))) ||
      command.parts.some(part => startsWithRule(match, part)) ||
      (mayRunOther(command, words => mayMatch(match, words)) && 'unclear')),
  mode: ({ command }) => command !== undefined,
  pattern: patternTouches,
  param: ({ pattern }) => pattern !== undefined,
  cwd: ({ cwd: glob }, { command }) => {
    if (!command) return false
    const { cwd = ROOT, parts } = command
    const folders = [cwd, ...parts.map(part => getPartFolder(part, cwd))]
    if (folders.some(folder => folder !== null && globMatches(glob!, folder))) return true
    return (folders.includes(null) || !command.literal) && 'unclear'
  },
  isolation: ({ isolation }, { isolation: resolved }) =>
    resolved !== undefined && !isLooser(isolation!, resolved.level),
  network: ({ network }, { isolation }) => {
    const found = isolation?.network.map(host => patternsOverlapHost(network!, host)) ?? []
    return found.includes(true) || (found.includes('unclear') && 'unclear')
  },
  ports: ({ ports }, { isolation }) => isolation?.ports?.some(port => ports!.includes(port)) ?? false
}

const { path: _, ...TOUCH_CONTEXT_MATCHERS } = TOUCH_MATCHERS

/** Returns true if the use reads the file, or takes it to another name, under which it could be read. */
const mayExposeContent = ({ access, moved }: CallFacts['paths'][number]) => access !== 'write' || moved === true

/**
 * Returns true for a call that may read any file without naming it: a Git command that prints what changed, and code that no sandbox
 * hides files from.
 */
function mayReadUnnamedFiles({ command, isolation, effect }: CallFacts): boolean {
  if (command?.parts.some(part => part.printsChanges)) return true
  if (!isolation || effect === 'read') return false
  const hides = !isolation.exposesWorkspace && (isolation.level === 'workspace' || isolation.level === 'read-only')
  return !hides && (command === undefined ? effect === 'execute' : command.parts.some(part => part.class !== 'auto'))
}

const matchesWholeLine = ({ command, mode, pattern }: RuleMatch, { text }: CommandFacts) =>
  mode !== 'prefix' && command === text && pattern === undefined

/** Returns true if a rule's command matches this one by its words. */
function partMatches({ command, mode }: RuleMatch, { text, argv }: Pick<CommandPartFacts, 'text' | 'argv'>): boolean {
  if (argv === undefined) return false
  const words = plainArgv(command!)
  if (words === undefined) return mode !== 'prefix' && command === text
  return words.every((word, i) => argv[i] === word) && (mode === 'prefix' || words.length === argv.length)
}

/** Returns true if a part, or a command that it runs, begins with the words of a rule about a prefix, whatever follows. */
function startsWithRule({ command, mode }: RuleMatch, { leadingWords = [], runs = [] }: CommandPartFacts) {
  const words = mode === 'prefix' ? plainArgv(command!) : undefined
  return [leadingWords, ...runs].some(([program = '', ...rest]) =>
    words?.every((word, i) => word === (i === 0 ? baseName(program) : rest[i - 1]))
  )
}

/** Returns true if a command that begins with these words may be the command of a rule. */
function mayMatch({ command, mode }: RuleMatch, [program = '', ...rest]: readonly string[]): boolean {
  const words = plainArgv(command!)
  if (words === undefined) return mode !== 'prefix'
  return [baseName(program), ...rest].every((word, i) => i >= words.length || word === words[i] || isOption(word, i))
}

/** An option may stand before the words of a rule, and change nothing about what the program does. */
const isOption = (word: string, index: number) => index > 0 && word.startsWith('-')

const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1)

/** Strips the folder from the program: it is the same program by its absolute path. */
function withoutProgramFolder({ text, argv }: CommandPartFacts): Pick<CommandPartFacts, 'text' | 'argv'> {
  const [program = '', ...words] = argv ?? []
  return { text, argv: argv && [baseName(program), ...words] }
}
