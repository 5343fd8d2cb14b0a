// Wrappers: programs that run the command in their arguments.

import {
  type Classification,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  unknownFlag,
  writeOperand
} from '../commands/classification.ts'
import { parseArguments, parseFlagSet } from '../commands/parse-arguments.ts'
import { runsPlaceholder } from '../commands/placeholders.ts'
import { isUnsafeVariable, SETS_UNSAFE_VARIABLE } from '../commands/unsafe-variables.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import { envCommand } from '../executed/wrapped-commands.ts'
import { type Configuration, each, type ProgramFacts, type WrappedOptions } from './program.ts'
import { tool } from './tools.ts'

interface Wrapper {
  /** Flags allowed before the command. */
  flags: string
  /** Number of words between its flags and the command. */
  skip?: number
  /** Its own classification in addition to that of the command, if any. */
  classification?: Omit<Classification, 'wrappedCommands'>
  appendsArguments?: boolean
  /** Flag whose value stands for the arguments that it appends. */
  placeholderFlag?: string
  /** The skipped word is a file that it creates. */
  createsFile?: boolean
  /** Runs its words by a shell, unless it has this flag. */
  shellUnless?: string
}

const NOTHING = printsOnly('Only runs the command in its arguments.')
const LEAVES_RUNNING = needsApproval('Leaves a command running.')
const RUNS_ANOTHER = needsApproval('Runs another command.')

const wrapper = ({
  flags,
  skip = 0,
  classification = RUNS_ANOTHER,
  appendsArguments: more = false,
  placeholderFlag,
  createsFile = false,
  shellUnless
}: Wrapper): ProgramClassifier => {
  const known = parseFlagSet(flags)
  return args => {
    const from = findCommandIndex(known, args, skip)
    if (from === undefined) return needsStrictApproval('The command it runs cannot be determined.')
    if (from >= args.length)
      return more ? classification : needsStrictApproval('The command it runs cannot be determined.')
    const own = parseArguments(known, args.slice(0, from - skip))
    const placeholder = placeholderFlag && own.values.get(placeholderFlag)?.at(-1)
    if (placeholder !== undefined && runsPlaceholder(args.slice(from), placeholder))
      return needsStrictApproval('The command it runs cannot be determined.')
    if (shellUnless !== undefined && !own.flags.has(shellUnless))
      return {
        ...classification,
        wrappedCommands: [{ script: args.slice(from).join(' ') }],
        needsLiteralOperands: true
      }
    return {
      ...classification,
      ...(createsFile && { operands: [writeOperand(args[from - 1]!)] }),
      wrappedCommands: [{ from, ...(more && { appendsArguments: true }) }]
    }
  }
}

/** Returns the start of the command: after the flags and skipped words. */
function findCommandIndex(
  known: ReturnType<typeof parseFlagSet>,
  args: readonly string[],
  skip: number
): number | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') return at + 1 + skip
    if (!arg.startsWith('-')) return at + skip
    const read = parseArguments(known, args.slice(at, at + 2))
    if (read.unknown !== undefined && parseArguments(known, [arg]).unknown !== undefined) return undefined
    // The next word is the flag's value if the flag alone is incomplete.
    if (parseArguments(known, [arg]).unknown !== undefined) at++
  }
  return args.length
}

/** `command` runs a program, or prints which one would run. */
const command: ProgramClassifier = args =>
  args[0] === '-v' || args[0] === '-V' ? printsOnly() : wrapper({ flags: '-p', classification: NOTHING })(args)

/** Flags of `env` that only change the environment, not -C for another folder, nor -P of BSD for another search path. */
const ENV_FLAG = /^-(?:[i0v]*|u\w+|-ignore-environment|-unset=\w+|-)$/

const CLEARS_ENVIRONMENT = /^(?:-|-[0v]*i[i0v]*|--ignore-environment)$/

/** `env` prints the environment, or changes it for a command. */
const env: ProgramClassifier = args => {
  let at = 0
  let removesUnsafe = false
  for (; at < args.length; at++) {
    const arg = args[at]!
    const unset = /^(?:-u|--unset)$/.test(arg) ? (args[++at] ?? '') : /^(?:-u|--unset=)(\w+)$/.exec(arg)?.[1]
    if (CLEARS_ENVIRONMENT.test(arg) || (unset !== undefined && isUnsafeVariable(unset))) removesUnsafe = true
    if (unset !== undefined) continue
    if (/^-[A-Za-z]*S|^--s/.test(arg)) return needsStrictApproval('Splits a text into a command and runs it.')
    else if (/^[A-Za-z_]\w*=/.test(arg)) {
      if (isUnsafeVariable(arg.slice(0, arg.indexOf('=')))) return needsStrictApproval(SETS_UNSAFE_VARIABLE)
    } else if (!arg.startsWith('-')) break
    else if (!ENV_FLAG.test(arg)) return unknownFlag(arg)
  }
  return at >= args.length
    ? needsStrictApproval('Prints the environment, which may contain secrets.')
    : needsApproval('Changes the environment of a command.', {
        // Git would run what a repository names, without the settings of commands that run unasked.
        ...(!removesUnsafe && { contained: 'reads' }),
        wrappedCommands: [{ from: at }],
        needsLiteralOperands: true
      })
}

const ENV_FILES: WrappedOptions = { valued: '-e -f -c -p -v -r --file --environments', assignments: true }
const SECRETS: WrappedOptions = { subcommands: 'run exec', valued: '-f --env-file --env -p -c' }
const VERSION_MANAGER: WrappedOptions = { subcommands: 'exec' }
const DEVELOPMENT_SHELL: Configuration = {
  files: ['.envrc', 'devbox.json', 'devenv.nix'],
  search: 'nearest',
  unknown: UNKNOWN.packages
}
const RUNS_WORDS = { runsWords: true } as const
const BUILTIN = { runsWords: true, builtin: true } as const

/** Defines a program of which only the command in its arguments matters. */
const runs = (names: string, ...wraps: readonly WrappedOptions[]): ProgramFacts => ({ names, wraps })

export const WRAPPERS: readonly ProgramFacts[] = [
  ...each(RUNS_WORDS, {
    timeout: wrapper({
      flags: '-fv -k: -s: --foreground --preserve-status --verbose --kill-after= --signal=',
      skip: 1,
      classification: NOTHING
    }),
    nice: wrapper({ flags: '-# -n: --adjustment=', classification: NOTHING }),
    ionice: wrapper({ flags: '-t -c: -n: --class= --classdata= --ignore', classification: NOTHING }),
    stdbuf: wrapper({ flags: '-i: -o: -e: --input= --output= --error=', classification: NOTHING }),
    time: wrapper({ flags: '-pv --portability --verbose', classification: NOTHING }),
    chrt: wrapper({ flags: '-bfiorv -R', skip: 1 }),
    taskset: wrapper({ flags: '-a', skip: 1 }),
    nohup: wrapper({ flags: '', classification: LEAVES_RUNNING }),
    setsid: wrapper({ flags: '-cfw --ctty --fork --wait', classification: LEAVES_RUNNING }),
    busybox: wrapper({ flags: '' }),
    toybox: wrapper({ flags: '' }),
    catchsegv: wrapper({ flags: '' })
  }),
  ...each(BUILTIN, {
    exec: wrapper({ flags: '-cl -a:', classification: needsApproval('Replaces the shell by a command.') }),
    builtin: wrapper({ flags: '', classification: needsApproval('Runs a shell builtin.') }),
    command
  }),
  {
    names: 'flock',
    classify: wrapper({ flags: '-snuxoFv -w: -E:', skip: 1, createsFile: true }),
    ...RUNS_WORDS,
    keepsContent: true
  },
  {
    names: 'watch',
    classify: wrapper({
      flags: '-bcdegtx -n: --interval= --no-title --color --differences?',
      classification: needsApproval('Runs a command repeatedly.'),
      shellUnless: '-x'
    }),
    ...RUNS_WORDS,
    runsText: true
  },
  {
    names: 'parallel',
    classify: wrapper({
      flags: '-0 -k -j: --jobs= -n: -N:',
      classification: needsStrictApproval('Runs commands in a shell from text that it assembles.'),
      appendsArguments: true
    }),
    ...RUNS_WORDS,
    followsInput: true,
    runsText: true
  },
  {
    names: 'xargs',
    classify: wrapper({
      flags:
        '-0rtx -n: -P: -L: -I: -d: -s: -E: --null --no-run-if-empty --max-args= --max-procs= --delimiter= --max-lines? --verbose',
      classification: needsApproval('Runs a command with arguments from its input.', { contained: 'reads' }),
      appendsArguments: true,
      placeholderFlag: '-I'
    }),
    ...RUNS_WORDS,
    followsInput: true
  },
  // Its finder knows the command.
  { names: 'env', classify: env, ...RUNS_WORDS, assigns: true, wraps: [], find: envCommand },

  runs('cross-env cross-env-shell', { assignments: true, operandLines: true }),
  runs('dotenv env-cmd dotenv-cli', ENV_FILES),
  runs('dotenvx', ENV_FILES, SECRETS),
  runs('doppler infisical teller chamber', SECRETS),
  runs('nodemon', {
    valued: '-w --watch -e --ext -i --ignore -d --delay --config',
    lines: '-x --exec',
    interpreter: 'node'
  }),
  runs('watchexec', { valued: '-w --watch -e --exts -i --ignore -s --signal -f --filter -d --debounce' }),
  runs('hyperfine', {
    valued: '-w --warmup -r --runs -m -M -N',
    lines: '-p --prepare -s --setup -c --cleanup',
    operandLines: true
  }),
  runs('xvfb-run', { valued: '-s -n -e -f -p -w --server-args --server-num' }),
  runs('dbus-run-session', { valued: '--config-file' }),
  runs('entr chronic ts caffeinate wine prlimit systemd-inhibit', {}),
  runs('faketime', { skip: 1 }),
  runs('numactl proxychains proxychains4 tsocks doas runuser', { valued: '-u -p --unit' }),
  runs('su', { lines: '-c --command' }),
  runs('start-server-and-test wait-on-and', { operandLines: true }),
  {
    ...runs('mise rtx', { subcommands: 'exec x', files: '.mise.toml mise.toml' }),
    configuration: [
      {
        subcommands: 'run r exec x install',
        files: ['mise.local.toml', 'mise.toml .mise.toml .config/mise.toml'],
        search: 'nearest',
        unknown: UNKNOWN.packages
      }
    ]
  },
  { ...runs('direnv', { subcommands: 'exec', skip: 1, files: '.envrc' }), configuration: [DEVELOPMENT_SHELL] },
  tool('devbox devenv', DEVELOPMENT_SHELL),
  runs('rbenv pyenv nodenv', VERSION_MANAGER),
  { ...runs('asdf', VERSION_MANAGER), outward: 'packages' }
]
