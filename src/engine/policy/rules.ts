// Rules: what a configured or remembered rule says of a call.
import type { ConfiguredRule, RuleMatch } from '../../config/schema.ts'
import { HARMLESS_FILES } from '../../shell/parsed-command-line.ts'
import { plainArgv } from '../../shell/plain.ts'
import { globMatches, literalGlob } from '../../text/glob/match.ts'
import { loadPatternEngine } from '../../text/re2-pattern.ts'
import { patternsCoverHost, patternsOverlapHost } from './host-patterns.ts'
import { isLooser } from './isolation.ts'
import type { CallFacts, CommandFacts, CommandPartFacts, ResolvedIsolation } from './policy-input.ts'
import { isCommandPattern, patternCovers, patternCoversPart, patternTouches } from './rule-patterns.ts'

/** Whether a rule says something of a call; `unclear` where that cannot be told, so that the call must be asked about. */
type MatchOutcome = boolean | 'unclear'

type Rule = Pick<ConfiguredRule, 'effect' | 'match'>

/** Loads what these rules need to be held against a call. No rule is in force before. */
export async function prepareRules(rules: readonly Pick<Rule, 'match'>[]): Promise<void> {
  if (rules.some(({ match }) => match.pattern !== undefined)) await loadPatternEngine()
}

/** A rule that allows must cover the whole call; one that denies or asks holds as soon as it touches a part of it. */
export function ruleMatches({ effect, match }: Rule, facts: CallFacts): MatchOutcome {
  if (effect === 'allow') return coversContext(match, facts) && coversCommand(match, facts)
  return matchFields(TOUCH_MATCHERS, match, facts)
}

/** Which parts of a line that an allowing rule does not cover whole it covers at least. */
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
  // A name of a toolset is meant as it stands: as a glob it could reach further than whoever wrote it knew.
  tool: ({ tool }, facts) =>
    getToolNames(facts).some(name => globMatches(tool!, name)) || (facts.alternateNames?.includes(tool!) ?? false),
  definition: ({ definition }, { externalTool }) => definition === externalTool?.definition,
  category: ({ category }, facts) => category === facts.category,
  effect: ({ effect }, facts) => effect === facts.effect,
  agent: ({ agent }, facts) => facts.agent !== undefined && globMatches(agent!, facts.agent),
  client: ({ client }, facts) => globMatches(client!, facts.client),
  method: ({ method }, facts) => facts.host !== undefined && method === (facts.method ?? 'GET')
} satisfies Partial<FieldMatchers>

const getToolNames = ({ tool, externalTool }: CallFacts) => [tool, ...(externalTool?.names ?? [])]

/** Everything but the command's text. */
const COVER_MATCHERS: Partial<FieldMatchers> = {
  ...COMMON_MATCHERS,
  host: ({ host }, facts) => facts.host !== undefined && patternsCoverHost([host!], facts.host),
  // What a command touches besides what it names, nobody can tell.
  path: ({ path }, { command, paths }) =>
    command === undefined && paths.length > 0 && paths.every(used => globMatches(path!, used.path)),
  // Leave for a command's text is no leave to run it with another environment or input.
  command: (_, { command, modifiers }) => command !== undefined && !modifiers?.length,
  mode: ({ command }) => command !== undefined,
  // A command's text is held against it part by part.
  pattern: (match, facts) => (isCommandPattern(match, facts) ? !facts.modifiers?.length : patternCovers(match, facts)),
  param: ({ pattern }) => pattern !== undefined
}

const coversContext = (match: RuleMatch, facts: CallFacts): boolean =>
  matchFields(COVER_MATCHERS, match, facts) === true &&
  coversRequest(match, facts) &&
  (!facts.isolation || coversIsolation(match, facts.isolation))

/** Leave to read at a host is none to send it anything. */
const coversRequest = ({ method }: RuleMatch, { host, method: asked = 'GET', sends = [] }: CallFacts) =>
  host === undefined || method !== undefined || (asked === 'GET' && sends.length === 0)

/** Leave to run with much around it is none to run with less, and none to reach the network. */
const coversIsolation = ({ isolation, network = [] }: RuleMatch, kept: ResolvedIsolation) =>
  !isLooser(kept.level, isolation ?? kept.default) && kept.network.every(host => patternsCoverHost(network, host))

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
/** The same words do something else in another folder, so leave for a command is leave for one. */
const matchesFolder = ({ cwd = literalGlob(ROOT) }: RuleMatch, folder: string | null) =>
  folder !== null && globMatches(cwd, folder)
const staysInFolder = (match: RuleMatch, { cwd = ROOT, parts }: CommandFacts) =>
  [cwd, ...parts.map(part => getPartFolder(part, cwd))].every(folder => matchesFolder(match, folder))

/** Where a part of a line runs; null where that cannot be told. */
export const getPartFolder = ({ cwd, folder = null }: CommandPartFacts, line: string): string | null =>
  cwd === undefined ? line : folder

/** Leave for words is none to put what they print into a file, or a file into them. */
export const hasOnlyHarmlessRedirects = ({ text, operands }: CommandPartFacts) =>
  !/[<>]/.test(text) || operands.every(({ path, access }) => access === 'list' || HARMLESS_FILES.has(path))

const TOUCH_MATCHERS: FieldMatchers = {
  ...COMMON_MATCHERS,
  host: ({ host }, facts) => facts.host !== undefined && patternsOverlapHost([host!], facts.host),
  path: ({ path }, { paths, command }) => {
    const operands = command?.parts.flatMap(part => part.operands) ?? []
    const used = [...paths, ...operands.map(operand => ({ ...operand, path: operand.resolved ?? operand.path }))]
    if ([...used.map(each => each.path), ...(command?.candidatePaths ?? [])].some(each => globMatches(path!, each)))
      return true
    const isUnclear = used.some(each => each.tree && mayContainMatch(each.path, path!)) || command?.literal === false
    return isUnclear && 'unclear'
  },
  command: (match, { command }) =>
    command !== undefined &&
    (matchesWholeLine(match, command) ||
      command.parts.some(part => partMatches(match, part) || partMatches(match, withoutProgramFolder(part))) ||
      (!command.literal && 'unclear')),
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
  isolation: ({ isolation }, { isolation: kept }) => kept !== undefined && !isLooser(isolation!, kept.level),
  network: ({ network }, { isolation }) => {
    const found = isolation?.network.map(host => patternsOverlapHost(network!, host)) ?? []
    return found.includes(true) || (found.includes('unclear') && 'unclear')
  }
}

/** Whether something beneath a folder could match the glob, by the part of it that is written out. */
function mayContainMatch(folder: string, glob: string) {
  if (folder === '.') return true
  const literal = /^[^\\*?[\]{},!]*/.exec(glob)![0]
  return literal.startsWith(`${folder}/`) || `${folder}/`.startsWith(literal)
}

const matchesWholeLine = ({ command, mode, pattern }: RuleMatch, { text }: CommandFacts) =>
  mode !== 'prefix' && command === text && pattern === undefined

/** Whether a rule's command is this one, by its words. */
function partMatches({ command, mode }: RuleMatch, { text, argv }: Pick<CommandPartFacts, 'text' | 'argv'>): boolean {
  if (argv === undefined) return false
  const words = plainArgv(command!)
  if (words === undefined) return mode !== 'prefix' && command === text
  return words.every((word, i) => argv[i] === word) && (mode === 'prefix' || words.length === argv.length)
}

/** A program is the same one by its whole path. */
function withoutProgramFolder({ text, argv }: CommandPartFacts): Pick<CommandPartFacts, 'text' | 'argv'> {
  const [program = '', ...words] = argv ?? []
  return { text, argv: argv && [program.slice(program.lastIndexOf('/') + 1), ...words] }
}
