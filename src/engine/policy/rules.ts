// Rules: what a configured or remembered rule says of a call.
import type { ConfiguredRule, Match } from '../../config/schema.ts'
import { HARMLESS_FILES } from '../../shell/parsed-command-line.ts'
import { plainArgv } from '../../shell/plain.ts'
import { globMatches, literalGlob } from '../../text/glob/match.ts'
import { patternsReady } from '../../text/re2-pattern.ts'
import { allHosts, someHost } from './host-patterns.ts'
import { isLooser } from './isolation.ts'
import type { Facts, JudgedCommand, JudgedPart, Kept } from './policy-input.ts'
import { patternCovers, patternCoversPart, patternIsOnCommand, patternTouches } from './rule-patterns.ts'

/** Whether a rule says something of a call; `unclear` where that cannot be told, so that the call must be asked about. */
type Holds = boolean | 'unclear'

type Rule = Pick<ConfiguredRule, 'effect' | 'match'>

/** Loads what these rules need to be held against a call. No rule is in force before. */
export async function readyFor(rules: readonly Pick<Rule, 'match'>[]): Promise<void> {
  if (rules.some(({ match }) => match.pattern !== undefined)) await patternsReady()
}

/** A rule that allows must cover the whole call; one that denies or asks holds as soon as it touches a part of it. */
export function ruleHolds({ effect, match }: Rule, facts: Facts): Holds {
  if (effect === 'allow') return coversAround(match, facts) && coversCommand(match, facts)
  return held(TOUCHES, match, facts)
}

/** Which parts of a line that an allowing rule does not cover whole it covers at least. */
export function partsCovered({ effect, match }: Rule, facts: Facts): readonly JudgedPart[] {
  const { command } = facts
  if (effect !== 'allow' || !isOnCommand(match, facts) || !command?.literal) return []
  return coversAround(match, facts) ? command.parts.filter(part => coversPart(match, part, facts)) : []
}

export const expired = ({ expires_at }: Pick<ConfiguredRule, 'expires_at'>, now: number) =>
  typeof expires_at === 'string' && Date.parse(expires_at) <= now

type Fields = { [Field in keyof Match]-?: (match: Match, facts: Facts) => Holds }

function held(fields: Partial<Fields>, match: Match, facts: Facts): Holds {
  let holds: Holds = true
  for (const field of Object.keys(fields) as (keyof Match)[]) {
    if (match[field] === undefined) continue
    const found = fields[field]!(match, facts)
    if (found === false) return false
    if (found === 'unclear') holds = found
  }
  return holds
}

const PLAIN = {
  // A name of a toolset is meant as it stands: as a glob it could reach further than whoever wrote it knew.
  tool: ({ tool }, facts) =>
    namesOf(facts).some(name => globMatches(tool!, name)) || (facts.other_names?.includes(tool!) ?? false),
  definition: ({ definition }, { known_as }) => definition === known_as?.definition,
  category: ({ category }, facts) => category === facts.category,
  effect: ({ effect }, facts) => effect === facts.effect,
  agent: ({ agent }, facts) => facts.agent !== undefined && globMatches(agent!, facts.agent),
  client: ({ client }, facts) => globMatches(client!, facts.client),
  method: ({ method }, facts) => facts.host !== undefined && method === (facts.method ?? 'GET')
} satisfies Partial<Fields>

const namesOf = ({ tool, known_as }: Facts) => [tool, ...(known_as?.names ?? [])]

/** Everything but the command's text. */
const COVERS: Partial<Fields> = {
  ...PLAIN,
  host: ({ host }, facts) => facts.host !== undefined && allHosts([host!], facts.host),
  // What a command touches besides what it names, nobody can tell.
  path: ({ path }, { command, paths }) =>
    command === undefined && paths.length > 0 && paths.every(used => globMatches(path!, used.path)),
  // Leave for a command's text is no leave to run it with another environment or input.
  command: (_, { command, alters }) => command !== undefined && !alters?.length,
  mode: ({ command }) => command !== undefined,
  // A command's text is held against it part by part.
  pattern: (match, facts) => (patternIsOnCommand(match, facts) ? !facts.alters?.length : patternCovers(match, facts)),
  param: ({ pattern }) => pattern !== undefined
}

const coversAround = (match: Match, facts: Facts): boolean =>
  held(COVERS, match, facts) === true && coversSent(match, facts) && (!facts.kept || coversKept(match, facts.kept))

/** Leave to read at a host is none to send it anything. */
const coversSent = ({ method }: Match, { host, method: asked = 'GET', sends = [] }: Facts) =>
  host === undefined || method !== undefined || (asked === 'GET' && sends.length === 0)

/** Leave to run with much around it is none to run with less, and none to reach the network. */
const coversKept = ({ isolation, network = [] }: Match, kept: Kept) =>
  !isLooser(kept.level, isolation ?? kept.default) && kept.network.every(host => allHosts(network, host))

const isOnCommand = (match: Match, facts: Facts) => match.command !== undefined || patternIsOnCommand(match, facts)

function coversCommand(match: Match, facts: Facts): boolean {
  const { command } = facts
  if (!isOnCommand(match, facts)) return match.cwd === undefined || (command !== undefined && staysIn(match, command))
  const { parts, literal, cwd = ROOT } = command!
  if (isWhole(match, command!)) return runsIn(match, cwd)
  const covered = literal ? parts.filter(part => coversPart(match, part, facts)) : []
  return covered.length > 0 && parts.every(part => part.class === 'auto' || covered.includes(part))
}

function coversPart(match: Match, part: JudgedPart, facts: Facts) {
  const isMeant =
    (match.command === undefined || partMatches(match, part)) &&
    (!patternIsOnCommand(match, facts) || patternCoversPart(match, part))
  return isMeant && isOfItsWords(part) && runsIn(match, folderOf(part, facts.command!.cwd ?? ROOT))
}

const ROOT = '.'
/** The same words do something else in another folder, so leave for a command is leave for one. */
const runsIn = ({ cwd = literalGlob(ROOT) }: Match, folder: string | null) =>
  folder !== null && globMatches(cwd, folder)
const staysIn = (match: Match, { cwd = ROOT, parts }: JudgedCommand) =>
  [cwd, ...parts.map(part => folderOf(part, cwd))].every(folder => runsIn(match, folder))

/** Where a part of a line runs; null where that cannot be told. */
export const folderOf = ({ cwd, folder = null }: JudgedPart, line: string): string | null =>
  cwd === undefined ? line : folder

/** Leave for words is none to put what they print into a file, or a file into them. */
export const isOfItsWords = ({ text, operands }: JudgedPart) =>
  !/[<>]/.test(text) || operands.every(({ path, access }) => access === 'list' || HARMLESS_FILES.has(path))

const TOUCHES: Fields = {
  ...PLAIN,
  host: ({ host }, facts) => facts.host !== undefined && someHost([host!], facts.host),
  path: ({ path }, { paths, command }) => {
    const operands = command?.parts.flatMap(part => part.operands) ?? []
    const used = [...paths, ...operands.map(operand => ({ ...operand, path: operand.resolved ?? operand.path }))]
    if ([...used.map(each => each.path), ...(command?.named ?? [])].some(each => globMatches(path!, each))) return true
    const isUnclear = used.some(each => each.tree && mayHold(each.path, path!)) || command?.literal === false
    return isUnclear && 'unclear'
  },
  command: (match, { command }) =>
    command !== undefined &&
    (isWhole(match, command) ||
      command.parts.some(part => partMatches(match, part) || partMatches(match, withoutFolder(part))) ||
      (!command.literal && 'unclear')),
  mode: ({ command }) => command !== undefined,
  pattern: patternTouches,
  param: ({ pattern }) => pattern !== undefined,
  cwd: ({ cwd: glob }, { command }) => {
    if (!command) return false
    const { cwd = ROOT, parts } = command
    const folders = [cwd, ...parts.map(part => folderOf(part, cwd))]
    if (folders.some(folder => folder !== null && globMatches(glob!, folder))) return true
    return (folders.includes(null) || !command.literal) && 'unclear'
  },
  isolation: ({ isolation }, { kept }) => kept !== undefined && !isLooser(isolation!, kept.level),
  network: ({ network }, { kept }) => {
    const found = kept?.network.map(host => someHost(network!, host)) ?? []
    return found.includes(true) || (found.includes('unclear') && 'unclear')
  }
}

/** Whether something beneath a folder could match the glob, by the part of it that is written out. */
function mayHold(folder: string, glob: string) {
  if (folder === '.') return true
  const literal = /^[^\\*?[\]{},!]*/.exec(glob)![0]
  return literal.startsWith(`${folder}/`) || `${folder}/`.startsWith(literal)
}

const isWhole = ({ command, mode, pattern }: Match, { text }: JudgedCommand) =>
  mode !== 'prefix' && command === text && pattern === undefined

/** Whether a rule's command is this one, by its words. */
function partMatches({ command, mode }: Match, { text, argv }: Pick<JudgedPart, 'text' | 'argv'>): boolean {
  if (argv === undefined) return false
  const words = plainArgv(command!)
  if (words === undefined) return mode !== 'prefix' && command === text
  return words.every((word, i) => argv[i] === word) && (mode === 'prefix' || words.length === argv.length)
}

/** A program is the same one by its whole path. */
function withoutFolder({ text, argv }: JudgedPart): Pick<JudgedPart, 'text' | 'argv'> {
  const [program = '', ...words] = argv ?? []
  return { text, argv: argv && [program.slice(program.lastIndexOf('/') + 1), ...words] }
}
