// Programs that run what the workspace configures: build tools, checkers, package managers. An unlisted flag may name other code
// or another configuration, so it needs strict approval, which no "always" rule for a prefix covers.
import type { Configuration, ProgramFacts } from '../programs/program.ts'
import {
  type Classification,
  guessPathOperands,
  isIrrevocable,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  writeOperand
} from './classification.ts'
import { type FlagSet, parseArguments, parseFlagSet } from './parse-arguments.ts'

const mayRunOtherCode = (flag: string) =>
  needsStrictApproval(`With ${flag} the command may run code that is not configured in the workspace.`)
const RUNS_CONFIGURED = 'Runs code configured in the workspace.'

/** Returns the first argument that looks like a flag but is not listed. */
const findUnknownFlag = (known: FlagSet, args: readonly string[]) => parseArguments(known, args).unknown
/** Returns the paths that it may touch according to its arguments. */
const pathOperands = (known: FlagSet, args: readonly string[]) => [
  ...args.flatMap(guessPathOperands),
  ...parseArguments(known, args).writtenFiles.map(writeOperand)
]

const beforeDashes = (args: readonly string[]) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args)

interface Builder {
  /** Subcommands that an "always" rule may name. */
  subcommands: string
  flags: string
  /** Arguments that are always accepted. */
  allowedWords?: readonly string[]
  /** Subcommands whose arguments after `--` go to the built program. */
  runSubcommands?: string
}

export function builder({
  subcommands,
  flags: notation,
  allowedWords = [],
  runSubcommands = ''
}: Builder): ProgramClassifier {
  const known = parseFlagSet(notation)
  const remembered = new Set(subcommands.split(' '))
  const running = new Set(runSubcommands.split(' '))
  return args => {
    const operands = pathOperands(known, args)
    const [sub = ''] = args
    const own = beforeDashes(args)
    const unknown = findUnknownFlag(
      known,
      own.filter(arg => !allowedWords.includes(arg))
    )
    if (unknown !== undefined) return { ...mayRunOtherCode(unknown), operands }
    const beyond = running.has(sub) ? undefined : args.slice(own.length + 1).find(arg => !LINT_OPTION.test(arg))
    if (beyond !== undefined) return { ...mayRunOtherCode(beyond), operands }
    // Such as cargo's `+nightly`, which selects another compiler.
    if (sub.startsWith('+')) return { ...mayRunOtherCode(sub), operands }
    return needsApproval(RUNS_CONFIGURED, { operands, ...(remembered.has(sub) && { prefix: [sub] }) })
  }
}
/** Names and levels of lints. */
const LINT_OPTION = /^(?:-[DWAF]|--check|[a-z][\w:-]*)$/

/** Classifies a checker, with any file operands. */
function classifyChecker(notation: string): ProgramClassifier {
  const known = parseFlagSet(notation)
  return args => {
    if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) return printsOnly()
    const operands = pathOperands(known, args)
    const unknown = findUnknownFlag(known, args)
    return unknown === undefined
      ? needsApproval(RUNS_CONFIGURED, { operands })
      : { ...mayRunOtherCode(unknown), operands }
  }
}

/** Variables that a makefile may define as switches. */
const SWITCH = /^[A-Za-z]\w*=(?:\d*|y|n|yes|no|true|false|on|off)$/
const UNSAFE_MAKE_VARIABLE = /^(?:SHELL|MAKE\w*|\.\w+)=/

function maker(notation: string): ProgramClassifier {
  const known = parseFlagSet(notation)
  return args => {
    const [target] = args
    if (args.length === 1 && target === '--version') return printsOnly()
    const operands = args.flatMap(guessPathOperands)
    const set = args.find(
      arg => arg.includes('=') && !arg.startsWith('-') && (!SWITCH.test(arg) || UNSAFE_MAKE_VARIABLE.test(arg))
    )
    const unknown = findUnknownFlag(known, args) ?? set
    if (unknown !== undefined) return { ...mayRunOtherCode(unknown), operands, needsLiteralOperands: true }
    const named = target !== undefined && /^[A-Za-z][\w.:-]*$/.test(target)
    return needsApproval(RUNS_CONFIGURED, { operands, ...(named && { prefix: [target] }) })
  }
}

/** Subcommands of package managers: those that run the project's scripts, and those that publish or log in. */
const RUN_SUBCOMMANDS = new Set(['run', 'run-script'])
const SCRIPTS = new Set(['test', 't', 'start', 'ci', 'build', 'lint', 'typecheck', 'check', 'format'])
const PUBLISH_SUBCOMMANDS = new Set(
  (
    'publish unpublish deprecate owner access token login logout adduser add-user whoami profile team org hook star ' +
    'dist-tag set config c'
  ).split(' ')
)
const PACKAGES = parseFlagSet(
  '-sqdlDEOPB --silent --quiet --verbose --if-present --no-audit --no-fund --loglevel= --ignore-scripts --offline ' +
    '--prefer-offline --frozen-lockfile --no-frozen-lockfile --immutable --dev --save --save-dev --save-exact ' +
    '--save-optional --save-peer --exact --no-save --production --omit= --package-lock-only --dry-run --json --long ' +
    '--depth= --all --no-progress --color? --no-color --force --legacy-peer-deps --watch --coverage --fix'
)
/** Classifies a package manager of JavaScript. */
export const packages: ProgramClassifier = args => {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) return printsOnly()
  const [sub = '', script] = args
  if (PUBLISH_SUBCOMMANDS.has(sub)) return isIrrevocable('Uses or changes credentials, or published packages.')
  const operands = args.flatMap(guessPathOperands)
  const unknown = findUnknownFlag(PACKAGES, beforeDashes(args))
  if (unknown !== undefined)
    return needsStrictApproval(`${unknown} may change the program that runs, or its folder.`, { operands })
  const prefix: Classification['prefix'] =
    RUN_SUBCOMMANDS.has(sub) && script !== undefined && !script.startsWith('-')
      ? [sub, script]
      : SCRIPTS.has(sub)
        ? [sub]
        : undefined
  return needsApproval('Runs project scripts or installed packages.', { operands, ...(prefix && { prefix }) })
}

/** The project may contain its own yarn, which runs even for `--version`. */
export function yarnLike(args: readonly string[]): Classification {
  const found = packages(args)
  return found.class === 'auto' ? needsApproval('Runs project scripts.') : found
}

/** Programs that run another one, and download it if the project has none of that name. */
export const fetcher: ProgramClassifier = args =>
  needsApproval('May download the program that it runs.', { operands: args.flatMap(guessPathOperands) })

/** Classifies a program that may only print its version; anything else is code of the workspace. */
export const version =
  (...flags: string[]): ProgramClassifier =>
  args =>
    args.length === 1 && flags.includes(args[0]!)
      ? printsOnly()
      : needsApproval('Not known to be read-only.', { operands: args.flatMap(guessPathOperands) })

/** Returns the options of a flag notation that take no value in the next word. */
function plainFlags(notation: string): string {
  const flags = notation.split(' ').map(flag => flag.replace(/\?$/, ''))
  return flags
    .flatMap(flag =>
      /[:=<>!;@]$/.test(flag) ? [] : flag.startsWith('--') ? flag : [...flag.slice(1)].map(letter => `-${letter}`)
    )
    .join(' ')
}

/** Defines a checker, formatter or test runner, with the flags that run no code beyond what the workspace configures. */
export const checker = (names: string, notation: string, ...configuration: readonly Configuration[]): ProgramFacts => ({
  names,
  classify: classifyChecker(notation),
  data: { plain: plainFlags(notation) },
  configuration
})

/** Returns the facts about a program that makes targets, with the flags with which it runs no more than its file names. */
export const makes = (notation: string): Pick<ProgramFacts, 'classify' | 'data'> => ({
  classify: maker(notation),
  data: { plain: plainFlags(notation) }
})
