// Programs that are taken for reading where the sandbox confines them to that: they run code or what the project configures, or
// their flags are not known. Elsewhere they need approval.
import type { Containment } from '../command-line-analysis.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { hasEffects } from './inline-code.ts'

/** Arguments with which listings change something, run a given program, or reach another machine. */
const LISTING_EFFECT =
  /^(?:-w|-u|-I|--(?:write|fix|save|to-command|use-compress-program|checkpoint-action|toolexec).*|[\w.@-]+:.*)$/

/** Modules of Python that print. */
const PRINTING_MODULES = new Set('json.tool tokenize ast dis platform site sysconfig calendar'.split(' '))
/** Options of the shell that change no more than how it stops. */
const SHELL_OPTION = /^(?:[-+][efux]+o?|[-+]o|errexit|nounset|pipefail|xtrace)$/
/** Variables with facts that are no secret. */
const PUBLIC_VARIABLES = new Set(
  (
    'PATH HOME PWD OLDPWD USER LOGNAME SHELL LANG LC_ALL TERM TMPDIR HOSTNAME UID EUID PPID BASH_VERSION OSTYPE EDITOR PAGER ' +
    'NODE_ENV CI GOPATH GOROOT JAVA_HOME VIRTUAL_ENV COLUMNS LINES TZ'
  ).split(' ')
)
export const isPublicVariable = (name: string) => PUBLIC_VARIABLES.has(name)

const isVersionQuestion = ([flag, ...others]: readonly string[]) =>
  others.length === 0 && (flag === '--version' || flag === '-version' || flag === '--help')

const isListing = (program: string, words: readonly string[]) =>
  findProgramFacts(program)?.listings?.some(listing => listing.split(' ').every((word, at) => words[at] === word)) ===
    true && !words.some(word => LISTING_EFFECT.test(word))

function isView(program: string, words: readonly string[]) {
  const views = findProgramFacts(program)?.views
  return views === true || (views !== undefined && !words.some(word => views.test(word)))
}

const isReadingCode = (program: string, [flag = '', code]: readonly string[]) =>
  findProgramFacts(program)?.codeFlag?.test(flag) === true && code !== undefined && !hasEffects(code)

function isPrintingModule(program: string, [flag, module = '', ...words]: readonly string[]) {
  if (!/^python[\d.]*$/.test(program) || flag !== '-m') return false
  // A second operand of json.tool is the file that it writes.
  return module === 'pip' ? isListing(module, words) : PRINTING_MODULES.has(module) && words.length <= 1
}

/** Tests by which a program, with its arguments, is one that computes. */
const COMPUTES = [
  (_: string, words: readonly string[]) => isVersionQuestion(words),
  (program: string, words: readonly string[]) =>
    /^(?:npx|bunx|pnpx)$/.test(program) && isVersionQuestion(words.slice(1)),
  isListing,
  isReadingCode,
  isPrintingModule
]

/** Tests by which a part of the shell itself, or a program that prints known facts, only reads. */
const READS = [
  (program: string, words: readonly string[]) =>
    findProgramFacts(program)?.controlsFlow === true && words.every(word => /^(?:\d+|\$\?)$/.test(word)),
  (program: string, words: readonly string[]) =>
    program === 'set' && words.length > 0 && words.every(word => SHELL_OPTION.test(word)),
  (program: string, words: readonly string[]) =>
    program === 'printenv' && words.length > 0 && words.every(isPublicVariable)
]

/** Returns how the sandbox contains a program of this class; undefined if it may be meant to change something. */
export function findContainment(
  program: string,
  words: readonly string[],
  needed: 'ask' | 'strict'
): Containment | undefined {
  if (READS.some(test => test(program, words))) return 'reads'
  if (COMPUTES.some(test => test(program, words))) return 'computes'
  return needed === 'ask' && isView(program, words) ? 'computes' : undefined
}
