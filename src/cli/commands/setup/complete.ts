// Asked by the shell at TAB: what may stand where the cursor is. It never fails: where nothing is known, nothing is said.
import type { Command, Option } from 'commander'
import { ARGUMENTS, type Ask, FLAGS, type Value, type Values } from '../../completion/sources.ts'
import type { Context } from '../../context.ts'
import { commandOf, VALUED, VERBS, type Verb, verbNames } from '../../run.ts'
import { brief } from '../../ui/terminal.ts'

/** A shell that waits longer seems to hang. */
const ANSWER_MS = 1_000

const complete: Verb = (command, context) => {
  command
    .description('Told to shells: what may follow the words of a command line.')
    .argument('<shell>')
    .argument('[words...]')
    .action(async (shell: string, given: string[]) => {
      const words = shell === 'bash' ? wordsOf(given[0] ?? '').slice(1) : given
      const now = words.at(-1) ?? ''
      const values = await valuesAt(context, words.slice(0, -1), now).catch(() => [])
      const fitting = values.filter(([value]) => value.startsWith(':') || (value.startsWith(now) && isPlain(value)))
      for (const [value, means] of fitting)
        context.terminal.out(
          `${shell === 'bash' ? value.slice(cutIn(now)) : value}\t${means.replace(/\s+/g, ' ')}`.trimEnd()
        )
    })
}
export default complete

/** What hides something or steers a terminal is nothing to put on a line; whoever calls chooses names of sessions. */
const isPlain = (value: string) => brief(value, Number.POSITIVE_INFINITY) === value

async function valuesAt(context: Context, before: readonly string[], now: string): Promise<readonly Value[]> {
  const at = verbAt(before)
  if (at === undefined)
    return now.startsWith('-')
      ? ['--help', '--version', ...VALUED].map(flag => [flag, ''] as const)
      : verbNames().map(name => [name, VERBS[name]!.summary!] as const)
  const verb = before[at]!
  return within(await commandOf(verb, context), [verb], before.slice(at + 1), now, askOf(context, before))
}

async function within(
  command: Command,
  path: readonly string[],
  before: readonly string[],
  now: string,
  ask: Ask
): Promise<readonly Value[]> {
  const { operands, pending, ended } = readWords(command, before)
  const nested = command.commands.find(each => each.name() === operands[0])
  if (nested) {
    for (const option of command.options) nested.addOption(option)
    return within(nested, [...path, nested.name()], before.slice(before.indexOf(nested.name()) + 1), now, ask)
  }
  const [, flag] = /^(--[\w-]+)=/.exec(now) ?? []
  const valued = pending ?? (flag === undefined ? undefined : optionOf(command, flag))
  if (valued) {
    const values = (await FLAGS[valued.long ?? '']?.(ask, operands)) ?? []
    return flag === undefined ? values : values.map(([value, means]) => [`${flag}=${value}`, means])
  }
  if (now.startsWith('-') && !ended) return flagsOf(command)
  const names = operands.length === 0 ? command.commands.map(each => [each.name(), each.description()] as const) : []
  const args = command.registeredArguments
  const arg = args[operands.length] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined)
  const source: Values | undefined = arg && ARGUMENTS[`${path.join(' ')} ${arg.name()}`]
  const given: readonly Value[] = (await source?.(ask, operands)) ?? []
  return [...names, ...given.filter(([value]) => !operands.includes(value))]
}

/** The words that are neither flags nor their values; and the flag whose value is still to come. */
function readWords(command: Command, before: readonly string[]) {
  const operands: string[] = []
  let pending: Option | undefined
  let ended = false
  for (const word of before) {
    if (pending) pending = undefined
    else if (ended || !word.startsWith('-')) operands.push(word)
    else if (word === '--') ended = true
    else {
      const option = optionOf(command, word)
      pending = option?.required ? option : undefined
    }
  }
  return { operands, pending, ended }
}

const optionOf = ({ options }: Command, word: string) =>
  options.find(({ long, short }) => word === long || word === short)

const flagsOf = ({ options }: Command): Value[] => [
  ...options.map(({ long, description }) => [long ?? '', description] as const),
  ['--help', 'what it does']
]

function verbAt(before: readonly string[]): number | undefined {
  let at = 0
  while (before[at]?.startsWith('-')) at += VALUED.includes(before[at]!) ? 2 : 1
  return at < before.length ? at : undefined
}

/** The server of the project that the line names; each thing is asked once. */
function askOf(context: Context, before: readonly string[]): Ask {
  const named = (flag: string) => before[before.indexOf(flag) + 1 || before.length]
  const found = (async () => {
    const { discover } = await import('../../../client/discover.ts')
    const { env, cwd } = context.world
    return discover({ env, project: named('--root') ?? cwd, url: named('--url'), timeout_ms: ANSWER_MS })
  })()
  found.catch(() => {})
  return async path => {
    const { quickly } = await import('../../../client/get-json.ts')
    return quickly((await found) ?? {}, path, ANSWER_MS)
  }
}

/** A line as a shell would split it, up to the cursor; the last word is the one that is being written. */
function wordsOf(line: string): string[] {
  const words = ['']
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!
    if (char === '\\' && quote !== "'") {
      at += 1
      words[words.length - 1] += line[at] ?? ''
    } else if (quote !== '') {
      if (char === quote) quote = ''
      else words[words.length - 1] += char
    } else if (char === '"' || char === "'") quote = char
    else if (/\s/.test(char)) {
      if (words.at(-1) !== '') words.push('')
    } else words[words.length - 1] += char
  }
  return words
}

/** bash takes a word for several where there are such characters in it, and puts what it is told after the last. */
const cutIn = (word: string) => Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1
