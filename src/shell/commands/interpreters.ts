// Shells and interpreters: what they run is code, of which a line shows a part at best.
import { asks, type Program, pathLike, type Run, strictly, tells, written } from './classification.ts'

const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'ash', 'rbash', 'yash']

/** A shell with its commands in an argument, in a file, or at its input. */
const shell: Program = args => {
  if (args.length === 1 && args[0] === '--version') return tells()
  const at = args.findIndex(arg => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg) || arg === '--command')
  if (at >= 0) {
    const script = args.slice(at + 1).find(arg => !/^[-+]/.test(arg))
    const runs: Run[] = script === undefined ? [] : [{ script }]
    return script === undefined
      ? strictly(FROM_INPUT)
      : asks('It runs a command in a shell of its own.', { runs, touches: true })
  }
  if (args.some(arg => /^-[a-z]*[is]/.test(arg) || arg.startsWith('--rc') || arg.startsWith('--init')))
    return strictly(FROM_INPUT)
  const script = args.find(arg => !/^[-+]/.test(arg))
  if (script === undefined || script.startsWith('/dev/')) return strictly(FROM_INPUT)
  return asks('It runs a script.', { operands: args.flatMap(pathLike), touches: true })
}
const FROM_INPUT = 'It runs whatever commands it is fed.'

/** Flags by which each takes code from the line, or loads some. */
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

function interpreter(inline: RegExp, name: string): Program {
  return args => {
    if (args.length === 1 && VERSIONS.has(args[0]!) && !(name === 'deno' && args[0] === '-v')) return tells()
    if (args.length === 0) return strictly('It runs whatever code it is fed.')
    const first = args.findIndex(arg => !arg.startsWith('-') || arg === '-')
    const flags = first < 0 ? args : args.slice(0, first + 1)
    if (flags.some(arg => inline.test(arg))) return strictly('It runs code that stands in the line.')
    const module = args.indexOf('-m')
    const loaded = args[module + 1] ?? ''
    if (name === 'python' && module >= 0 && !SAFE_MODULES.has(loaded) && !INSTALLING_MODULES.has(loaded))
      return strictly('It runs a module that may do anything.')
    return asks('It runs a program of the workspace.', { operands: args.flatMap(pathLike) })
  }
}
/** Modules that install, which is asked about as any installing is. */
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
const viewer: Program = args =>
  args.some(arg => arg.startsWith('+') || arg.startsWith('-'))
    ? strictly('Its flags may run commands.', { operands: args.flatMap(pathLike) })
    : asks('It waits for somebody at a terminal.', { operands: args.flatMap(pathLike) })

/** Only tells its version; anything else is code of the workspace. */
const version =
  (...flags: string[]): Program =>
  args =>
    args.length > 0 && args.length === 1 && flags.includes(args[0]!)
      ? tells()
      : asks('It is not known to only read.', { operands: args.flatMap(pathLike) })

const from = (names: string, program: Program) => names.split(' ').map(name => [name, program] as const)

const NETWORK_STRICT =
  /^-(?:[a-zA-Z]*[TK]|d$|F)|^--(?:upload|config|unix-socket|abstract-unix|post-file|body-file|data|form|netrc|proxy|cert|key|input-file|execute|use-askpass)|^@|^[\w.-]*=@|^-[a-zA-Z]*d@|^-d/
const SAVES =
  'output|output-dir|output-document|output-file|directory-prefix|dump-header|cookie-jar|trace|trace-ascii|stderr|' +
  'etag-save|hsts|alt-svc|save-cookies|append-output'
const SAVES_NEXT = new RegExp(`^-[a-zA-Z]*[oOPDca]$|^--(?:${SAVES})$`)
const SAVES_ITSELF = new RegExp(`^-[a-zA-Z]*[oOPDca](?=[/.~])|^--(?:${SAVES})=`)
/** Files that it puts what it gets into. */
const saved = (args: readonly string[]) =>
  args.flatMap((arg, at) => {
    if (SAVES_ITSELF.test(arg)) return [written(arg.replace(SAVES_ITSELF, ''))]
    const isFile = SAVES_NEXT.test(args[at - 1] ?? '') && !arg.startsWith('-') && !arg.includes('://')
    return isFile ? [written(arg)] : []
  })

const network: Program = args => {
  if (args.length === 1 && args[0] === '--version') return tells()
  if (
    args.some(
      arg => /^(?:file|dict|gopher|ldap|smb|scp|sftp|tftp|telnet):/i.test(arg) || /=(?:file|gopher):/i.test(arg)
    )
  )
    return strictly('It reads by another scheme than the web’s.')
  const operands = [...args.flatMap(pathLike), ...saved(args)]
  if (args.some(arg => NETWORK_STRICT.test(arg)))
    return strictly('It sends data away, or is told more by a file.', { operands })
  return asks('Accesses the network.', { operands })
}

export const INTERPRETERS: Readonly<Record<string, Program>> = Object.fromEntries<Program>([
  ...SHELLS.map(name => [name, shell] as const),
  ...interpreters,
  ...from('java javac', version('-version', '--version')),
  ...from('gcc g++ cc c++ clang clang++ cmake ld ar meson bazel uv pip pip3', version('--version')),
  ...from('vi vim nvim view ex ed emacs nano pico less more most man', viewer),
  ...from('curl wget http https xh aria2c', network)
])
