// Imports the permissions of opencode: `permission` of its configuration, of which the last line that matches decides.

import { isObject } from '../../text/json-object.ts'
import { OPENCODE_OWN_TOOLS } from '../agent-setup/agents.ts'
import { parseJsonFile } from './json-file.ts'
import {
  escapePattern,
  OUTSIDE,
  toCommandPattern,
  toCommandPrefix,
  toEveryCommand,
  toExactCommand,
  toFileEdits,
  toFileReads
} from './matches.ts'
import {
  addedBySetup,
  becomesNothing,
  type Conversion,
  type PolicyEffect,
  type PolicyEntry,
  type PolicyFile
} from './policy-entry.ts'

const EFFECTS: readonly string[] = ['allow', 'ask', 'deny'] satisfies PolicyEffect[]

/** One line of the configuration: the calls of a permission whose input matches a pattern. */
interface PermissionLine {
  line: number
  source: string
  permission: string
  pattern: string
  effect: PolicyEffect
}

export async function parseOpencodeConfig({ text }: PolicyFile): Promise<PolicyEntry[]> {
  const { value, findLine } = await parseJsonFile(text)
  const config = isObject(value) ? value : {}
  const lines = readLines(config.permission, findLine)
  const isSetUp = isObject(config.mcp) && config.mcp.toolgate !== undefined
  const toLineEntry = (line: PermissionLine, at: number) =>
    isSetUp && isOfSetup(line)
      ? {
          line: line.line,
          source: line.source,
          effect: line.effect,
          subject: 'other' as const,
          becomes: addedBySetup('opencode')
        }
      : toEntry(lines, at)
  return [...lines.map(toLineEntry), ...readAgents(config.agent, findLine)]
}

/** Lines that switch off opencode's own tools are not meant for those of Toolgate, which it uses instead. */
const isOfSetup = (line: PermissionLine) =>
  line.effect === 'deny' && isForAll(line) && OPENCODE_OWN_TOOLS.includes(line.permission)

type FindLine = (location: readonly (string | number)[]) => number

function readLines(permission: unknown, findLine: FindLine): PermissionLine[] {
  const byName = isObject(permission) ? permission : permission === undefined ? {} : { '*': permission }
  const isShort = !isObject(permission)
  return Object.entries(byName).flatMap(([name, given]) => {
    const byPattern = isObject(given) ? given : { '*': given }
    return Object.entries(byPattern).map(([pattern, action]) => {
      const place = ['permission', ...(isShort ? [] : [name]), ...(isObject(given) ? [pattern] : [])]
      return {
        line: findLine(place),
        source: isObject(given) ? `${name} "${pattern}": ${String(action)}` : `${name}: ${String(action)}`,
        permission: name,
        pattern,
        // An action that is not known must not be taken for a permission.
        effect: EFFECTS.includes(String(action)) ? (String(action) as PolicyEffect) : 'deny'
      }
    })
  })
}

const readAgents = (agents: unknown, findLine: FindLine): PolicyEntry[] =>
  Object.entries(isObject(agents) ? agents : {}).flatMap(([name, agent]) =>
    isObject(agent) && agent.permission !== undefined
      ? [
          {
            line: findLine(['agent', name, 'permission']),
            source: `agent ${name}: permission`,
            effect: 'allow',
            subject: 'other',
            becomes: { reason: 'applies to one agent: see agents in the configuration', isDefault: true }
          }
        ]
      : []
  )

const isForAll = ({ pattern }: PermissionLine) => pattern === '*' || pattern === '**'
const isAbout = (one: PermissionLine, other: PermissionLine) =>
  one.permission === '*' || other.permission === '*' || one.permission === other.permission

function toEntry(lines: readonly PermissionLine[], at: number): PolicyEntry {
  const one = lines[at]!
  const { line, source, effect } = one
  const { subject, convert } = PERMISSIONS[one.permission] ?? UNKNOWN_PERMISSION
  const later = lines.slice(at + 1).filter(other => isAbout(one, other))
  const entry = { line, source, effect, subject: one.permission === '*' ? ('all' as const) : subject }
  if (effect === 'allow') {
    const override = later.find(other => other.effect !== 'allow' && isForAll(other))
    if (override) return { ...entry, becomes: becomesNothing(`is overridden by the later line ${override.source}`) }
    return { ...entry, becomes: convert(effect, one.pattern) }
  }
  const isRelaxed = later.some(other => other.effect === 'allow')
  if (isForAll(one) && isRelaxed)
    return {
      ...entry,
      becomes: {
        reason: 'applies only if no later line does; in Toolgate, such calls need approval, or follow the mode',
        isDefault: true
      }
    }
  const becomes = convert(effect, one.pattern)
  if (!isRelaxed || 'reason' in becomes) return { ...entry, becomes }
  const note = 'in OpenCode, a later line can allow a part of it; in Toolgate, this rule takes precedence'
  return { ...entry, becomes: { ...becomes, notes: [...(becomes.notes ?? []), note] } }
}

interface PermissionConversion {
  subject: PolicyEntry['subject']
  convert: (effect: PolicyEffect, pattern: string) => Conversion
}

/** A tool as a whole; patterns for its input have no equivalent. */
const whole = (subject: PolicyEntry['subject'], tool: string): PermissionConversion => ({
  subject,
  convert: (effect, pattern) =>
    pattern !== '*'
      ? becomesNothing('has a pattern that has no equivalent in Toolgate')
      : effect === 'allow' && subject === 'files'
        ? becomesNothing('needs no approval in Toolgate')
        : { rules: [{ tool }] }
})

const UNKNOWN_PERMISSION: PermissionConversion = {
  subject: 'mcp',
  convert: () => becomesNothing('applies to a tool that Toolgate does not have')
}

const PERMISSIONS: Readonly<Record<string, PermissionConversion>> = {
  '*': {
    subject: 'all',
    convert: effect =>
      effect === 'allow'
        ? becomesNothing('allows every tool, which Toolgate does not support')
        : { rules: [{ tool: '*' }] }
  },
  bash: { subject: 'commands', convert: convertCommand },
  edit: { subject: 'files', convert: (effect, pattern) => convertPaths(effect, pattern, toFileEdits) },
  read: { subject: 'files', convert: (effect, pattern) => convertPaths(effect, pattern, toFileReads) },
  grep: whole('files', 'grep'),
  glob: whole('files', '{glob,search_files}'),
  list: whole('files', 'list_directory'),
  webfetch: { subject: 'web', convert: (_, pattern) => convertUrl(pattern) },
  websearch: whole('web', 'web_search'),
  external_directory: { subject: 'other', convert: () => OUTSIDE }
}

/** `*` is any text, `?` any character; ` *` at the end is any arguments or none. */
function convertCommand(effect: PolicyEffect, pattern: string): Conversion {
  if (pattern === '*' || pattern === '**') return toEveryCommand(effect)
  const [, words] = /^([^*?]*[^*? ]) \*$/.exec(pattern) ?? []
  if (words !== undefined) return toCommandPrefix(effect, words)
  if (!/[*?]/.test(pattern)) return toExactCommand(effect, pattern)
  if (effect === 'allow') return becomesNothing('has a wildcard that is not a separate argument at the end')
  const text = pattern.replace(/ \*$/, '')
  const signs = [...text].map(sign => (sign === '*' ? '.*' : sign === '?' ? '.' : escapePattern(sign)))
  return { rules: [toCommandPattern(signs.join('') + (text === pattern ? '' : '(?: .*)?'))] }
}

/** There `*` is for slashes, too; to allow, here it is for one name. */
function convertPaths(
  effect: PolicyEffect,
  pattern: string,
  convert: (effect: PolicyEffect, glob: string | undefined) => Conversion
): Conversion {
  if (pattern === '*' || pattern === '**') return convert(effect, undefined)
  if (/^(?:~|\$HOME|\/)/.test(pattern)) return OUTSIDE
  if (/[?\\[\]{}!,]|\.\./.test(pattern)) return becomesNothing('has a path pattern that has no equivalent in Toolgate')
  if (effect === 'allow') return convert(effect, pattern)
  const [, folder] = /^([^*]+)\/\*\*?$/.exec(pattern) ?? []
  if (folder !== undefined) return convert(effect, `${folder}/**`)
  const [, ending] = /^\*\*?\/?([^*/]+)$/.exec(pattern) ?? []
  if (ending !== undefined) return convert(effect, `**/*${ending}`)
  return pattern.includes('*')
    ? becomesNothing('has a path pattern that has no equivalent in Toolgate')
    : convert(effect, pattern)
}

const PORTS: Readonly<Record<string, string>> = { https: '443', http: '80' }

function convertUrl(pattern: string): Conversion {
  if (pattern === '*') return { rules: [{ tool: 'web_fetch' }] }
  const [, scheme = '', host] = /^(https?):\/\/([\w.-]+)\/\*$/.exec(pattern) ?? []
  if (host === undefined) return becomesNothing('does not apply to a whole host')
  return { rules: [{ tool: 'web_fetch', host: `${host}:${PORTS[scheme]}` }] }
}
