// Wrappers: programs that run the command in their arguments.

import {
  type Classification,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly
} from './classification.ts'
import { parseArguments, parseFlagSet } from './parse-arguments.ts'
import { isUnsafeVariable, SETS_UNSAFE_VARIABLE } from './unsafe-variables.ts'

interface Wrapper {
  /** Flags allowed before the command. */
  flags: string
  /** Number of words between its flags and the command. */
  skip?: number
  /** Its own classification in addition to that of the command, if any. */
  classification?: Omit<Classification, 'wrappedCommands'>
  appendsArguments?: boolean
}

const NOTHING = printsOnly('It only runs the command after it.')
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: {
    flags: '-fv -k: -s: --foreground --preserve-status --verbose --kill-after= --signal=',
    skip: 1,
    classification: NOTHING
  },
  nice: { flags: '-# -n: --adjustment=', classification: NOTHING },
  ionice: { flags: '-t -c: -n: --class= --classdata= --ignore', classification: NOTHING },
  stdbuf: { flags: '-i: -o: -e: --input= --output= --error=', classification: NOTHING },
  time: { flags: '-pv --portability --verbose', classification: NOTHING },
  chrt: { flags: '-bfiorv -R', skip: 1 },
  taskset: { flags: '-a', skip: 1 },
  nohup: { flags: '', classification: needsApproval('It leaves a command running.') },
  setsid: { flags: '-cfw --ctty --fork --wait', classification: needsApproval('It leaves a command running.') },
  exec: { flags: '-cl -a:', classification: needsApproval('It puts a command in the place of the shell.') },
  builtin: { flags: '', classification: needsApproval('It runs a command of the shell.') },
  busybox: { flags: '' },
  toybox: { flags: '' },
  catchsegv: { flags: '' },
  flock: { flags: '-snuxoFv -w: -E:', skip: 1 },
  watch: {
    flags: '-bcdegtx -n: --interval= --no-title --color --differences?',
    classification: needsApproval('It runs a command again and again.')
  },
  parallel: { flags: '-0 -k -j: --jobs= -n: -N:', appendsArguments: true },
  xargs: {
    flags:
      '-0rtx -n: -P: -L: -I: -d: -s: -E: --null --no-run-if-empty --max-args= --max-procs= --delimiter= --max-lines? --verbose',
    classification: needsApproval('It runs a command on what it is fed.'),
    appendsArguments: true
  }
}

const UNKNOWN = needsApproval('It runs another command.')

const wrapper = ({
  flags,
  skip = 0,
  classification = UNKNOWN,
  appendsArguments: more = false
}: Wrapper): ProgramClassifier => {
  const known = parseFlagSet(flags)
  return args => {
    const from = findCommandIndex(known, args, skip)
    if (from === undefined) return needsStrictApproval('What it runs cannot be told.')
    if (from >= args.length) return more ? classification : needsStrictApproval('What it runs cannot be told.')
    return { ...classification, wrappedCommands: [{ from, ...(more && { appendsArguments: true }) }] }
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

/** `env` prints the environment, or changes it for a command. */
const env: ProgramClassifier = args => {
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '-u' || arg === '--unset' || arg === '-C' || arg === '--chdir') at++
    else if (/^-[A-Za-z]*S|^--s/.test(arg)) return needsStrictApproval('It splits a text into a command of its own.')
    else if (/^[A-Za-z_]\w*=/.test(arg)) {
      if (isUnsafeVariable(arg.slice(0, arg.indexOf('=')))) return needsStrictApproval(SETS_UNSAFE_VARIABLE)
    } else if (!arg.startsWith('-')) break
  }
  return at >= args.length
    ? needsStrictApproval('It shows the environment, which may hold secrets.')
    : needsApproval('It changes the environment of a command.', {
        wrappedCommands: [{ from: at }],
        needsLiteralOperands: true
      })
}

export const WRAPPER_PROGRAMS: Readonly<Record<string, ProgramClassifier>> = {
  ...Object.fromEntries(Object.entries(WRAPPERS).map(([name, how]) => [name, wrapper(how)])),
  command,
  env,
  eval: args =>
    needsStrictApproval('It runs what its words come to.', { wrappedCommands: [{ script: args.join(' ') }] })
}
