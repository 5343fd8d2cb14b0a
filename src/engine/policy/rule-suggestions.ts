// Suggested rules that would have allowed a call, the narrowest first. None covers more than its label says.

import type { AlwaysOption } from '../../protocol/decisions.ts'
import type { RuleMatch } from '../../protocol/rules.ts'
import { plainArgv } from '../../shell/plain.ts'
import { literalGlob } from '../../text/glob/match.ts'
import { redactCredentials } from '../../text/secrets/credentials.ts'
import { readHostPattern } from '../../text/url/hosts.ts'
import type { ExternalToolIdentity } from '../../tool/request.ts'
import { isConfined } from './confined-commands.ts'
import { formatPorts } from './format-ports.ts'
import type { CallFacts, CommandFacts, ResolvedIsolation } from './policy-input.ts'
import { getPartFolder, hasOnlyHarmlessRedirects } from './rules.ts'
import { blocksGitWrites } from './sandbox-warnings.ts'

interface Suggestion {
  name: string
  label: string
  /** One for each command of a line that needs permission. */
  matches: [RuleMatch, ...RuleMatch[]]
}

const SCOPE_LABELS = { session: ', in this session', workspace: ', in this workspace' }

export function suggestRules(facts: CallFacts): AlwaysOption[] {
  const suggestions = collectSuggestions(facts)
  return suggestions
    .filter(one => redactCredentials(one) === one)
    .flatMap(({ name, label, matches }) =>
      (['session', 'workspace'] as const).map(scope => {
        const [rule, ...others] = matches.map(match => ({ effect: 'allow' as const, match }))
        return {
          id: `${name}:${scope}`,
          label: `Always allow ${label}${SCOPE_LABELS[scope]}`,
          scope,
          ...(others.length === 0 ? { rule: rule! } : { rules: [rule!, ...others] })
        }
      })
    )
}

function collectSuggestions(facts: CallFacts): Suggestion[] {
  if (facts.command) return suggestForCommand(facts, facts.command)
  if (facts.externalTool) return suggestForExternalTool(facts.externalTool)
  if (facts.host !== undefined) return suggestForHost(facts, facts.host)
  // No rule can name the code that runs.
  return facts.effect === 'execute' ? [] : suggestForPaths(facts)
}

/** Bound to the current definition: when it changes, approval is required again. */
function suggestForExternalTool({ names, definition }: ExternalToolIdentity): Suggestion[] {
  const [name] = names
  return [
    { name: 'tool', label: `${name} with its current definition`, matches: [{ tool: literalGlob(name!), definition }] }
  ]
}

function suggestForCommand(facts: CallFacts, command: CommandFacts): Suggestion[] {
  const { tool, modifiers, isolation, sources } = facts
  // A rule on the text alone would not cover the params that modify the command.
  if (modifiers?.length || (command.class === 'strict' && !isConfined(facts))) return []
  // No rule applies to what the command makes before it executes it.
  if (sources === 'unseen') return []
  // The command would fail each time.
  if (isolation && blocksGitWrites(command, isolation)) return []
  const { cwd = ROOT } = command
  const around: RuleMatch = {
    tool: literalGlob(tool),
    ...(isolation && matchIsolation(isolation)),
    ...(sources && { sources: 'approved' })
  }
  const suffix = `${isolation ? formatIsolation(isolation) : ''}${sources ? ', while the known files that it executes do not change' : ''}`
  const exactly: Suggestion = {
    name: 'command',
    label: `exactly \`${command.text}\`${formatFolder(cwd)}${command.literal ? '' : WHATEVER}${suffix}`,
    matches: [{ ...around, ...matchFolder(cwd), command: command.text, mode: 'exact' }]
  }
  const [first, ...others] = command.class === 'strict' ? [] : (findPrefixes(command) ?? [])
  if (first === undefined) return [exactly]
  const match = ({ words, folder }: CommandPrefix): RuleMatch => ({
    ...around,
    ...matchFolder(folder),
    command: words,
    mode: 'prefix'
  })
  const named = [first, ...others].map(({ words, folder }) => `\`${words}\`${formatFolder(folder)}`).join(' or ')
  return [
    exactly,
    {
      name: 'prefix',
      label: `commands that begin with ${named}${suffix}`,
      matches: [match(first), ...others.map(match)]
    }
  ]
}

const WHATEVER = ', with any values of its variables and file patterns'
const ROOT = '.'
const matchFolder = (folder: string): RuleMatch => (folder === ROOT ? {} : { cwd: literalGlob(folder) })
const formatFolder = (folder: string) => (folder === ROOT ? '' : ` in ${folder}`)

interface CommandPrefix {
  words: string
  folder: string
}

/**
 * Returns the leading words of each part that needs permission, and its folder; undefined if a part has none that a rule could
 * name.
 */
function findPrefixes(command: CommandFacts): CommandPrefix[] | undefined {
  if (!command.literal) return undefined
  const found = new Map<string, CommandPrefix>()
  for (const part of command.parts) {
    if (part.class === 'auto') continue
    const words = part.prefix?.join(' ')
    const folder = getPartFolder(part, command.cwd ?? ROOT)
    if (!words || plainArgv(words)?.length !== part.prefix?.length || !hasOnlyHarmlessRedirects(part)) return undefined
    if (folder === null) return undefined
    found.set(`${words}\0${folder}`, { words, folder })
  }
  return [...found.values()]
}

const matchIsolation = ({ level, network, ports }: ResolvedIsolation): RuleMatch => ({
  isolation: level === 'container' ? 'workspace' : level,
  ...(network.length > 0 && { network: [...network] }),
  ...(ports && { ports: [...ports] })
})

const formatIsolation = ({ level, default: usual, network, ports }: ResolvedIsolation) =>
  [
    ...(level === usual ? [] : [`with isolation ${level}`]),
    ...(network.length > 0 ? [`with network access to ${network.join(', ')}`] : []),
    ...(ports ? [`with ${formatPorts(ports)} reachable`] : [])
  ]
    .map(text => `, ${text}`)
    .join('')

function suggestForHost({ tool, method = 'GET', sends = [] }: CallFacts, host: string): Suggestion[] {
  // No rule can allow a host that cannot be parsed.
  if (!readHostPattern(host)) return []
  const name = host.replace(/:(?:80|443)$/, '')
  const plain = method === 'GET' && sends.length === 0
  const label = plain ? `${tool} from ${name}` : `${tool} from ${name} by ${method}, with any content sent`
  return [
    { name: 'host', label, matches: [{ tool: literalGlob(tool), host: name, ...(!plain && { method }) } as RuleMatch] }
  ]
}

function suggestForPaths({ tool, paths }: CallFacts): Suggestion[] {
  const match: RuleMatch = { tool: literalGlob(tool) }
  const any: Suggestion = { name: 'tool', label: `${tool} on any file`, matches: [match] }
  const [only, ...others] = new Set(paths.map(({ path }) => path))
  if (only === undefined) return [{ ...any, label: tool }]
  if (others.length > 0) return [any]
  const file: Suggestion = {
    name: 'path',
    label: `${tool} on ${only}`,
    matches: [{ ...match, path: literalGlob(only) }]
  }
  if (!only.includes('/')) return [file, any]
  const folder = only.slice(0, only.lastIndexOf('/'))
  const inFolder: RuleMatch = { ...match, path: `${literalGlob(folder)}/**` }
  return [file, { name: 'folder', label: `${tool} in ${folder}/`, matches: [inFolder] }, any]
}
