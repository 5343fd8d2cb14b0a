// Rules: what a configured or remembered rule matches, and the literal ones that "always" offers.
import type { ConfiguredRule, Match } from '../config.ts'
import { globMatches, literalGlob } from '../text/anchored-glob.ts'
import type { Category, Effect } from '../tool.ts'
import type { AlwaysOption } from './call.ts'
import { plainArgv } from './command.ts'

/** The facts of one call that rules and policy look at. Paths are canonical. */
export interface Facts {
  tool: string
  category: Category
  effect: Effect
  paths: readonly { path: string; access: 'read' | 'write' | 'list'; tree?: boolean }[]
  command?: string | undefined
  /** Params besides the command's text that change what it does. */
  alters?: readonly string[] | undefined
  host?: string | undefined
  agent?: string | undefined
  client: string
}

/** Whether a rule says something of a call; `unclear` where that cannot be told, so that the call must be asked about. */
export type Holds = boolean | 'unclear'

/** A rule that allows must cover the whole call; one that denies or asks holds as soon as it touches a part of it. */
export function ruleHolds({ effect, match }: Pick<ConfiguredRule, 'effect' | 'match'>, facts: Facts): Holds {
  const fields = effect === 'allow' ? COVERS : TOUCHES
  let holds: Holds = true
  for (const field of Object.keys(match) as (keyof Match)[]) {
    if (match[field] === undefined) continue
    const found = fields[field](match, facts)
    if (found === false) return false
    if (found === 'unclear') holds = found
  }
  return holds
}

type Fields = Record<keyof Match, (match: Match, facts: Facts) => Holds>

const COVERS: Fields = {
  tool: ({ tool }, facts) => globMatches(tool!, facts.tool),
  category: ({ category }, facts) => category === facts.category,
  effect: ({ effect }, facts) => effect === facts.effect,
  agent: ({ agent }, facts) => facts.agent !== undefined && globMatches(agent!, facts.agent),
  client: ({ client }, facts) => globMatches(client!, facts.client),
  path: ({ path }, facts) => facts.paths.length > 0 && facts.paths.every(used => globMatches(path!, used.path)),
  host: ({ host }, facts) => facts.host !== undefined && hostMatches(host!, facts.host),
  // Leave for a command's text is no leave to run it with another environment or input.
  command: ({ command, mode }, facts) =>
    facts.command !== undefined && !facts.alters?.length && commandMatches(command!, mode, facts.command),
  mode: ({ command }) => command !== undefined
}

const TOUCHES: Fields = {
  ...COVERS,
  path: ({ path }, { paths }) =>
    paths.some(used => globMatches(path!, used.path)) ||
    (paths.some(used => used.tree && mayHold(used.path, path!)) && 'unclear'),
  command: ({ command, mode }, facts) =>
    facts.command !== undefined &&
    (commandMatches(command!, mode, facts.command) ||
      (mode === 'prefix' && plainArgv(facts.command) === undefined && 'unclear'))
}

/** Whether something beneath a folder could match the glob, by the part of it that is written out. */
function mayHold(folder: string, glob: string) {
  if (folder === '.') return true
  const literal = /^[^\\*?[\]{},!]*/.exec(glob)![0]
  return literal.startsWith(`${folder}/`) || `${folder}/`.startsWith(literal)
}

function hostMatches(pattern: string, host: string) {
  const wanted = pattern.toLowerCase()
  const given = host.toLowerCase()
  return wanted.startsWith('*.') ? given.endsWith(wanted.slice(1)) : given === wanted
}

function commandMatches(wanted: string, mode: Match['mode'], command: string) {
  if (mode !== 'prefix') return command === wanted
  const argv = plainArgv(command)
  const prefix = plainArgv(wanted)
  return argv !== undefined && (prefix?.every((word, i) => argv[i] === word) ?? false)
}

/** What is wrong with a rule by its own examples; empty where nothing is. */
export function ruleFaults({ match, examples }: ConfiguredRule): string[] {
  const faults: string[] = []
  if (Object.keys(match).length === 0) faults.push('match names nothing, so the rule would hold for every call')
  if (match.mode !== undefined && match.command === undefined) faults.push('mode needs command')
  if (match.mode === 'prefix' && match.command !== undefined && plainArgv(match.command) === undefined)
    faults.push('a prefix must be plain words, without quotes, variables or operators')
  const wrong = GLOBS.flatMap(field => globFault(field, match[field]))
  if (wrong.length > 0) return [...faults, ...wrong]
  const holds = (example: string) =>
    match.command !== undefined
      ? commandMatches(match.command, match.mode, example)
      : match.path !== undefined
        ? globMatches(match.path, example)
        : match.tool !== undefined && globMatches(match.tool, example)
  for (const example of examples?.match ?? [])
    if (!holds(example)) faults.push(`does not match its example ${JSON.stringify(example)}`)
  for (const example of examples?.no_match ?? [])
    if (holds(example)) faults.push(`matches ${JSON.stringify(example)}, which it must not`)
  return faults
}

const GLOBS = ['tool', 'path', 'agent', 'client'] as const

function globFault(field: string, glob: string | undefined): string[] {
  try {
    if (glob !== undefined) globMatches(glob, '')
    return []
  } catch (error) {
    return [`${field}: ${(error as SyntaxError).message}`]
  }
}

/** The literal rules that would have let this call through, the narrowest first. */
export function alwaysOptions(facts: Facts): AlwaysOption[] {
  return widths(facts).flatMap(({ name, words, match }) =>
    (['session', 'workspace'] as const).map(scope => ({
      id: `${name}:${scope}`,
      label: `Always allow ${words}${SCOPE_WORDS[scope]}`,
      scope,
      rule: { effect: 'allow' as const, match }
    }))
  )
}

const SCOPE_WORDS = { session: ', in this session', workspace: ', in this workspace' }

function widths({ tool, paths, command, alters }: Facts): { name: string; words: string; match: Match }[] {
  // A rule on the text alone would say nothing of what else changes the command.
  if (command !== undefined && alters?.length) return []
  if (command !== undefined)
    return [
      { name: 'command', words: `exactly \`${command}\``, match: { tool: literalGlob(tool), command, mode: 'exact' } }
    ]
  const match = { tool: literalGlob(tool) }
  const any = { name: 'tool', words: `${tool} on any file`, match }
  const [only, ...others] = new Set(paths.map(({ path }) => path))
  if (only === undefined) return [{ ...any, words: tool }]
  if (others.length > 0) return [any]
  const folder = only.includes('/') ? only.slice(0, only.lastIndexOf('/')) : undefined
  return [
    { name: 'path', words: `${tool} on ${only}`, match: { ...match, path: literalGlob(only) } },
    ...(folder === undefined
      ? []
      : [
          {
            name: 'folder',
            words: `${tool} beneath ${folder}/`,
            match: { ...match, path: `${literalGlob(folder)}/**` }
          }
        ]),
    any
  ]
}
