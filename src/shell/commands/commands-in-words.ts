// Finds commands in the words of programs that run them, also where the analysis does not report them as parts of the line, by the options
// and operands of each program. Only rules that deny or ask look at them.

import { quoteArgv } from '../../text/shell-quote.ts'
import { programName } from '../blocked-commands.ts'
import type { SourceCollector } from '../executed/source-finder.ts'
import { splitWords } from '../executed/source-finder.ts'
import { splitArguments } from '../executed/split-arguments.ts'
import { envCommand, wrapperFinder } from '../executed/wrapped-commands.ts'
import type { Word } from '../parsed-command-line.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { findRunner } from '../programs/runners.ts'

/** Returns the commands in the words of a program, as lines for a shell. A word that is not literal ends what is certain. */
export function findCommandsInWords(words: readonly Word[]): string[] {
  const ends = words.findIndex(({ value }) => value === undefined)
  const certain = words.slice(0, ends < 0 ? undefined : ends).map(({ unquoted }) => unquoted)
  // What follows the keyword `time` counts as a command, its options included.
  const [program = '', ...args] = certain[0]?.startsWith('-') ? ['time', ...certain] : certain
  const name = programName(program)
  const found: string[] = []
  const sources = collectCommands(found)
  if (name === 'git') found.push(...findGitCommands(args))
  else if (name === 'parallel') found.push(...findParallelCommands(args))
  else if (name === 'env') envCommand(args, sources, name)
  for (const options of findProgramFacts(name)?.wraps ?? []) wrapperFinder(options)(args, sources, name)
  const runner = findRunner(name)
  if (runner) wrapperFinder(runner)(args, sources, name)
  return found
}

/** Collects commands, and looks up no files. */
const collectCommands = (found: string[]): SourceCollector => ({
  read: () => undefined,
  exists: () => false,
  isThere: () => false,
  has: () => false,
  folders: [],
  addFile: () => false,
  addEntry: () => {},
  addLine: line => void found.push(line),
  addCommand: argv => void found.push(quoteArgv(argv)),
  addMissing: () => {},
  addUnlisted: () => {},
  addUnknown: () => {}
})

const GIT_VALUED = new Set(
  splitWords('-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix')
)
const GIT_LINES =
  /^(?:-x|--exec|--extcmd|--(?:env|tree|index|parent|msg|commit|tag-name)-filter|--setup|--upload-pack|--receive-pack)$/

/** Finds commands of `rebase --exec`, `bisect run`, `submodule foreach` and the like. */
function findGitCommands(args: readonly string[]): string[] {
  const [subcommand = '', ...rest] = splitArguments(args, GIT_VALUED, 1).operands
  const lines = rest.flatMap((word, at) => {
    const [option = '', ...value] = word.split('=')
    if (/^-x./.test(word) && !word.startsWith('--')) return [word.slice(2)]
    if (!GIT_LINES.test(option)) return []
    return value.length > 0 ? [value.join('=')] : (rest[at + 1] ?? [])
  })
  const found = [...lines]
  if (subcommand === 'bisect' && rest[0] === 'run') found.push(quoteArgv(rest.slice(1)))
  if (subcommand === 'submodule') {
    const [verb, ...words] = rest.filter(word => !/^--(?:quiet|recursive)$|^-q$/.test(word))
    if (verb === 'foreach') found.push(words.length === 1 ? words[0]! : quoteArgv(words))
  }
  return found
}

const PARALLEL_VALUED = new Set(
  splitWords(
    '-j --jobs -P --max-procs -n --max-args -N --max-replace-args -L --max-lines -I -a --arg-file -S --sshlogin --timeout --delay --retries ' +
      '--joblog --results --colsep -C --tmpdir --load --memfree --workdir --wd --env --halt --nice --tagstring --block --recstart --recend'
  )
)
const PARALLEL_INPUT = /^:::/

/** GNU parallel joins its words to a line for a shell, up to its arguments. */
function findParallelCommands(args: readonly string[]): string[] {
  const ends = args.findIndex(word => PARALLEL_INPUT.test(word))
  const { operands } = splitArguments(args.slice(0, ends < 0 ? undefined : ends), PARALLEL_VALUED, 1)
  return operands.length > 0 ? [operands.join(' ').replaceAll('{', '').replaceAll('}', '')] : []
}
