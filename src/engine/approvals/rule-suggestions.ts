// The literal rules that would have let a call through, the narrowest first. None covers more than its label says.
import type { Match } from '../../config/schema.ts'
import { plainArgv } from '../../shell/plain.ts'
import { literalGlob } from '../../text/glob/match.ts'
import { readHostPattern } from '../../text/url/hosts.ts'
import type { KnownAs } from '../../tool/tool.ts'
import type { AlwaysOption } from '../call.ts'
import type { Facts, JudgedCommand, Kept } from '../policy/policy-input.ts'
import { folderOf, isOfItsWords } from '../policy/rules.ts'
import { keepsGit } from '../policy/sandbox-warnings.ts'

interface Width {
  name: string
  words: string
  /** One for each command of a line that needs leave. */
  matches: [Match, ...Match[]]
}

const SCOPE_WORDS = { session: ', in this session', workspace: ', in this workspace' }

export function alwaysOptions(facts: Facts): AlwaysOption[] {
  return widths(facts).flatMap(({ name, words, matches }) =>
    (['session', 'workspace'] as const).map(scope => {
      const [rule, ...others] = matches.map(match => ({ effect: 'allow' as const, match }))
      return {
        id: `${name}:${scope}`,
        label: `Always allow ${words}${SCOPE_WORDS[scope]}`,
        scope,
        ...(others.length === 0 ? { rule: rule! } : { rules: [rule!, ...others] })
      }
    })
  )
}

function widths(facts: Facts): Width[] {
  if (facts.command) return ofCommand(facts, facts.command)
  if (facts.known_as) return ofForeign(facts.known_as)
  if (facts.host !== undefined) return ofHost(facts, facts.host)
  // What is run is nowhere a rule could name it.
  return facts.effect === 'execute' ? [] : ofPaths(facts)
}

/** As it is now: once the tool is described otherwise, it is asked about again. */
function ofForeign({ names, definition }: KnownAs): Width[] {
  const [name] = names
  return [{ name: 'tool', words: `${name} as it is now`, matches: [{ tool: literalGlob(name!), definition }] }]
}

function ofCommand({ tool, alters, kept }: Facts, command: JudgedCommand): Width[] {
  // A rule on the text alone would say nothing of what else changes the command.
  if (alters?.length || command.class === 'strict' || !command.literal) return []
  // It would fail as always.
  if (kept && keepsGit(command, kept.level)) return []
  const { cwd = ROOT } = command
  const around = { tool: literalGlob(tool), ...(kept && keptBy(kept)) }
  const suffix = kept ? wordsOf(kept) : ''
  const exactly: Width = {
    name: 'command',
    words: `exactly \`${command.text}\`${within(cwd)}${suffix}`,
    matches: [{ ...around, ...inFolder(cwd), command: command.text, mode: 'exact' }]
  }
  const [first, ...others] = prefixes(command) ?? []
  if (first === undefined) return [exactly]
  const match = ({ words, folder }: Prefix): Match => ({
    ...around,
    ...inFolder(folder),
    command: words,
    mode: 'prefix'
  })
  const named = [first, ...others].map(({ words, folder }) => `\`${words}\`${within(folder)}`).join(' or ')
  return [
    exactly,
    {
      name: 'prefix',
      words: `commands that begin with ${named}${suffix}`,
      matches: [match(first), ...others.map(match)]
    }
  ]
}

const ROOT = '.'
const inFolder = (folder: string): Match => (folder === ROOT ? {} : { cwd: literalGlob(folder) })
const within = (folder: string) => (folder === ROOT ? '' : ` in ${folder}`)

interface Prefix {
  words: string
  folder: string
}

/** The leading words of each part that needs leave, and where it runs; undefined where one has none that a rule could
 * name. */
function prefixes(command: JudgedCommand): Prefix[] | undefined {
  if (!command.literal) return undefined
  const found = new Map<string, Prefix>()
  for (const part of command.parts) {
    if (part.class === 'auto') continue
    const words = part.prefix?.join(' ')
    const folder = folderOf(part, command.cwd ?? ROOT)
    if (!words || plainArgv(words)?.length !== part.prefix?.length || !isOfItsWords(part)) return undefined
    if (folder === null) return undefined
    found.set(`${words}\0${folder}`, { words, folder })
  }
  return [...found.values()]
}

const keptBy = ({ level, network }: Kept): Match => ({
  isolation: level === 'container' ? 'workspace' : level,
  ...(network.length > 0 && { network: [...network] })
})

const wordsOf = ({ level, default: usual, network }: Kept) =>
  `${level === usual ? '' : `, with isolation ${level}`}${network.length > 0 ? `, reaching ${network.join(', ')}` : ''}`

function ofHost({ tool, method = 'GET', sends = [] }: Facts, host: string): Width[] {
  // What cannot be read as a host is let through by no rule.
  if (!readHostPattern(host)) return []
  const name = host.replace(/:(?:80|443)$/, '')
  const plain = method === 'GET' && sends.length === 0
  const words = plain ? `${tool} from ${name}` : `${tool} from ${name} by ${method}, with whatever it sends`
  return [
    { name: 'host', words, matches: [{ tool: literalGlob(tool), host: name, ...(!plain && { method }) } as Match] }
  ]
}

function ofPaths({ tool, paths }: Facts): Width[] {
  const match: Match = { tool: literalGlob(tool) }
  const any: Width = { name: 'tool', words: `${tool} on any file`, matches: [match] }
  const [only, ...others] = new Set(paths.map(({ path }) => path))
  if (only === undefined) return [{ ...any, words: tool }]
  if (others.length > 0) return [any]
  const file: Width = { name: 'path', words: `${tool} on ${only}`, matches: [{ ...match, path: literalGlob(only) }] }
  if (!only.includes('/')) return [file, any]
  const folder = only.slice(0, only.lastIndexOf('/'))
  const beneath: Match = { ...match, path: `${literalGlob(folder)}/**` }
  return [file, { name: 'folder', words: `${tool} beneath ${folder}/`, matches: [beneath] }, any]
}
