// Imports the permissions of Claude Code: `permissions.allow`, `ask` and `deny` of its settings.json.
import path from 'node:path'
import { isObject } from '../../text/json-object.ts'
import { CLAUDE_MCP_RULE, CLAUDE_OWN_TOOLS } from '../agent-setup/agents.ts'
import { parseJsonFile } from './json-file.ts'
import {
  escapePattern,
  gitignoreGlob,
  isPlain,
  OUTSIDE,
  toCommandPattern,
  toCommandPrefix,
  toEveryCommand,
  toExactCommand,
  toFileEdits,
  toFileReads,
  toHost,
  toMcpTools,
  withinProject
} from './matches.ts'
import {
  addedBySetup,
  becomesNothing,
  type Conversion,
  type PolicyEffect,
  type PolicyEntry,
  type PolicyFile
} from './policy-entry.ts'

const EFFECTS: readonly PolicyEffect[] = ['allow', 'ask', 'deny']

export async function parseClaudeSettings(file: PolicyFile): Promise<PolicyEntry[]> {
  const { value, findLine } = await parseJsonFile(file.text)
  const permissions = isObject(value) ? value.permissions : undefined
  if (!isObject(permissions)) return []
  const listOf = (effect: PolicyEffect): readonly unknown[] =>
    Array.isArray(permissions[effect]) ? permissions[effect] : []
  const isSetUp = listOf('allow').includes(CLAUDE_MCP_RULE)
  const rules = EFFECTS.flatMap(effect =>
    listOf(effect).map((rule, at) => {
      const line = findLine(['permissions', effect, at])
      return isSetUp && isOfSetup(effect, rule)
        ? {
            line,
            source: `${effect} ${String(rule)}`,
            effect,
            subject: 'other' as const,
            becomes: addedBySetup('Claude Code')
          }
        : toEntry(file, effect, rule, line)
    })
  )
  const settings = Object.entries(OTHER_SETTINGS).flatMap(([name, explain]) =>
    permissions[name] === undefined
      ? []
      : [toSetting(name, permissions[name], explain, findLine(['permissions', name]))]
  )
  return [...rules, ...settings].sort((one, other) => one.line - other.line)
}

/** Rules that switch off Claude Code's own tools are not meant for those of Toolgate, which it uses instead. */
const isOfSetup = (effect: PolicyEffect, rule: unknown) =>
  effect === 'allow' ? rule === CLAUDE_MCP_RULE : effect === 'deny' && CLAUDE_OWN_TOOLS.some(tool => tool === rule)

/** Settings besides rules, and why they become none. */
const OTHER_SETTINGS: Readonly<Record<string, (value: unknown) => string>> = {
  defaultMode: value =>
    MODES[String(value)] === undefined
      ? 'is a mode that has no equivalent in Toolgate, where rules always apply'
      : `is a mode: toolgate mode ${MODES[String(value)]}`,
  additionalDirectories: () => "Toolgate's tools cannot leave the workspace: serve the folder as another root"
}
const MODES: Readonly<Record<string, string>> = { default: 'ask', acceptEdits: 'accept-edits', plan: 'plan' }

const toSetting = (name: string, value: unknown, explain: (value: unknown) => string, line: number): PolicyEntry => ({
  line,
  source: `${name}: ${JSON.stringify(value)}`,
  effect: 'allow',
  subject: 'other',
  becomes: { reason: explain(value), isDefault: true }
})

function toEntry(file: PolicyFile, effect: PolicyEffect, rule: unknown, line: number): PolicyEntry {
  const source = `${effect} ${typeof rule === 'string' ? rule : JSON.stringify(rule)}`
  const [, tool, specifier] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(String(rule)) ?? []
  if (typeof rule !== 'string' || tool === undefined)
    return { line, source, effect, subject: 'all', becomes: becomesNothing('is not a rule of Claude Code') }
  const wanted = specifier === '*' || specifier === '' ? undefined : specifier
  const { subject, convert } = tool.startsWith('mcp__')
    ? { subject: 'mcp' as const, convert: () => convertMcp(tool, wanted) }
    : (TOOLS[tool] ?? UNKNOWN_TOOL)
  return { line, source, effect, subject, becomes: convert(effect, wanted, file) }
}

interface ToolConversion {
  subject: PolicyEntry['subject']
  convert: (effect: PolicyEffect, specifier: string | undefined, file: PolicyFile) => Conversion
}

const UNKNOWN_TOOL: ToolConversion = {
  subject: 'other',
  convert: () => becomesNothing('applies to a tool that Toolgate does not have')
}

/** A tool by its name here; a specifier has no equivalent. */
const named = (subject: PolicyEntry['subject'], name: string): ToolConversion => ({
  subject,
  convert: (effect, specifier) =>
    specifier !== undefined
      ? becomesNothing('has a specifier that has no equivalent in Toolgate')
      : effect === 'allow' && subject === 'files'
        ? becomesNothing('needs no approval in Toolgate')
        : { rules: [{ tool: name }] }
})

const NO_PATHS: Conversion = {
  reason: 'has no effect in Claude Code, which accepts only paths for Read and Edit',
  isDefault: true
}

/** Rules with a path are valid for these tools, but Claude Code only looks at those of Read and Edit. */
const edit = (looksAtPaths: boolean): ToolConversion => ({
  subject: 'files',
  convert: (effect, specifier, file) =>
    specifier === undefined
      ? toFileEdits(effect, undefined)
      : looksAtPaths
        ? convertPath(effect, specifier, file, glob => toFileEdits(effect, glob))
        : NO_PATHS
})

const TOOLS: Readonly<Record<string, ToolConversion>> = {
  Bash: { subject: 'commands', convert: convertBash },
  Edit: edit(true),
  Write: edit(false),
  MultiEdit: edit(false),
  NotebookEdit: {
    subject: 'files',
    convert: (effect, specifier) => (specifier === undefined ? toFileEdits(effect, '**/*.ipynb') : NO_PATHS)
  },
  Read: {
    subject: 'files',
    convert: (effect, specifier, file) =>
      specifier === undefined
        ? toFileReads(effect, undefined)
        : convertPath(effect, specifier, file, glob => toFileReads(effect, glob))
  },
  Grep: named('files', 'grep'),
  Glob: named('files', '{glob,search_files}'),
  LS: named('files', 'list_directory'),
  WebFetch: { subject: 'web', convert: convertWebFetch },
  WebSearch: named('web', 'web_search')
}

/** `x:*` and `x *` are x with any arguments or none; a `*` elsewhere is any text. */
function convertBash(effect: PolicyEffect, specifier: string | undefined): Conversion {
  if (specifier === undefined) return toEveryCommand(effect)
  const [, words] = /^([^*]*[^* :])(?::\*| \*)$/.exec(specifier) ?? []
  if (words !== undefined) return toCommandPrefix(effect, words)
  if (!specifier.includes('*')) return toExactCommand(effect, specifier)
  if (effect !== 'allow') return { rules: [toCommandPattern(specifier.split('*').map(escapePattern).join('.*'))] }
  const start = specifier.slice(0, specifier.indexOf('*'))
  return becomesNothing(
    start.trim() === ''
      ? 'allows any program'
      : start.endsWith(' ') && isPlain(start.trim())
        ? `has a wildcard before its end, which allows any options of ${start.trim()}`
        : 'has a wildcard within a word, which would also allow other commands'
  )
}

function convertWebFetch(effect: PolicyEffect, specifier: string | undefined): Conversion {
  if (specifier === undefined) return { rules: [{ tool: 'web_fetch' }] }
  const [, host] = /^domain:((?:\*\.)?[\w.-]+)$/.exec(specifier) ?? []
  if (host === undefined) return becomesNothing('is not a domain name')
  return effect === 'allow' ? { ...toHost(host), notes: ['applies only to ports 80 and 443'] } : toHost(host)
}

/** `//x` is absolute, `~/x` in the home folder, `/x` relative to the settings, and any other path to the folder that it is used in. */
function convertPath(
  effect: PolicyEffect,
  pattern: string,
  file: PolicyFile,
  convert: (glob: string) => Conversion
): Conversion {
  const relative = resolvePattern(pattern, file)
  if (relative === undefined) return OUTSIDE
  const glob = gitignoreGlob(effect, relative)
  return glob === undefined ? becomesNothing('has a path pattern that has no equivalent in Toolgate') : convert(glob)
}

function resolvePattern(pattern: string, { path: from, home, project }: PolicyFile): string | undefined {
  const anchor = (absolute: string) => {
    const relative = withinProject(absolute, project)
    return relative === undefined ? undefined : `/${relative}`
  }
  if (pattern.startsWith('//')) return anchor(pattern.slice(1))
  if (pattern.startsWith('~/')) return anchor(path.posix.join(home, pattern.slice(2)))
  if (!pattern.startsWith('/')) return pattern
  const base = path.posix.dirname(path.posix.dirname(from))
  return base === home && home !== project ? anchor(path.posix.join(home, '.claude', pattern)) : pattern
}

function convertMcp(name: string, specifier: string | undefined): Conversion {
  if (specifier !== undefined) return becomesNothing('applies only to some params of an MCP tool')
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? []
  if (server === undefined || server.includes('*')) return becomesNothing('applies to the tools of any MCP server')
  return toMcpTools(server, tool)
}
