// Programs that run the words after them.

import { asks, type Finding, type Program, strictly, tells } from './classification.ts'
import { flags, given } from './parse-arguments.ts'
import { STEERED, steers } from './unsafe-variables.ts'

interface Wrapper {
  /** Flags it may have before the command. */
  notation: string
  /** Words between its flags and the command. */
  skip?: number
  /** What it adds to the command: nothing (the command decides alone), or a decision of its own. */
  own?: Omit<Finding, 'runs'>
  given?: boolean
}

const NOTHING = tells('It only runs the command after it.')
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: {
    notation: '-fv -k: -s: --foreground --preserve-status --verbose --kill-after= --signal=',
    skip: 1,
    own: NOTHING
  },
  nice: { notation: '-# -n: --adjustment=', own: NOTHING },
  ionice: { notation: '-t -c: -n: --class= --classdata= --ignore', own: NOTHING },
  stdbuf: { notation: '-i: -o: -e: --input= --output= --error=', own: NOTHING },
  time: { notation: '-pv --portability --verbose', own: NOTHING },
  chrt: { notation: '-bfiorv -R', skip: 1 },
  taskset: { notation: '-a', skip: 1 },
  nohup: { notation: '', own: asks('It leaves a command running.') },
  setsid: { notation: '-cfw --ctty --fork --wait', own: asks('It leaves a command running.') },
  exec: { notation: '-cl -a:', own: asks('It puts a command in the place of the shell.') },
  builtin: { notation: '', own: asks('It runs a command of the shell.') },
  busybox: { notation: '' },
  toybox: { notation: '' },
  catchsegv: { notation: '' },
  flock: { notation: '-snuxoFv -w: -E:', skip: 1 },
  watch: {
    notation: '-bcdegtx -n: --interval= --no-title --color --differences?',
    own: asks('It runs a command again and again.')
  },
  parallel: { notation: '-0 -k -j: --jobs= -n: -N:', given: true },
  xargs: {
    notation:
      '-0rtx -n: -P: -L: -I: -d: -s: -E: --null --no-run-if-empty --max-args= --max-procs= --delimiter= --max-lines? --verbose',
    own: asks('It runs a command on what it is fed.'),
    given: true
  }
}

const UNKNOWN = asks('It runs another command.')

const wrapper = ({ notation, skip = 0, own = UNKNOWN, given: more = false }: Wrapper): Program => {
  const known = flags(notation)
  return args => {
    const from = commandAt(known, args, skip)
    if (from === undefined) return strictly('What it runs cannot be told.')
    if (from >= args.length) return more ? own : strictly('What it runs cannot be told.')
    return { ...own, runs: [{ from, ...(more && { given: true }) }] }
  }
}

/** Where the command begins: after the flags and what is skipped. */
function commandAt(known: ReturnType<typeof flags>, args: readonly string[], skip: number): number | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') return at + 1 + skip
    if (!arg.startsWith('-')) return at + skip
    const read = given(known, args.slice(at, at + 2))
    if (read.unknown !== undefined && given(known, [arg]).unknown !== undefined) return undefined
    // The next word is its value where the flag alone is not enough.
    if (given(known, [arg]).unknown !== undefined) at++
  }
  return args.length
}

/** `command` runs a program, or tells which one it would be. */
const command: Program = args =>
  args[0] === '-v' || args[0] === '-V' ? tells() : wrapper({ notation: '-p', own: NOTHING })(args)

/** `env` shows the environment, or changes it for a command. */
const env: Program = args => {
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '-u' || arg === '--unset' || arg === '-C' || arg === '--chdir') at++
    else if (/^-[A-Za-z]*S|^--s/.test(arg)) return strictly('It splits a text into a command of its own.')
    else if (/^[A-Za-z_]\w*=/.test(arg)) {
      if (steers(arg.slice(0, arg.indexOf('=')))) return strictly(STEERED)
    } else if (!arg.startsWith('-')) break
  }
  return at >= args.length
    ? strictly('It shows the environment, which may hold secrets.')
    : asks('It changes the environment of a command.', { runs: [{ from: at }], touches: true })
}

export const WRAPPING: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(Object.entries(WRAPPERS).map(([name, how]) => [name, wrapper(how)])),
  command,
  env,
  eval: args => strictly('It runs what its words come to.', { runs: [{ script: args.join(' ') }] })
}
