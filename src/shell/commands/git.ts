// git: read-only commands, destructive ones, and flags that run programs.

import {
  type Classification,
  guessPathOperands,
  isIrrevocable,
  listOperand,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  readsOnly,
  unknownFlag
} from './classification.ts'
import { findHistoryExposure, findPrintedObjects, printsChanges, usesDiffProgram } from './git-history.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'
import { MAY_CREATE_REF, READ_ONLY_GIT_COMMANDS, SAFE_CONFIG_KEYS } from './read-only-git-commands.ts'
import {
  CONDITIONALLY_STRICT_GIT_COMMANDS,
  hasAnyFlag,
  isFlag,
  SIGNATURE,
  STRICT_GIT_COMMANDS,
  TRANSPORTS,
  UNSAFE_GIT_FLAGS
} from './strict-git-commands.ts'

const READS = 'Only reads the repository.'

/** Flags before the command. */
const GLOBAL_FLAGS = parseFlagSet(
  '-P -C: --no-pager --no-optional-locks --literal-pathspecs --icase-pathspecs --no-replace-objects'
)

/** Subcommands for "always" rules: those whose effects do not depend on their arguments. */
const PREFIX_SUBCOMMANDS = new Set([
  'add',
  'commit',
  'fetch',
  'pull',
  'switch',
  'merge',
  'branch',
  'tag',
  'stash',
  'mv',
  'init'
])

/** Subcommands that write to the repository's Git folder unless they only read. */
const GIT_WRITE_COMMANDS = new Set(
  'add am branch checkout cherry-pick commit fetch gc init merge mv notes prune pull rebase reset restore revert rm stash switch tag update-ref worktree'.split(
    ' '
  )
)

export const git: ProgramClassifier = args => {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-C' && args[i - 1] !== '-c')
  const before = parseArguments(GLOBAL_FLAGS, at < 0 ? args : args.slice(0, at))
  const elsewhere =
    at < 0 ? [] : args.slice(0, at).flatMap((arg, i) => (arg === '-C' ? [listOperand(args[i + 1] ?? '..')] : []))
  if (at < 0)
    return before.flags.has('--version') && args.length === 1
      ? readsOnly([])
      : needsStrictApproval('The flags can make git run a program.')
  if (before.unknown !== undefined)
    return needsStrictApproval(`With ${before.unknown} git may run programs or use another repository.`)
  const command = args[at]!
  const rest = args.slice(at + 1)
  const judged = classifyGitCommand(command, rest)
  const found: Classification =
    judged.class !== 'auto' && GIT_WRITE_COMMANDS.has(command) ? { ...judged, writesGit: true } : judged
  if (elsewhere.length === 0) return found
  const { prefix: _, ...classification } =
    found.class === 'auto'
      ? needsApproval('Reads another repository.', {
          ...(found.readsHistory && { readsHistory: true }),
          gitFolder: elsewhere.map(({ path }) => path).reduce(joinFolders),
          ...(found.usesDiffProgram && { usesDiffProgram: true }),
          ...(found.printsChanges && { printsChanges: true }),
          // Objects are looked up in the folder of the command.
          ...(!found.printedObjects && { contained: 'reads' }),
          needsLiteralOperands: true
        })
      : found
  return { ...classification, operands: [...elsewhere, ...(found.operands ?? [])] }
}

/** Joins the folders of two `-C` without normalizing, as git does. */
const joinFolders = (folder: string, next: string) => (next.startsWith('/') ? next : `${folder}/${next}`)

function classifyGitCommand(command: string, args: readonly string[]): Classification {
  const reader = Object.hasOwn(READ_ONLY_GIT_COMMANDS, command) ? READ_ONLY_GIT_COMMANDS[command] : undefined
  const when = Object.hasOwn(CONDITIONALLY_STRICT_GIT_COMMANDS, command)
    ? CONDITIONALLY_STRICT_GIT_COMMANDS[command]
    : undefined
  if (Object.hasOwn(STRICT_GIT_COMMANDS, command)) {
    const dry = command === 'clean' && hasAnyFlag('-n', '--dry-run')(args) && !hasAnyFlag('-f', '--force')(args)
    const staged = command === 'restore' && hasAnyFlag('--staged', '-S')(args) && !hasAnyFlag('--worktree', '-W')(args)
    return dry || staged
      ? needsApproval('Does not change files.', { needsLiteralOperands: true })
      : isIrrevocable(STRICT_GIT_COMMANDS[command]!)
  }
  if (when?.when(args)) return isIrrevocable(when.reason)
  if (args.some(arg => isFlag(arg, '--help'))) return needsStrictApproval('Opens a manual with the configured program.')
  if (args.some(arg => SIGNATURE.test(arg) || TRANSPORTS.test(arg)))
    return needsStrictApproval('One of the arguments makes git run a program.')
  const ends = args.indexOf('--')
  const options = ends < 0 ? args : args.slice(0, ends)
  const seen = reader && parseArguments(reader.flags, args)
  if (seen && seen.unknown === undefined) {
    const hindered = command === 'config' ? undefined : reader.unless?.(seen)
    if (hindered) return PREFIX_SUBCOMMANDS.has(command) ? { ...hindered, prefix: [command] } : hindered
    if (command === 'config') return classifyConfigRead(args)
    const operands = reader.operands(seen)
    const exposure = findHistoryExposure(command, seen)
    if (exposure !== undefined) return needsApproval(exposure, { operands, needsLiteralOperands: true })
    const printedObjects = findPrintedObjects(command, seen)
    return {
      ...readsOnly(operands, READS),
      readsHistory: true,
      ...(usesDiffProgram(command, seen) && { usesDiffProgram: true }),
      ...(printsChanges(command, seen) && { printsChanges: true }),
      ...(printedObjects && { printedObjects })
    }
  }
  const running = options.find(arg => UNSAFE_GIT_FLAGS.some(flag => isFlag(arg, flag)))
  if (running !== undefined) return needsStrictApproval(`With ${running} git may run programs or access other files.`)
  if (options.includes('-c') || (options.includes('-u') && ['clone', 'fetch', 'ls-remote', 'pull'].includes(command)))
    return needsStrictApproval('The flags of git contain a program or a setting.')
  if (command === 'config') return needsStrictApproval('May change the programs that git runs, or print credentials.')
  if (command === 'branch' || command === 'tag' || command === 'stash') return { ...MAY_CREATE_REF, prefix: [command] }
  if (seen?.unknown !== undefined) return unknownFlag(seen.unknown)
  if (command === 'ls-remote')
    return needsApproval('Contacts another repository, possibly over the network.', {
      operands: args.flatMap(guessPathOperands)
    })
  return needsApproval('Changes the repository, and may run its hooks.', {
    operands: args.flatMap(guessPathOperands),
    ...(PREFIX_SUBCOMMANDS.has(command) && { prefix: [command] })
  })
}

/** Classifies reading one setting that contains neither programs nor credentials. */
function classifyConfigRead(args: readonly string[]): Classification {
  const words = args.filter(arg => !arg.startsWith('-'))
  const [key, ...more] = words[0] === 'get' ? words.slice(1) : words
  return key !== undefined && more.length === 0 && SAFE_CONFIG_KEYS.test(key)
    ? readsOnly([], READS)
    : needsStrictApproval('May change the programs that git runs, or print credentials.')
}
