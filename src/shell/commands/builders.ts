// Programs that run what the workspace configures: build tools, checkers, package managers. An unlisted flag may name other code
// or another configuration, so it needs strict approval, which no "always" rule for a prefix covers.
import { CHECKERS } from './checkers.ts'
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
  needsStrictApproval(`With ${flag} it may run other code than the workspace configures.`)
const RUNS_CONFIGURED = 'It runs what the workspace configures.'

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

const CARGO: Builder = {
  subcommands: 'build b check c test t clippy fmt doc bench',
  flags:
    '-vqr -p: -j: -F: --all --workspace --package= --exclude= --lib --bin= --bins --example= --examples --test= --tests ' +
    '--bench= --benches --all-targets --all-features --no-default-features --features= --release --profile= --jobs= ' +
    '--keep-going --no-run --no-fail-fast --doc --no-deps --locked --offline --frozen --verbose --quiet ' +
    '--message-format= --color= --check',
  runSubcommands: 'test t bench'
}
const MAVEN: Builder = {
  subcommands: 'test compile package verify',
  flags: '-qXeoBUV -T: --quiet --errors --offline --batch-mode --fail-fast --fail-at-end --no-transfer-progress',
  allowedWords: ['-DskipTests', '-ntp']
}
const GRADLE: Builder = {
  subcommands: 'test build check',
  flags:
    '-qiwdsSm -x: --info --warn --quiet --debug --stacktrace --full-stacktrace --dry-run --offline --parallel ' +
    '--no-daemon --daemon --continue --rerun-tasks --build-cache --no-build-cache --console= --tests='
}
/** Its flags have one dash or two. */
const GO: Builder = {
  subcommands: 'build test vet fmt mod',
  flags:
    '--v --race --short --run= --bench= --count= --timeout= --cover --coverprofile> --parallel= --failfast --json ' +
    '--tags= --p= --x --n --a --o> --list= --skip= --benchtime= --cpu= --benchmem --covermode= --coverpkg= --shuffle= ' +
    '--work --trimpath --mod='
}

function builder({ subcommands, flags: notation, allowedWords = [], runSubcommands = '' }: Builder): ProgramClassifier {
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

const goBuilder = builder(GO)
const go: ProgramClassifier = args => {
  if (args.length === 1 && args[0] === 'version') return printsOnly()
  const { operands = [], ...found } = goBuilder(args.map(arg => (/^-[a-z]/.test(arg) ? `-${arg}` : arg)))
  return {
    ...found,
    operands: [...args.flatMap(guessPathOperands), ...operands.filter(({ access }) => access === 'write')]
  }
}

/** Classifies a checker, with any file operands. */
function checker(notation: string): ProgramClassifier {
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

/** By program: the flags with which it runs no more than its file names. */
export const MAKERS: Readonly<Record<string, string>> = {
  make:
    '-Bikqrstwn -j? -l? -O? --always-make --ignore-errors --jobs? --keep-going --dry-run --just-print --silent --quiet ' +
    '--question --touch --no-print-directory --print-directory --output-sync? --warn-undefined-variables --trace ' +
    '--no-builtin-rules',
  ninja: '-nv -k: -j: -l: -d: --verbose --quiet',
  just: '-nqvl --dry-run --list --quiet --verbose --yes --summary',
  task: '-lasvnfp --list --list-all --silent --verbose --dry --parallel --force',
  rake: '-Tnqvsm -t? -j? --trace? --tasks? --dry-run --quiet --silent'
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
const packages: ProgramClassifier = args => {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) return printsOnly()
  const [sub = '', script] = args
  if (PUBLISH_SUBCOMMANDS.has(sub)) return isIrrevocable('It uses or changes credentials, or what is published.')
  const operands = args.flatMap(guessPathOperands)
  const unknown = findUnknownFlag(PACKAGES, beforeDashes(args))
  if (unknown !== undefined) return needsStrictApproval(`${unknown} may change what is run, or where.`, { operands })
  const prefix: Classification['prefix'] =
    RUN_SUBCOMMANDS.has(sub) && script !== undefined && !script.startsWith('-')
      ? [sub, script]
      : SCRIPTS.has(sub)
        ? [sub]
        : undefined
  return needsApproval('It runs what the project names, or installs.', { operands, ...(prefix && { prefix }) })
}

/** The project may contain its own yarn, which runs even for `--version`. */
function yarnLike(args: readonly string[]): Classification {
  const found = packages(args)
  return found.class === 'auto' ? needsApproval('It runs what the project names.') : found
}

/** Programs that run another one, and download it if the project has none of that name. */
const fetcher: ProgramClassifier = args =>
  needsApproval('It may download the program that it runs.', { operands: args.flatMap(guessPathOperands) })

const forNames = (names: string, program: ProgramClassifier) => names.split(' ').map(name => [name, program] as const)

export const BUILDERS: Readonly<Record<string, ProgramClassifier>> = Object.fromEntries<ProgramClassifier>([
  ['npm', packages] as const,
  ...forNames('yarn bun pnpm', yarnLike),
  ...forNames('npx bunx pnpx uvx', fetcher),
  ['cargo', builder(CARGO)] as const,
  ['go', go] as const,
  ['mvn', builder(MAVEN)] as const,
  ...forNames('gradle gradlew', builder(GRADLE)),
  [
    'dotnet',
    builder({
      subcommands: 'build test format',
      flags:
        '-c: -v: -f: --configuration= --verbosity= --framework= --no-build --no-restore --nologo --filter= --verify-no-changes'
    })
  ] as const,
  [
    'swift',
    builder({ subcommands: 'build test', flags: '-v -c: --configuration= --verbose --filter= --parallel' })
  ] as const,
  [
    'mix',
    builder({
      subcommands: 'test format',
      flags: '--trace --failed --stale --only= --exclude= --seed= --check-formatted --force --cover'
    })
  ] as const,
  ...Object.entries(CHECKERS).map(([name, notation]) => [name, checker(notation)] as const),
  ...Object.entries(MAKERS).map(([name, notation]) => [name, maker(notation)] as const),
  ['gmake', maker(MAKERS.make!)] as const
])
