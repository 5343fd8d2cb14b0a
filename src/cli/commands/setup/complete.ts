// Shell completion backend: returns the candidates at the cursor. It never fails; without a server it returns fewer candidates.
import path from 'node:path'
import type { Command, Option } from 'commander'
import type { CommandCatalog, CommandSetup } from '../../command-setup.ts'
import {
  ARGUMENT_SOURCES,
  type CompletionSource,
  type CompletionValue,
  type FetchJson,
  FLAG_SOURCES
} from '../../completion/sources.ts'
import type { CliContext } from '../../context.ts'
import { toSingleLine } from '../../ui/terminal.ts'

/** In milliseconds; a longer wait would look like a hang. */
const FETCH_TIMEOUT_MS = 1_000

const complete: CommandSetup = (command, context, catalog) => {
  command
    .description('Print completions of a command line. Used by shell completion scripts.')
    .argument('<shell>')
    .argument('[words...]')
    .action(async (shell: string, given: string[]) => {
      const words = shell === 'bash' ? splitWords(given[0] ?? '').slice(1) : given
      const now = words.at(-1) ?? ''
      const values = await completeLine(context, catalog, words.slice(0, -1), now).catch(() => [])
      const fitting = values.filter(([value]) => value.startsWith(':') || (value.startsWith(now) && isSafeValue(value)))
      for (const [value, means] of fitting)
        context.terminal.print(
          `${shell === 'bash' ? value.slice(wordBreakIndex(now)) : value}\t${means.replace(/\s+/g, ' ')}`.trimEnd()
        )
    })
}
export default complete

/** Rejects values with invisible or control characters, since callers choose names such as those of sessions. */
const isSafeValue = (value: string) => toSingleLine(value, Number.POSITIVE_INFINITY) === value

async function completeLine(
  context: CliContext,
  catalog: CommandCatalog,
  before: readonly string[],
  now: string
): Promise<readonly CompletionValue[]> {
  const at = findCommandIndex(before, catalog.valueOptions)
  if (at === undefined)
    return now.startsWith('-')
      ? ['--help', '--version', ...catalog.valueOptions].map(flag => [flag, ''] as const)
      : catalog.list().map(({ name, summary }) => [name, summary] as const)
  const subcommand = before[at]!
  return completeCommand(
    await catalog.create(subcommand, context),
    [subcommand],
    before.slice(at + 1),
    now,
    createFetcher(context, before)
  )
}

async function completeCommand(
  command: Command,
  path: readonly string[],
  before: readonly string[],
  now: string,
  ask: FetchJson
): Promise<readonly CompletionValue[]> {
  const { operands, pending, ended } = readWords(command, before)
  const nested = command.commands.find(each => each.name() === operands[0])
  if (nested) {
    for (const option of command.options) nested.addOption(option)
    return completeCommand(nested, [...path, nested.name()], before.slice(before.indexOf(nested.name()) + 1), now, ask)
  }
  const [, flag] = /^(--[\w-]+)=/.exec(now) ?? []
  const valued = pending ?? (flag === undefined ? undefined : findOption(command, flag))
  if (valued) {
    const values = (await FLAG_SOURCES[valued.long ?? '']?.(ask, operands)) ?? []
    return flag === undefined ? values : values.map(([value, means]) => [`${flag}=${value}`, means])
  }
  if (now.startsWith('-') && !ended) return listFlags(command)
  const names = operands.length === 0 ? command.commands.map(each => [each.name(), each.description()] as const) : []
  const args = command.registeredArguments
  const arg = args[operands.length] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined)
  const source: CompletionSource | undefined = arg && ARGUMENT_SOURCES[`${path.join(' ')} ${arg.name()}`]
  const given: readonly CompletionValue[] = (await source?.(ask, operands)) ?? []
  return [...names, ...given.filter(([value]) => !operands.includes(value))]
}

/** Reads the words that are neither flags nor their values, and the flag whose value is being completed. */
function readWords(command: Command, before: readonly string[]) {
  const operands: string[] = []
  let pending: Option | undefined
  let ended = false
  for (const word of before) {
    if (pending) pending = undefined
    else if (ended || !word.startsWith('-')) operands.push(word)
    else if (word === '--') ended = true
    else {
      const option = findOption(command, word)
      pending = option?.required ? option : undefined
    }
  }
  return { operands, pending, ended }
}

const findOption = ({ options }: Command, word: string) =>
  options.find(({ long, short }) => word === long || word === short)

const listFlags = ({ options }: Command): CompletionValue[] => [
  ...options.map(({ long, description }) => [long ?? '', description] as const),
  ['--help', 'what it does']
]

function findCommandIndex(before: readonly string[], valueOptions: readonly string[]): number | undefined {
  let at = 0
  while (before[at]?.startsWith('-')) at += valueOptions.includes(before[at]!) ? 2 : 1
  return at < before.length ? at : undefined
}

/** Creates a fetcher for the server of the project that the line names; each path is requested once. */
function createFetcher(context: CliContext, before: readonly string[]): FetchJson {
  const named = (flag: string) => before[before.indexOf(flag) + 1 || before.length]
  const found = (async () => {
    const { discover } = await import('../../../node-client/discover.ts')
    const { env, cwd } = context.runtime
    const project = path.resolve(cwd, named('--root') ?? '')
    return discover({ env, project, url: named('--url'), timeout_ms: FETCH_TIMEOUT_MS })
  })()
  found.catch(() => {})
  return async path => {
    const { getJson } = await import('../../../node-client/get-json.ts')
    return getJson((await found) ?? {}, path, FETCH_TIMEOUT_MS)
  }
}

/** Splits a line up to the cursor like a shell; the last word is the one being completed. */
function splitWords(line: string): string[] {
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

/** bash splits words at these characters, and replaces only the part after the last. */
const wordBreakIndex = (word: string) => Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1
