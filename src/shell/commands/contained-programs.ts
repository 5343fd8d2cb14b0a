// Programs that are taken for reading where the sandbox confines them to that: they run code or what the project configures, or
// their flags are not known. Elsewhere they need approval.
import type { Containment } from '../command-line-analysis.ts'
import { hasEffects } from './inline-code.ts'

/** By program: the leading words with which it lists or explains something. */
const LISTINGS: Readonly<Record<string, readonly string[]>> = {
  npm: ['ls', 'list', 'll', 'la', 'root', 'prefix', 'bin', 'why', 'explain', 'query', 'pkg get', 'help'],
  pnpm: ['ls', 'list', 'll', 'why', 'root', 'bin'],
  yarn: ['list', 'why', 'info', 'workspaces list'],
  bun: ['pm ls', 'pm bin'],
  pip: ['list', 'show', 'freeze', 'check', 'help'],
  pip3: ['list', 'show', 'freeze', 'check', 'help'],
  uv: ['tree', 'pip list', 'pip show', 'pip freeze', 'version', 'python list'],
  poetry: ['show', 'env list', 'version', 'check'],
  cargo: ['tree', 'metadata', 'pkgid', 'locate-project', 'read-manifest', 'help', 'version', '--list'],
  rustup: ['show', 'toolchain list', 'target list', 'component list', 'which'],
  go: ['env', 'list', 'doc', 'version'],
  gem: ['list', 'env', 'which', 'contents'],
  bundle: ['list', 'show', 'info'],
  composer: ['show', 'licenses', 'depends', 'why'],
  dotnet: ['--info', '--list-sdks', '--list-runtimes', 'list'],
  conda: ['list', 'info'],
  apt: ['list', 'show'],
  dpkg: ['-l', '-L', '-s'],
  brew: ['list', 'info', 'deps'],
  unzip: ['-l', '-v', '-Z']
}
/** Arguments with which listings change something, run a given program, or reach another machine. */
const LISTING_EFFECT =
  /^(?:-w|-u|-I|--(?:write|fix|save|to-command|use-compress-program|checkpoint-action|toolexec).*|[\w.@-]+:.*)$/

/** Programs that show files or facts, whatever their flags, except those with which they write or run a program. */
const VIEWERS: Readonly<Record<string, RegExp | undefined>> = {
  ...Object.fromEntries(
    (
      'bat batcat exa eza lsd gojq shellcheck hadolint tokei cloc numfmt hexyl pr more man ps nm objdump readelf size zgrep ' +
      'bzcat xzcat zstdcat difft colordiff glow tldr csvlook csvcut csvstat lsb_release'
    )
      .split(' ')
      .map(name => [name, undefined])
  ),
  fd: /^-[A-Za-z]*[xX]|^--exec/,
  fdfind: /^-[A-Za-z]*[xX]|^--exec/,
  jaq: /^-[A-Za-z]*i|^--in-?place/,
  yq: /^-[A-Za-z]*[is]|^--(?:in-?place|split)/,
  xq: /^-[A-Za-z]*i|^--in-?place/,
  tomlq: /^-[A-Za-z]*i|^--in-?place/,
  dasel: /^(?:put|delete)$/,
  less: /^-[A-Za-z]*[oO]|^--log|^\+/i,
  scc: /^-o|^--output/,
  xmllint: /^-o|^--output/
}
/** Commands of the shell that change nothing but where a script goes on. */
const CONTROL = new Set(['exit', 'break', 'continue', 'return', 'wait'])

/** By interpreter: the flag whose value is code. */
const CODE_FLAGS: Readonly<Record<string, RegExp>> = {
  python: /^-[BEIOSsu]*c$/,
  python2: /^-[BEIOSsu]*c$/,
  python3: /^-[BEIOSsu]*c$/,
  node: /^(?:-e|-p|-pe|--eval|--print)$/,
  nodejs: /^(?:-e|-p|-pe|--eval|--print)$/,
  perl: /^-[lnpMw0aF]*[eE]$/,
  ruby: /^-[lnpw]*e$/,
  php: /^-r$/,
  lua: /^-e$/
}

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

function isListing(program: string, words: readonly string[]) {
  const listings = Object.hasOwn(LISTINGS, program) ? LISTINGS[program]! : []
  return (
    listings.some(listing => listing.split(' ').every((word, at) => words[at] === word)) &&
    !words.some(word => LISTING_EFFECT.test(word))
  )
}

function isView(program: string, words: readonly string[]) {
  if (!Object.hasOwn(VIEWERS, program)) return false
  const effects = VIEWERS[program]
  return !words.some(word => effects?.test(word))
}

function isReadingCode(program: string, [flag = '', code]: readonly string[]) {
  const isCode = Object.hasOwn(CODE_FLAGS, program) && CODE_FLAGS[program]!.test(flag)
  return isCode && code !== undefined && !hasEffects(code)
}

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
    CONTROL.has(program) && words.every(word => /^(?:\d+|\$\?)$/.test(word)),
  (program: string, words: readonly string[]) =>
    program === 'set' && words.length > 0 && words.every(word => SHELL_OPTION.test(word)),
  (program: string, words: readonly string[]) =>
    program === 'printenv' && words.length > 0 && words.every(isPublicVariable)
]

/** Programs that print their words or known facts, and read no file, whatever their words come to. */
const PRINTERS = new Set('echo true false : seq sleep read exit break continue basename dirname'.split(' '))
export const isPrinter = (program: string) => PRINTERS.has(program)

/** Programs that only read whatever their words come to: none of their flags writes a file, sets a variable or runs a program. */
const STEADY_READERS = new Set(
  (
    'cat tac head tail nl wc cut tr rev fold expand unexpand paste comm join cmp ls dir vdir stat du df readlink realpath md5sum ' +
    'sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum od strings base64 grep egrep fgrep'
  ).split(' ')
)
export const isSteadyReader = (program: string) => STEADY_READERS.has(program)

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
