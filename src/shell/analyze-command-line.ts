// The entry: what a command line would do, as far as reading tells. A gate on the raw text, then two parsers that must
// find the same literal commands, then what is known of each program.

import { refusedText } from './blocked-commands.ts'
import { classify } from './classify.ts'
import type { CommandJudgement, SubCommand, Surroundings } from './command-line-analysis.ts'
import { type Fault, type Reading, sterner, TOO_DEEP } from './parsed-command-line.ts'
import { gate, LONGEST } from './prefilter.ts'
import { isBuiltin } from './program-classifiers.ts'
import { readWithTreeSitter } from './tree-sitter.ts'
import { readWithUnbash } from './unbash.ts'

export { parsersReady } from './tree-sitter.ts'

const DOUBTED: Fault = { class: 'strict', reason: 'It can be read in more than one way.' }
/** More than anyone reads: all are looked at, but no more are told. */
const MOST_PARTS = 50
/** Shells within shells. */
const DEEPEST = 4
/** Beyond it a line is not for running by itself, and the second parser not for reading. */
const LONGEST_LITERAL = 8_192

/** Never throws, and says the same of the same text. Until the parsers are ready, nothing is automatic. */
export function judgeCommand(command: string, surroundings: Surroundings): CommandJudgement {
  const faults: Fault[] = []
  const gated = gate(command)
  if (gated) faults.push(gated)
  const refused = refusedText(command.slice(0, LONGEST), surroundings)
  if (refused !== undefined) faults.push({ class: 'block', reason: refused })
  if (gated && !gated.readable) return judgement([], faults, false)
  const { reading, parts } = read(command, surroundings, 0)
  faults.push(...reading.faults)
  if (parts.length > MOST_PARTS) {
    faults.push({ class: 'strict', reason: `It has more than ${MOST_PARTS} parts.` })
    const worst = sternest(parts.splice(MOST_PARTS))
    if (worst && worst.class !== 'auto') faults.push({ class: worst.class, reason: worst.reason })
  }
  const plain = faults.length === 0 && reading.commands.length > 0
  const agreed = plain && agree(command, reading)
  if (parts.length === 0 && faults.length === 0) faults.push({ class: 'ask', reason: 'It holds no command.' })
  const literal = agreed && parts.every(({ argv }) => argv !== undefined)
  return judgement(
    parts,
    plain && !agreed ? [...faults, DOUBTED] : faults,
    literal,
    literal ? single(command, reading, parts) : undefined
  )
}

function read(command: string, surroundings: Surroundings, depth: number): { reading: Reading; parts: SubCommand[] } {
  const reading = readWithUnbash(command)
  const inner = (script: string) => {
    const gated = depth < DEEPEST ? gate(script) : { ...TOO_DEEP, readable: false }
    const { reading, parts } = gated && !gated.readable ? NOTHING : read(script, surroundings, depth + 1)
    const refused = refusedText(script, surroundings)
    const worst: Fault | undefined =
      refused === undefined
        ? sternest([...(gated ? [gated] : []), ...reading.faults])
        : { class: 'block', reason: refused }
    return worst ? [unread(script, worst), ...parts] : parts
  }
  return { reading, parts: reading.commands.flatMap(simple => classify(simple, surroundings, inner)) }
}

const NOTHING = { reading: { commands: [], redirects: [], faults: [] } satisfies Reading, parts: [] }

const unread = (text: string, { class: level, reason }: Fault): SubCommand => ({
  text,
  argv: undefined,
  class: level,
  reason,
  operands: [],
  prefix: undefined
})

/** Whether the second parser finds the very same commands and redirects. */
function agree(command: string, { commands, redirects }: Reading): boolean {
  if (command.length > LONGEST_LITERAL || commands.length > MOST_PARTS) return false
  if (commands.some(({ words }) => words.some(({ value, steady }) => value === undefined && !steady))) return true
  const other = readWithTreeSitter(command)
  if (!other) return false
  const ours = commands.flatMap(({ words }) => (words.length > 0 ? [words.map(({ value, raw }) => value ?? raw)] : []))
  const aims = redirects.map(({ operator, fd, target }) => `${fd ?? ''}${operator} ${target?.value}`)
  return JSON.stringify([ours, aims]) === JSON.stringify([other.commands, other.redirects])
}

/** The words of the one command that the line is, with nothing around it. */
function single(line: string, { commands, redirects }: Reading, parts: readonly SubCommand[]) {
  const argv = parts[0]?.argv
  const alone = commands.length === 1 && redirects.length === 0 && commands[0]!.text === line.trim()
  return alone && argv && !isBuiltin(argv[0]!) ? argv : undefined
}

function judgement(
  parts: readonly SubCommand[],
  faults: readonly Fault[],
  literal: boolean,
  argv?: readonly string[]
): CommandJudgement {
  const worst = sternest([...parts, ...faults])
  return {
    class: worst?.class ?? 'auto',
    reason: worst?.reason ?? 'All parts are read-only.',
    parts,
    literal,
    ...(argv && { argv })
  }
}

/** The first of the sternest; undefined where none is above automatic. */
function sternest<T extends Pick<SubCommand, 'class' | 'reason'>>(all: readonly T[]): T | undefined {
  let worst: T | undefined
  for (const one of all) if (sterner(one.class, worst?.class ?? 'auto')) worst = one
  return worst
}
