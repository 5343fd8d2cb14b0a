// Entry point of command line analysis, which decides if a shell command may run without approval: a prefilter on the raw text,
// then two parsers that must find the same literal commands, then the classifiers of programs.

import { blockReasonForText } from './blocked-commands.ts'
import { classifySimpleCommand } from './classify.ts'
import type { CommandLineAnalysis, Containment, ProtectedResources, SubCommand } from './command-line-analysis.ts'
import { type CommandIssue, isStricter, type ParsedCommandLine, TOO_DEEP } from './parsed-command-line.ts'
import { MAX_COMMAND_LENGTH, prefilterCommand } from './prefilter.ts'
import { isBuiltin } from './program-classifiers.ts'
import { parseWithTreeSitter } from './tree-sitter.ts'
import { parseWithUnbash } from './unbash.ts'

export { loadParsers } from './tree-sitter.ts'

const AMBIGUOUS: CommandIssue = { class: 'strict', reason: 'The command line can be parsed in more than one way.' }
/** Maximum number of reported parts, more than anyone reads; all are classified. */
const MAX_PARTS = 50
/** Maximum nesting of shells in shells. */
const MAX_SHELL_DEPTH = 4
/** Maximum length in characters for running without approval, and for the second parser. */
const MAX_LITERAL_LENGTH = 8_192

/** Analyzes a command line. Never throws, and is deterministic. Until the parsers are loaded, nothing is classified as `auto`. */
export function analyzeCommandLine(command: string, surroundings: ProtectedResources): CommandLineAnalysis {
  const issues: CommandIssue[] = []
  const prefiltered = prefilterCommand(command)
  if (prefiltered) issues.push(prefiltered)
  const refused = blockReasonForText(command.slice(0, MAX_COMMAND_LENGTH), surroundings)
  if (refused !== undefined) issues.push({ class: 'block', reason: refused })
  if (prefiltered && !prefiltered.readable) return summarize([], issues, false)
  const { reading, parts } = parseAndClassify(command, surroundings, 0)
  issues.push(...reading.issues)
  if (parts.length > MAX_PARTS) {
    issues.push({ class: 'strict', reason: `Contains more than ${MAX_PARTS} commands.` })
    const dropped = parts.splice(MAX_PARTS)
    const worst = strictest(dropped)
    if (worst && worst.class !== 'auto')
      issues.push({
        class: worst.class,
        reason: worst.reason,
        ...(dropped.some(part => part.irrevocable) && { irrevocable: true })
      })
  }
  const plain = issues.length === 0 && reading.commands.length > 0
  const agreed = plain && parsersAgree(command, reading)
  if (parts.length === 0 && issues.length === 0) issues.push({ class: 'ask', reason: 'Empty command.' })
  const literal = agreed && parts.every(({ argv }) => argv !== undefined)
  return summarize(
    parts,
    plain && !agreed ? [...issues, AMBIGUOUS] : issues,
    literal,
    literal ? soleCommandArgv(command, reading, parts) : undefined
  )
}

/** Returns true for syntax in which no command hides: each that it holds is a part of the line. */
const hidesNoCommand = ({ class: found, contained }: CommandIssue) => found === 'ask' || contained === 'reads'

function parseAndClassify(
  command: string,
  surroundings: ProtectedResources,
  depth: number
): { reading: ParsedCommandLine; parts: SubCommand[] } {
  const reading = parseWithUnbash(command)
  const inner = (script: string) => {
    const gated = depth < MAX_SHELL_DEPTH ? prefilterCommand(script) : { ...TOO_DEEP, readable: false }
    const { reading, parts } = gated && !gated.readable ? NOTHING : parseAndClassify(script, surroundings, depth + 1)
    const refused = blockReasonForText(script, surroundings)
    const worst: CommandIssue | undefined =
      refused === undefined
        ? strictest([...(gated ? [gated] : []), ...reading.issues])
        : { class: 'block', reason: refused }
    return worst ? [opaqueCommand(script, worst, reading.issues), ...parts] : parts
  }
  return { reading, parts: reading.commands.flatMap(simple => classifySimpleCommand(simple, surroundings, inner)) }
}

const NOTHING = { reading: { commands: [], redirects: [], issues: [] } satisfies ParsedCommandLine, parts: [] }

const opaqueCommand = (text: string, worst: CommandIssue, issues: readonly CommandIssue[]): SubCommand => ({
  text,
  argv: undefined,
  leadingWords: undefined,
  class: worst.class,
  reason: worst.reason,
  ...toContained(joinContainments([worst, ...issues])),
  ...(worst.irrevocable && { irrevocable: true }),
  operands: [],
  prefix: undefined
})

/** Returns true if the second parser finds the same commands and redirects. */
function parsersAgree(command: string, { commands, redirects }: ParsedCommandLine): boolean {
  if (command.length > MAX_LITERAL_LENGTH || commands.length > MAX_PARTS) return false
  if (commands.some(({ words }) => words.some(({ value, safeExpansion }) => value === undefined && !safeExpansion)))
    return true
  const other = parseWithTreeSitter(command)
  if (!other) return false
  const ours = commands.flatMap(({ words }) => (words.length > 0 ? [words.map(({ value, raw }) => value ?? raw)] : []))
  const aims = redirects.map(({ operator, fd, target, body }) => `${fd ?? ''}${operator} ${target?.value ?? body}`)
  return JSON.stringify([ours, aims]) === JSON.stringify([other.commands, other.redirects])
}

/** Returns the argv of the line if it is a single command with nothing around it. */
function soleCommandArgv(line: string, { commands, redirects }: ParsedCommandLine, parts: readonly SubCommand[]) {
  const argv = parts[0]?.argv
  const alone = commands.length === 1 && redirects.length === 0 && commands[0]!.text === line.trim()
  return alone && argv && !isBuiltin(argv[0]!) ? argv : undefined
}

function summarize(
  parts: readonly SubCommand[],
  issues: readonly CommandIssue[],
  literal: boolean,
  argv?: readonly string[]
): CommandLineAnalysis {
  const worst = strictest([...parts, ...issues])
  const causes = [...issues, ...parts.filter(part => part.class !== 'auto')]
  return {
    class: worst?.class ?? 'auto',
    reason: worst?.reason ?? 'All commands in the line are read-only.',
    ...(worst && toContained(joinContainments(causes))),
    ...([...parts, ...issues].some(each => each.irrevocable) && { irrevocable: true }),
    parts,
    literal,
    hasAllParts: literal || (parts.length > 0 && issues.every(hidesNoCommand)),
    ...(argv && { argv })
  }
}

/** Returns the containment of all together; undefined if one is not contained. */
function joinContainments(causes: readonly { contained?: Containment }[]): Containment | undefined {
  if (causes.some(({ contained }) => contained === undefined)) return undefined
  return causes.some(({ contained }) => contained === 'computes') ? 'computes' : 'reads'
}

const toContained = (contained: Containment | undefined) => contained && { contained }

/** Returns the first of the strictest; undefined if all are `auto`. */
function strictest<T extends Pick<SubCommand, 'class' | 'reason'>>(all: readonly T[]): T | undefined {
  let worst: T | undefined
  for (const one of all) if (isStricter(one.class, worst?.class ?? 'auto')) worst = one
  return worst
}
