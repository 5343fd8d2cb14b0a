// Wrappers: programs that run the command in their arguments.

import {
  type Classification,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  unknownFlag,
  writeOperand
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
  /** Flag whose value stands for the arguments that it appends. */
  placeholderFlag?: string
  /** The skipped word is a file that it creates. */
  createsFile?: boolean
  /** Runs its words by a shell, unless it has this flag. */
  shellUnless?: string
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
  flock: { flags: '-snuxoFv -w: -E:', skip: 1, createsFile: true },
  watch: {
    flags: '-bcdegtx -n: --interval= --no-title --color --differences?',
    classification: needsApproval('It runs a command again and again.'),
    shellUnless: '-x'
  },
  parallel: {
    flags: '-0 -k -j: --jobs= -n: -N:',
    classification: needsStrictApproval('It runs commands by a shell that it puts together.'),
    appendsArguments: true
  },
  xargs: {
    flags:
      '-0rtx -n: -P: -L: -I: -d: -s: -E: --null --no-run-if-empty --max-args= --max-procs= --delimiter= --max-lines? --verbose',
    classification: needsApproval('It runs a command on what it is fed.', { contained: 'reads' }),
    appendsArguments: true,
    placeholderFlag: '-I'
  }
}

const UNKNOWN = needsApproval('It runs another command.')

const wrapper = ({
  flags,
  skip = 0,
  classification = UNKNOWN,
  appendsArguments: more = false,
  placeholderFlag,
  createsFile = false,
  shellUnless
}: Wrapper): ProgramClassifier => {
  const known = parseFlagSet(flags)
  return args => {
    const from = findCommandIndex(known, args, skip)
    if (from === undefined) return needsStrictApproval('What it runs cannot be determined.')
    if (from >= args.length) return more ? classification : needsStrictApproval('What it runs cannot be determined.')
    const own = parseArguments(known, args.slice(0, from - skip))
    const placeholder = placeholderFlag && own.values.get(placeholderFlag)?.at(-1)
    if (placeholder !== undefined && runsPlaceholder(args.slice(from), placeholder))
      return needsStrictApproval('What it runs cannot be determined.')
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

const SHELL = /(?:^|\/)(?:ba|da|z|k|mk|a|fi)?sh$/

/** Returns true if a command runs what is put in for the placeholder: as its program, or within the script of a shell. */
export function runsPlaceholder(words: readonly string[], placeholder: string): boolean {
  if (words[0]?.includes(placeholder)) return true
  const shell = words.findIndex(word => SHELL.test(word))
  const flag = words.findIndex((word, at) => shell >= 0 && at > shell && /^-[A-Za-z]*c[A-Za-z]*$/.test(word))
  const script = words.find((word, at) => flag >= 0 && at > flag && !/^[-+]/.test(word))
  return script?.includes(placeholder) ?? false
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
    if (/^-[A-Za-z]*S|^--s/.test(arg)) return needsStrictApproval('It splits a text into a command of its own.')
    else if (/^[A-Za-z_]\w*=/.test(arg)) {
      if (isUnsafeVariable(arg.slice(0, arg.indexOf('=')))) return needsStrictApproval(SETS_UNSAFE_VARIABLE)
    } else if (!arg.startsWith('-')) break
    else if (!ENV_FLAG.test(arg)) return unknownFlag(arg)
  }
  return at >= args.length
    ? needsStrictApproval('It shows the environment, which may hold secrets.')
    : needsApproval('It changes the environment of a command.', {
        // Git would run what a repository names, without the settings of commands that run unasked.
        ...(!removesUnsafe && { contained: 'reads' }),
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
