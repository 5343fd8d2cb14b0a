// Imports the policies of Gemini CLI: the `[[rule]]` tables of its .toml files.
import { isObject } from '../../text/json-object.ts'
import { toCommandPrefix, toEveryCommand, toFileEdits, toFileReads, toMcpTools } from './matches.ts'
import {
  becomesNothing,
  type Conversion,
  type PolicyEffect,
  type PolicyEntry,
  type PolicyFile,
  PolicyFileError
} from './policy-entry.ts'
import { toSearchPattern } from './search-patterns.ts'

const EFFECTS: Readonly<Record<string, PolicyEffect>> = { allow: 'allow', ask_user: 'ask', deny: 'deny' }

export async function parseGeminiPolicy({ text }: PolicyFile): Promise<PolicyEntry[]> {
  const value = await parseToml(text)
  const rules = (Array.isArray(value.rule) ? value.rule : []).filter(isObject)
  // The tables stand in the file in the order of their values.
  const lines = text.split('\n').flatMap((line, at) => (/^\s*\[\[\s*"?rule"?\s*\]\]/.test(line) ? [at + 1] : []))
  return markOrder(rules.map((rule, at) => ({ rule, entry: toEntry(rule, lines[at] ?? 1) })))
}

async function parseToml(text: string): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new PolicyFileError(`${error.line}:${error.column}`, error.message.split('\n')[0]!)
  }
}

type GeminiRule = Record<string, unknown>

function toEntry(rule: GeminiRule, line: number): PolicyEntry {
  const effect = EFFECTS[String(rule.decision)]
  const source = Object.entries(rule)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')
  const { subject, becomes } = convertRule(effect ?? 'deny', rule)
  return {
    line,
    source,
    effect: effect ?? 'deny',
    subject,
    becomes: effect === undefined ? becomesNothing('has no known decision') : becomes,
    explanation: typeof rule.denyMessage === 'string' ? rule.denyMessage : undefined
  }
}

type Converted = Pick<PolicyEntry, 'subject' | 'becomes'>

/** Conditions that no rule here has. */
const UNKNOWN_CONDITIONS = ['argsPattern', 'subagent', 'toolAnnotations', 'interactive']

function convertRule(effect: PolicyEffect, rule: GeminiRule): Converted {
  const { modes } = rule
  const converted = convertTools(effect, rule)
  const condition = UNKNOWN_CONDITIONS.find(name => rule[name] !== undefined)
  if (condition !== undefined)
    return {
      ...converted,
      becomes: becomesNothing(`has the condition ${condition}, which has no equivalent in Toolgate`)
    }
  if (Array.isArray(modes) && modes.length > 0) {
    if (!modes.includes('default'))
      return { ...converted, becomes: { reason: `applies only to the modes ${modes.join(', ')}`, isDefault: true } }
    if (effect !== 'allow') return converted
    return { ...converted, becomes: withNote(converted.becomes, 'applies to all modes except plan') }
  }
  return converted
}

const withNote = (becomes: Conversion, note: string): Conversion =>
  'rules' in becomes ? { ...becomes, notes: [...(becomes.notes ?? []), note] } : becomes

function convertTools(effect: PolicyEffect, { toolName, mcpName, commandPrefix, commandRegex }: GeminiRule): Converted {
  if (mcpName !== undefined) return { subject: 'mcp', becomes: convertMcp(mcpName, toolName) }
  if (commandPrefix !== undefined)
    return { subject: 'commands', becomes: join(listOf(commandPrefix).map(words => toPrefix(effect, words))) }
  if (commandRegex !== undefined)
    return { subject: 'commands', becomes: toSearchPattern(effect, `^(?:${String(commandRegex)})`) }
  const names = listOf(toolName)
  const subjects = new Set(names.map(name => TOOLS[name]?.subject ?? (name.startsWith('mcp_') ? 'mcp' : 'all')))
  return {
    subject: subjects.size === 1 ? [...subjects][0]! : 'all',
    becomes: names.length === 0 ? becomesNothing('names no tool') : join(names.map(name => convertTool(effect, name)))
  }
}

/** A prefix is followed by white space, a quote or the end. */
function toPrefix(effect: PolicyEffect, words: string): Conversion {
  if (words.trim() === '') return toEveryCommand(effect)
  return words.trim() === words ? toCommandPrefix(effect, words) : becomesNothing('begins or ends with a space')
}

function convertTool(effect: PolicyEffect, name: string): Conversion {
  const known = TOOLS[name]
  if (known) return known.convert(effect)
  if (name === '*' && effect !== 'allow') return { rules: [{ tool: '*' }] }
  if (name === '*') return becomesNothing('allows every tool, which Toolgate does not support')
  // Neither part of such a name says where the name of the server ends.
  return becomesNothing(
    name.startsWith('mcp_')
      ? 'names a tool of an MCP server without mcpName'
      : 'applies to a tool that Toolgate does not have'
  )
}

const toTool = (tool: string) => (): Conversion => ({ rules: [{ tool }] })

const TOOLS: Readonly<
  Record<string, { subject: PolicyEntry['subject']; convert: (effect: PolicyEffect) => Conversion }>
> = {
  run_shell_command: { subject: 'commands', convert: toEveryCommand },
  read_file: { subject: 'files', convert: effect => toFileReads(effect, undefined) },
  read_many_files: { subject: 'files', convert: effect => toFileReads(effect, undefined) },
  write_file: { subject: 'files', convert: effect => toFileEdits(effect, undefined) },
  replace: { subject: 'files', convert: effect => toFileEdits(effect, undefined) },
  web_fetch: { subject: 'web', convert: toTool('web_fetch') },
  google_web_search: { subject: 'web', convert: toTool('web_search') }
}

function convertMcp(server: unknown, toolName: unknown): Conversion {
  if (typeof server !== 'string' || server.includes('*'))
    return becomesNothing('applies to the tools of any MCP server')
  const tools = toolName === undefined ? ['*'] : listOf(toolName)
  return join(tools.map(tool => toMcpTools(server, tool)))
}

const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(each => typeof each === 'string')

/** All of them, or the first reason why that is not possible. */
function join(all: readonly Conversion[]): Conversion {
  const [first] = all
  if (!first) return becomesNothing('names neither a tool nor a server')
  return (
    all.find(each => 'reason' in each) ?? {
      rules: all.flatMap(each => ('rules' in each ? each.rules : [])),
      notes: [...new Set(all.flatMap(each => ('rules' in each ? (each.notes ?? []) : [])))]
    }
  )
}

const priorityOf = ({ priority }: GeminiRule) => (typeof priority === 'number' ? priority : 0)

/** The rule with the highest priority decides there; here one that denies or asks comes before one that allows. */
function markOrder(all: readonly { rule: GeminiRule; entry: PolicyEntry }[]): PolicyEntry[] {
  return all.map(({ rule, entry }) => {
    const isBefore = all.some(
      other =>
        other.entry.effect !== 'allow' &&
        entry.effect === 'allow' &&
        (other.entry.subject === entry.subject || other.entry.subject === 'all') &&
        priorityOf(other.rule) < priorityOf(rule)
    )
    return isBefore
      ? {
          ...entry,
          becomes: withNote(
            entry.becomes,
            'in Gemini CLI, it takes precedence over rules of lower priority that ask or deny; in Toolgate, those rules take precedence'
          )
        }
      : entry
  })
}
