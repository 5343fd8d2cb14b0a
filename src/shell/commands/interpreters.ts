// Shells and interpreters: they run code, of which a line shows a part at best.
import type { Containment } from '../command-line-analysis.ts'
import {
  guessPathOperands,
  isIrrevocable,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  type WrappedCommand,
  writeOperand
} from './classification.ts'

/** Shells whose syntax bash includes: their commands are read as bash reads them. */
const POSIX_SHELLS = ['sh', 'bash', 'dash', 'ash', 'rbash']
/** Shells that also execute what bash takes for text, as zsh does with qualifiers of a pattern. */
const OTHER_SHELLS = ['zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'yash']

/** Classifies a shell with its commands in an argument, in a file, or on standard input. */
const shell =
  (contained: Containment): ProgramClassifier =>
  args => {
    if (args.length === 1 && args[0] === '--version') return printsOnly()
    const at = args.findIndex(arg => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg) || arg === '--command')
    if (at >= 0) {
      const script = args.slice(at + 1).find(arg => !/^[-+]/.test(arg))
      if (script === undefined) return needsStrictApproval(FROM_INPUT)
      const wrappedCommands: WrappedCommand[] = [{ script }]
      return !runsOnlyScript(args, at)
        ? needsStrictApproval('It may run a file, not only the command that is given to it.', {
            wrappedCommands,
            operands: args.flatMap(guessPathOperands),
            needsLiteralOperands: true
          })
        : needsApproval('It runs a command in a shell of its own.', {
            contained,
            wrappedCommands,
            needsLiteralOperands: true
          })
    }
    if (args.some(arg => /^-[a-z]*[is]/.test(arg) || arg.startsWith('--rc') || arg.startsWith('--init')))
      return needsStrictApproval(FROM_INPUT)
    const script = args.find(arg => !/^[-+]/.test(arg))
    if (script === undefined || script.startsWith('/dev/')) return needsStrictApproval(FROM_INPUT)
    return needsApproval('It runs a script.', { operands: args.flatMap(guessPathOperands), needsLiteralOperands: true })
  }
/** Flags of a shell by which it reads no file that the line names. */
const PLAIN_SHELL_FLAG = /^(?:[-+][A-NP-Zabd-np-z]+|--(?:login|noprofile|norc|posix|verbose|noediting|restricted))$/
/** The name of an option is the next word. */
const OPTION_FLAG = /^[-+][abd-np-zA-NP-Z]*[oO]$/

/** Returns true if the shell runs the command after `-c`, at this index, and neither a file before it nor one that a flag names. */
function runsOnlyScript(args: readonly string[], at: number): boolean {
  const isPlain = (arg: string, i: number) =>
    PLAIN_SHELL_FLAG.test(arg) || OPTION_FLAG.test(arg) || (i > 0 && OPTION_FLAG.test(args[i - 1]!))
  const before = args.slice(0, at)
  const after = args.slice(at + 1)
  const flags = after.slice(
    0,
    after.findIndex(arg => !/^[-+]/.test(arg))
  )
  return (
    before.every(isPlain) &&
    !(at > 0 && OPTION_FLAG.test(args[at - 1]!)) &&
    !/^-\w*[oO]/.test(args[at]!) &&
    flags.every(arg => arg === '--' || PLAIN_SHELL_FLAG.test(arg))
  )
}

const FROM_INPUT = 'It runs whatever commands it is fed.'

/** Flags of each that contain code or load some. */
const INLINE: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-z]*c|^-$/,
  node: /^-(?:[a-z]*[ep]|r|$)|^--(?:eval|print|require|import|loader|experimental-loader|inspect|env-file|test-reporter(?!=(?:spec|tap|dot|junit|lcov)$))/,
  bun: /^-(?:e|p|r|$)|^--(?:eval|print|preload)/,
  deno: /^-(?:A|$)|^--(?:allow-all|unstable|eval)|^eval$|^repl$/,
  perl: /^-[a-zA-Z0-9]*[eEMmId]|^-$/,
  ruby: /^-[a-zA-Z]*[erI]|^-$/,
  php: /^-[a-zA-Z]*[rBREdS]|^-$/,
  lua: /^-[a-z]*[eli]|^-$/,
  Rscript: /^-e|^-$/,
  osascript: /^-/,
  tclsh: /^-$/
}
const VERSIONS = new Set(['--version', '-V', '-v', '-version', 'version', '--help'])

function interpreter(inline: RegExp, name: string): ProgramClassifier {
  return args => {
    if (args.length === 1 && VERSIONS.has(args[0]!) && !(name === 'deno' && args[0] === '-v')) return printsOnly()
    if (args.length === 0) return needsStrictApproval('It runs whatever code it is fed.')
    const first = args.findIndex(arg => !arg.startsWith('-') || arg === '-')
    const flags = first < 0 ? args : args.slice(0, first + 1)
    if (flags.some(arg => inline.test(arg))) return needsStrictApproval('It runs code that stands in the line.')
    const module = args.indexOf('-m')
    const loaded = args[module + 1] ?? ''
    if (name === 'python' && module >= 0 && !SAFE_MODULES.has(loaded) && !INSTALLING_MODULES.has(loaded))
      return needsStrictApproval('It runs a module that may do anything.')
    return needsApproval('It runs a program of the workspace.', { operands: args.flatMap(guessPathOperands) })
  }
}
/** Installers, which need the same approval as any installation. */
const INSTALLING_MODULES = new Set(['pip', 'venv', 'build'])
const SAFE_MODULES = new Set(['pytest', 'unittest', 'mypy', 'ruff', 'black', 'flake8', 'isort', 'pylint', 'compileall'])

const interpreters = Object.entries({
  python: 'python python2 python3 pypy pypy3 ipython',
  node: 'node nodejs tsx ts-node',
  bun: '',
  deno: 'deno',
  perl: 'perl',
  ruby: 'ruby irb',
  php: 'php',
  lua: 'lua luajit',
  Rscript: 'Rscript R',
  osascript: 'osascript',
  tclsh: 'tclsh wish'
}).flatMap(([name, programs]) =>
  programs
    .split(' ')
    .filter(Boolean)
    .map(program => [program, interpreter(INLINE[name]!, name)] as const)
)

/** Editors and pagers: their flags can run commands. */
const viewer: ProgramClassifier = args =>
  args.some(arg => arg.startsWith('+') || arg.startsWith('-'))
    ? needsStrictApproval('Its flags may run commands.', { operands: args.flatMap(guessPathOperands) })
    : needsApproval('It waits for somebody at a terminal.', { operands: args.flatMap(guessPathOperands) })

/** Classifies a program that may only print its version; anything else is code of the workspace. */
const version =
  (...flags: string[]): ProgramClassifier =>
  args =>
    args.length > 0 && args.length === 1 && flags.includes(args[0]!)
      ? printsOnly()
      : needsApproval('It is not known to only read.', { operands: args.flatMap(guessPathOperands) })

const forNames = (names: string, program: ProgramClassifier) => names.split(' ').map(name => [name, program] as const)

const NETWORK_STRICT = /^-(?:[a-zA-Z]*[TK]|d$|F)|^@|^[\w.-]*=@|^-[a-zA-Z]*d@|^-d/
/** Beginnings of long flags that send data, or name files with more flags or credentials. */
const NETWORK_STRICT_NAMES = (
  'upload config unix-socket abstract-unix post-file body-file data form netrc proxy cert key input-file execute use-askpass ' +
  'json url-query'
).split(' ')
const isStrictFlag = (arg: string) =>
  isLongFlag(arg, NETWORK_STRICT_NAMES) || NETWORK_STRICT_NAMES.some(name => arg.startsWith(`--${name}`))
const OUTPUT_FLAG_NAMES = (
  'output output-dir output-document output-file directory-prefix dump-header cookie-jar trace trace-ascii stderr ' +
  'etag-save hsts alt-svc save-cookies append-output'
).split(' ')
const isOutputFlag = (arg: string) => /^-[a-zA-Z]*[oOPDca]$/.test(arg) || isLongFlag(arg, OUTPUT_FLAG_NAMES)

/** Matches a long flag of these names, also abbreviated, without its value. */
function isLongFlag(arg: string, names: readonly string[]): boolean {
  const given = /^--([a-z][a-z-]+)/.exec(arg)?.[1]
  return given !== undefined && names.some(name => name.startsWith(given))
}

/** Returns the file that is attached to a flag for output. */
function attachedOutput(arg: string): string | undefined {
  const equals = arg.indexOf('=')
  if (equals > 0 && isLongFlag(arg.slice(0, equals), OUTPUT_FLAG_NAMES)) return arg.slice(equals + 1)
  return /^-[a-zA-Z]*[oOPDca](?<file>[/.~].*)/s.exec(arg)?.groups?.file
}

/** Returns the files that receive its input. */
const outputOperands = (args: readonly string[]) =>
  args.flatMap((arg, at) => {
    const attached = attachedOutput(arg)
    if (attached !== undefined) return [writeOperand(attached)]
    const before = args[at - 1] ?? ''
    const isFile = isOutputFlag(before) && !before.includes('=') && !arg.startsWith('-') && !arg.includes('://')
    return isFile ? [writeOperand(arg)] : []
  })

const network: ProgramClassifier = args => {
  if (args.length === 1 && args[0] === '--version') return printsOnly()
  if (
    args.some(
      arg => /^(?:file|dict|gopher|ldap|smb|scp|sftp|tftp|telnet):/i.test(arg) || /=(?:file|gopher):/i.test(arg)
    )
  )
    return isIrrevocable('It reads by another scheme than the web’s.')
  const operands = [...args.flatMap(guessPathOperands), ...outputOperands(args)]
  if (args.some(arg => NETWORK_STRICT.test(arg) || isStrictFlag(arg)))
    return isIrrevocable('It sends data, or reads more options from a file.', { operands })
  return needsApproval('Accesses the network.', { operands })
}

export const INTERPRETERS: Readonly<Record<string, ProgramClassifier>> = Object.fromEntries<ProgramClassifier>([
  ...POSIX_SHELLS.map(name => [name, shell('reads')] as const),
  ...OTHER_SHELLS.map(name => [name, shell('computes')] as const),
  ...interpreters,
  ...forNames('java javac', version('-version', '--version')),
  ...forNames('gcc g++ cc c++ clang clang++ cmake ld ar meson bazel uv pip pip3', version('--version')),
  ...forNames('vi vim nvim view ex ed emacs nano pico less more most man', viewer),
  ...forNames('curl wget http https xh aria2c', network)
])
