// Shells and interpreters: they run code, of which a line shows a part at best.
import type { Containment } from '../command-line-analysis.ts'
import { version } from '../commands/builders.ts'
import {
  guessPathOperands,
  needsApproval,
  needsStrictApproval,
  type ProgramClassifier,
  printsOnly,
  type WrappedCommand
} from '../commands/classification.ts'
import { denoTask, nodeModes } from '../executed/package-scripts.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { ProgramFacts, ScriptOptions } from './program.ts'

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
        ? needsStrictApproval('May run a file in addition to the given command.', {
            wrappedCommands,
            operands: args.flatMap(guessPathOperands),
            needsLiteralOperands: true
          })
        : needsApproval('Runs a command in another shell.', {
            contained,
            wrappedCommands,
            needsLiteralOperands: true
          })
    }
    if (args.some(arg => /^-[a-z]*[is]/.test(arg) || arg.startsWith('--rc') || arg.startsWith('--init')))
      return needsStrictApproval(FROM_INPUT)
    const script = args.find(arg => !/^[-+]/.test(arg))
    if (script === undefined || script.startsWith('/dev/')) return needsStrictApproval(FROM_INPUT)
    return needsApproval('Runs a script.', { operands: args.flatMap(guessPathOperands), needsLiteralOperands: true })
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

const FROM_INPUT = 'Runs commands from its input.'

const VERSIONS = new Set(['--version', '-V', '-v', '-version', 'version', '--help'])
const RUNS_PROGRAM = 'Runs a program of the workspace.'

/** Classifies an interpreter by the flags that contain code or load some, and by a doubt about others. */
function interpreter(
  inline: RegExp,
  findDoubt: (args: readonly string[]) => string | undefined = () => undefined
): ProgramClassifier {
  return args => {
    if (args.length === 1 && VERSIONS.has(args[0]!)) return printsOnly()
    if (args.length === 0) return needsStrictApproval('Runs code from its input.')
    const first = args.findIndex(arg => !arg.startsWith('-') || arg === '-')
    const flags = first < 0 ? args : args.slice(0, first + 1)
    if (flags.some(arg => inline.test(arg))) return needsStrictApproval('Runs code given in the command line.')
    const doubt = findDoubt(args)
    return doubt === undefined
      ? needsApproval(RUNS_PROGRAM, { operands: args.flatMap(guessPathOperands) })
      : needsStrictApproval(doubt)
  }
}

function findUnsafeModule(args: readonly string[]): string | undefined {
  const at = args.indexOf('-m')
  return at < 0 || KNOWN_MODULES.has(args[at + 1] ?? '') ? undefined : 'Runs a module that may do anything.'
}
/** Python modules whose effect is known, such as test runners and installers. Any other module of `-m` needs strict approval. */
const KNOWN_MODULES = new Set(
  'pytest unittest mypy ruff black flake8 isort pylint compileall pip venv build'.split(' ')
)

const python = interpreter(/^-[A-Za-z]*c|^-$/, findUnsafeModule)
const node = interpreter(
  /^-(?:[a-z]*[ep]|r|$)|^--(?:eval|print|require|import|loader|experimental-loader|inspect|env-file|test-reporter(?!=(?:spec|tap|dot|junit|lcov)$))/
)
const runsDeno = interpreter(/^-(?:A|$)|^--(?:allow-all|unstable|eval)|^eval$|^repl$/)
const deno: ProgramClassifier = args =>
  args.length === 1 && args[0] === '-v' ? needsApproval(RUNS_PROGRAM) : runsDeno(args)
const ruby = interpreter(/^-[a-zA-Z]*[erI]|^-$/)
const lua = interpreter(/^-[a-z]*[eli]|^-$/)
const r = interpreter(/^-e|^-$/)
const tcl = interpreter(/^-$/)

const JAVASCRIPT = '.js .mjs .cjs .ts .mts .cts .tsx .jsx /index.js /index.ts'
const SHELL_SCRIPT: ScriptOptions = {
  valued: '-o -O +o +O',
  loading: '--rcfile --init-file',
  inline: '-c --command',
  other: '-s',
  dashEndsOptions: true
}
const PYTHON_SCRIPT: ScriptOptions = {
  valued: '-W -X -Q --check-hash-based-pycs',
  inline: '-c',
  extensions: '/__main__.py'
}
const NODE_SCRIPT: ScriptOptions = {
  valued:
    '-C --conditions --title --project -P --cwd --watch-path --test-name-pattern --inspect-port --run --tsconfig ' +
    '--disable-warning --input-type --unhandled-rejections --diagnostic-dir --icu-data-dir --redirect-warnings ' +
    '--trace-event-categories --tls-cipher-list --test-reporter-destination',
  loading:
    '-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --test-reporter ' +
    '--test-global-setup --experimental-config-file --openssl-config --snapshot-blob',
  inline: '-e --eval -p --print',
  other: '--test --run --check -c',
  subcommands: 'watch inspect',
  optional: true,
  extensions: JAVASCRIPT
}
const PYTHON = { classify: python, codeFlag: /^-[BEIOSsu]*c$/, readsCode: true } as const
const NODE = {
  classify: node,
  codeFlag: /^(?:-e|-p|-pe|--eval|--print)$/,
  readsCode: true,
  script: NODE_SCRIPT
} as const

const CLOJURE_SCRIPT: ScriptOptions = { valued: '-Sdeps', loading: '-f -i --init', inline: '-e' }

export const INTERPRETERS: readonly ProgramFacts[] = [
  // Shells whose syntax bash includes: their commands are read as bash reads them.
  { names: 'sh bash dash ash rbash', classify: shell('reads'), readsCode: true, script: SHELL_SCRIPT },
  // Shells that also execute what bash takes for text, as zsh does with qualifiers of a pattern.
  { names: 'zsh ksh mksh fish csh tcsh yash', classify: shell('computes'), readsCode: true, script: SHELL_SCRIPT },
  {
    names: 'pwsh powershell',
    readsCode: true,
    script: {
      valued: '-ExecutionPolicy -WorkingDirectory',
      loading: '-File -f',
      other: '-File -f',
      inline: '-Command -c'
    }
  },

  { names: 'python', ...PYTHON, script: PYTHON_SCRIPT },
  { names: 'python2 python3', ...PYTHON },
  { names: 'pypy', classify: python, readsCode: true, script: PYTHON_SCRIPT },
  { names: 'pypy3', classify: python, readsCode: true },
  { names: 'ipython', classify: python, script: PYTHON_SCRIPT },
  { names: 'pythonw', script: PYTHON_SCRIPT },
  { names: 'node', ...NODE, find: nodeModes },
  { names: 'nodejs', ...NODE },
  { names: 'tsx ts-node', classify: node, script: NODE_SCRIPT },
  { names: 'ts-node-esm ts-node-dev electron', script: NODE_SCRIPT },
  {
    names: 'deno',
    classify: deno,
    script: {
      valued: '--lock --cert -L --log-level --location --seed --port --host --ext',
      loading: '-c --config --import-map --preload --import',
      subcommands: 'run serve',
      optional: true,
      ends: /\.[cm]?[jt]sx?$/
    },
    find: denoTask,
    configuration: [
      {
        subcommands: 'run test bench serve check compile lint fmt',
        files: ['deno.json deno.jsonc'],
        search: 'nearest',
        config: '-c --config'
      },
      { subcommands: 'test bench', unknown: UNKNOWN.tests }
    ]
  },
  {
    names: 'perl',
    classify: interpreter(/^-[a-zA-Z0-9]*[eEMmId]|^-$/),
    codeFlag: /^-[lnpMw0aF]*[eE]$/,
    readsCode: true,
    script: { loading: '-I', inline: '-e -E' },
    moduleOption: { option: /^-[mM]-?(?<name>[\w:]+)/, separator: '::', ending: '.pm' }
  },
  {
    names: 'ruby',
    classify: ruby,
    codeFlag: /^-[lnpw]*e$/,
    readsCode: true,
    script: { valued: '-I -C -E', loading: '-r', inline: '-e' },
    moduleOption: { option: /^-r(?<name>[\w/-]+)$/, separator: '/', ending: '.rb' }
  },
  { names: 'jruby', executesLike: 'ruby' },
  { names: 'irb', classify: ruby },
  {
    names: 'php',
    classify: interpreter(/^-[a-zA-Z]*[rBREdS]|^-$/),
    codeFlag: /^-r$/,
    readsCode: true,
    script: { valued: '-t -S', paths: '-d', loading: '-c -f --file -F -z', inline: '-r -R', other: '-f --file -F' }
  },
  {
    names: 'lua',
    classify: lua,
    codeFlag: /^-e$/,
    readsCode: true,
    script: { valued: '-l', inline: '-e' },
    moduleOption: { option: /^-l(?<name>[\w.]+)$/, separator: '.', ending: '.lua' }
  },
  { names: 'luajit', classify: lua, executesLike: 'lua' },
  { names: 'texlua', executesLike: 'lua' },
  { names: 'Rscript', classify: r, readsCode: true, script: { inline: '-e' } },
  {
    names: 'R',
    classify: r,
    script: { loading: '-f --file', inline: '-e', optionsOnly: true },
    wraps: [{ subcommands: 'CMD' }]
  },
  { names: 'tclsh', classify: tcl, readsCode: true, script: { valued: '-encoding' } },
  { names: 'wish', classify: tcl, script: { valued: '-encoding' } },
  {
    names: 'julia',
    script: { valued: '-C -t --project -p', loading: '-L --load -J --sysimage', inline: '-e -E --eval --print' }
  },
  {
    names: 'elixir iex',
    script: { valued: '--cookie --name --sname', loading: '-r -pr --dot-iex', inline: '-e --eval' },
    configuration: [{ files: ['.iex.exs'] }]
  },
  { names: 'clojure clj', script: CLOJURE_SCRIPT, configuration: [{ files: ['deps.edn'], unknown: UNKNOWN.packages }] },
  { names: 'bb', script: CLOJURE_SCRIPT, configuration: [{ files: ['bb.edn'], search: 'nearest' }] },
  {
    names: 'java',
    classify: version('-version', '--version'),
    script: {
      valued: '-m',
      paths: '-cp -classpath --class-path -p --module-path',
      loading: '-jar',
      other: '-jar',
      prefixes: '@ -javaagent: -agentpath:',
      ends: /\.java$/
    }
  },
  { names: 'kotlin kotlinc', script: { ends: /\.kts$/ } },
  { names: 'scala scala-cli amm', script: { subcommands: 'run', optional: true, ends: /\.(?:sc|scala|jar)$/ } },
  { names: 'groovy', script: { paths: '-cp', inline: '-e' } },
  { names: 'mono', script: { ends: /\.(?:dll|exe)$/ } },
  { names: 'guile', script: { loading: '-l -s', inline: '-c', other: '-s' } },
  { names: 'sbcl', script: { loading: '--script --load', optionsOnly: true } },
  { names: 'racket ocaml runghc runhaskell stack-runghc gnuplot gjs nu elvish xonsh raku coffee escript', script: {} },
  { names: 'octave', script: { inline: '--eval' } },
  { names: 'streamlit', script: { subcommands: 'run' } }
]
