// Scripts that interpreters execute: the first operand, and what options load before it.

import { addOptionFiles } from './given-files.ts'
import { parseJsonObject } from './read-json.ts'
import {
  forPrograms,
  joinFolder,
  type SourceCollector,
  type SourceFinder,
  splitWords,
  UNKNOWN
} from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

interface Interpreter {
  programs: string
  /** Options that take the next word as their value. */
  valued?: string
  /** Options whose value is a file that is executed. They take a value as well. */
  loading?: string
  /** Options whose value is a search path for code. They take a value as well. */
  paths?: string
  /** Options that give the code itself, after which no script follows. */
  inline?: string
  /** Options with which the first operand is no script. */
  other?: string
  /** The first operands after which a script follows. Without `optional`, nothing else is executed. */
  subcommands?: string
  optional?: true
  /** Endings of the name of a script, in the order in which they are tried. */
  extensions?: string
  /** Beginnings of words after which a file follows that is executed. */
  prefixes?: string
  /** Only operands with these ends, and those that are files, are scripts. */
  ends?: RegExp
  /** A lone `-` ends the options, instead of meaning standard input. */
  dashEndsOptions?: true
  /** Letters of options without a value, for a program whose operands are no scripts. */
  letters?: string
  /** No operand is a script. */
  optionsOnly?: true
}

const JAVASCRIPT = '.js .mjs .cjs .ts .mts .cts .tsx .jsx /index.js /index.ts'

const INTERPRETERS: readonly Interpreter[] = [
  {
    programs: 'sh bash dash zsh ksh mksh fish csh tcsh ash rbash yash',
    valued: '-o -O +o +O',
    loading: '--rcfile --init-file',
    inline: '-c --command',
    other: '-s',
    dashEndsOptions: true
  },
  { programs: 'source .' },
  {
    programs: 'python pypy ipython pythonw',
    valued: '-W -X -Q --check-hash-based-pycs',
    inline: '-c',
    extensions: '/__main__.py'
  },
  {
    programs: 'node nodejs tsx ts-node ts-node-esm ts-node-dev electron',
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
  },
  {
    programs: 'deno',
    valued: '--lock --cert -L --log-level --location --seed --port --host --ext',
    loading: '-c --config --import-map --preload --import',
    subcommands: 'run serve',
    optional: true,
    ends: /\.[cm]?[jt]sx?$/
  },
  { programs: 'perl', loading: '-I', inline: '-e -E' },
  { programs: 'ruby jruby', valued: '-I -C -E', loading: '-r', inline: '-e' },
  {
    programs: 'php',
    valued: '-t -S',
    paths: '-d',
    loading: '-c -f --file -F -z',
    inline: '-r -R',
    other: '-f --file -F'
  },
  { programs: 'lua luajit texlua', valued: '-l', inline: '-e' },
  { programs: 'Rscript', inline: '-e' },
  { programs: 'R', loading: '-f --file', inline: '-e', optionsOnly: true },
  { programs: 'tclsh wish', valued: '-encoding' },
  { programs: 'expect', loading: '-f', inline: '-c', other: '-f' },
  {
    programs: 'julia',
    valued: '-C -t --project -p',
    loading: '-L --load -J --sysimage',
    inline: '-e -E --eval --print'
  },
  { programs: 'elixir iex', valued: '--cookie --name --sname', loading: '-r -pr --dot-iex', inline: '-e --eval' },
  { programs: 'osascript', valued: '-l', inline: '-e' },
  {
    programs: 'pwsh powershell',
    valued: '-ExecutionPolicy -WorkingDirectory',
    loading: '-File -f',
    other: '-File -f',
    inline: '-Command -c'
  },
  { programs: 'swift', ends: /\.swift$/ },
  {
    programs: 'java',
    valued: '-m',
    paths: '-cp -classpath --class-path -p --module-path',
    loading: '-jar',
    other: '-jar',
    prefixes: '@ -javaagent: -agentpath:',
    ends: /\.java$/
  },
  { programs: 'kotlin kotlinc', ends: /\.kts$/ },
  { programs: 'scala scala-cli amm', subcommands: 'run', optional: true, ends: /\.(?:sc|scala|jar)$/ },
  { programs: 'groovy', paths: '-cp', inline: '-e' },
  { programs: 'clojure clj bb', valued: '-Sdeps', loading: '-f -i --init', inline: '-e' },
  { programs: 'guile', loading: '-l -s', inline: '-c', other: '-s' },
  { programs: 'sbcl', loading: '--script --load', optionsOnly: true },
  { programs: 'racket ocaml runghc runhaskell stack-runghc dart gnuplot gjs nu elvish xonsh raku coffee escript' },
  { programs: 'octave', inline: '--eval' },
  { programs: 'gdb', loading: '-x --command -ix --init-command -ex-file', optionsOnly: true },
  { programs: 'lldb', loading: '-s --source -S', optionsOnly: true },
  { programs: 'vim vi nvim view ex gvim', letters: 'RnebdAyN', loading: '-S -u -U -s -l', optionsOnly: true },
  { programs: 'emacs emacsclient', loading: '--script -script -l --load -load', optionsOnly: true },
  { programs: 'awk gawk mawk nawk', valued: '-F -v', loading: '-f --file -i --include -E', optionsOnly: true },
  { programs: 'sed gsed', valued: '-e -l', letters: 'nrEsuizb', loading: '-f --file', optionsOnly: true },
  { programs: 'sqlite3', loading: '-init --init', optionsOnly: true },
  { programs: 'psql', loading: '-f --file', optionsOnly: true },
  { programs: 'redis-cli', loading: '--eval', optionsOnly: true },
  { programs: 'mongo mongosh', loading: '-f --file', ends: /\.js$/ },
  {
    programs: 'kubectl oc',
    loading: '-f --filename',
    subcommands: 'apply create replace delete diff run',
    optionsOnly: true
  },
  { programs: 'dotnet mono', ends: /\.(?:dll|exe)$/ },
  { programs: 'ansible-playbook', valued: '-l -e -t', paths: '-i --inventory', ends: /\.ya?ml$/ },
  { programs: 'streamlit', subcommands: 'run' },
  {
    programs: 'go',
    valued: '-C -tags -ldflags -gcflags -mod -p',
    loading: '-exec -toolexec -vettool',
    subcommands: 'run',
    ends: /\.go$|^\.|\//
  },
  { programs: 'bun', loading: '-r --preload -c --config', subcommands: 'run', optional: true, ends: /\.[cm]?[jt]sx?$/ }
]

function scriptFinder({ ends, optional, optionsOnly, dashEndsOptions, ...notation }: Interpreter): SourceFinder {
  const [loading, inline, other, subcommands, prefixes] = [
    splitWords(notation.loading),
    splitWords(notation.inline),
    splitWords(notation.other),
    splitWords(notation.subcommands),
    splitWords(notation.prefixes)
  ]
  const valued = new Set([...splitWords(notation.valued), ...splitWords(notation.paths), ...loading, ...inline, '-m'])
  const extensions = ['', ...splitWords(notation.extensions)]
  const optionWords = { data: [...splitWords(notation.valued), ...inline].join(' '), letters: notation.letters ?? '' }
  return (args, sources, program) => {
    const whole = splitArguments(args, valued, 1)
    const [first = ''] = whole.operands
    const hasSubcommand = subcommands.includes(first) && (!optional || !sources.exists(first))
    const { options, operands } = hasSubcommand ? splitArguments(whole.rest.slice(1), valued, 1) : whole
    const values = [...optionValues(whole.options, loading), ...(hasSubcommand ? optionValues(options, loading) : [])]
    for (const value of values) if (/[./]/.test(value) || sources.exists(value)) addScript(value, extensions, sources)
    for (const prefix of prefixes)
      for (const arg of args) {
        const file = arg.startsWith(prefix) ? arg.slice(prefix.length).replace(/=.*/s, '') : ''
        if (sources.exists(file)) sources.addFile(file)
      }
    // Without a script, all arguments are those of the program itself.
    const hasScript =
      !optionsOnly &&
      (subcommands.length === 0 || optional || hasSubcommand) &&
      (!ends || ends.test(operands[0] ?? '') || sources.exists(operands[0] ?? ''))
    addOptionFiles(hasScript ? args.slice(0, args.length - whole.rest.length) : args, optionWords, sources)
    const has = (names: readonly string[]) => names.some(name => options.has(name) || whole.options.has(name))
    const [module] = optionValues(options, ['-m'])
    if (module !== undefined && program.startsWith('py')) addModule(module, operands, sources)
    else if (has(inline)) {
      if (!program.endsWith('sh')) sources.addUnknown(UNKNOWN.scripts)
      // They are `$0`, `$1` and so on, which the command may execute.
      else for (const word of operands) if (sources.exists(word)) sources.addFile(word)
    } else if (!optionsOnly && !has(other) && (subcommands.length === 0 || optional || hasSubcommand)) {
      const [script] = dashEndsOptions && operands[0] === '-' ? operands.slice(1) : operands
      if (script === undefined || script === '-' || (ends && !ends.test(script) && !sources.exists(script))) return
      if (program === 'go') addGoFiles(operands, sources)
      else addScript(script, extensions, sources)
    }
  }
}

function addScript(path: string, extensions: readonly string[], sources: SourceCollector) {
  const manifest = joinFolder(path, 'package.json')
  const main = sources.exists(manifest) ? parseJsonObject(sources.read(manifest))?.main : undefined
  if (extensions.includes('.js') && typeof main === 'string' && !sources.exists(path)) {
    sources.addEntry(manifest, 'main', main)
    sources.addFile(joinFolder(path, main))
    sources.addUnknown(UNKNOWN.scripts)
  } else if (extensions.some(end => sources.addFile(path + end))) sources.addUnknown(UNKNOWN.scripts)
  // One outside of the workspace has its own sentence.
  else if (!/^(?:[/~]|\.\.(?:\/|$))/.test(path)) sources.addMissing(path)
}

/** Programs that also run as `python -m`. */
const MODULE_PROGRAMS = new Set(
  'pytest unittest tox nox mypy pylint flake8 invoke coverage pip build sphinx mkdocs alembic'.split(' ')
)

/** Adds a module that Python finds in the folder of the command, before installed ones. */
function addModule(name: string, args: readonly string[], sources: SourceCollector) {
  const path = name.replaceAll('.', '/')
  const files = [`${path}/__init__.py`, `${path}/__main__.py`, `${path}.py`]
  if (files.filter(file => sources.addFile(file)).length > 0) sources.addUnknown(UNKNOWN.scripts)
  else if (MODULE_PROGRAMS.has(name)) sources.addCommand([name, ...args])
  else sources.addUnknown(UNKNOWN.packages)
}

function addGoFiles(operands: readonly string[], sources: SourceCollector) {
  for (const operand of operands) {
    if (!operand.endsWith('.go') && operand !== operands[0]) break
    sources.addFile(operand.endsWith('.go') ? operand : joinFolder(operand, 'main.go'))
  }
  sources.addUnknown(UNKNOWN.scripts)
}

interface ModuleOption {
  programs: string
  /** Matches the option with the name of a module. */
  option: RegExp
  /** Separator within such a name that stands for a folder. */
  separator: string
  ending: string
}

/** Options by which an interpreter loads a module, which may lie in the folder of the command or in one that `-I` names. */
const MODULE_OPTIONS: readonly ModuleOption[] = [
  { programs: 'perl', option: /^-[mM]-?(?<name>[\w:]+)/, separator: '::', ending: '.pm' },
  { programs: 'ruby jruby', option: /^-r(?<name>[\w/-]+)$/, separator: '/', ending: '.rb' },
  { programs: 'lua luajit texlua', option: /^-l(?<name>[\w.]+)$/, separator: '.', ending: '.lua' }
]

function moduleFinder({ option, separator, ending }: ModuleOption): SourceFinder {
  return (args, sources) => {
    const joined = args.map((arg, at) => (/^-[IlrmM]$/.test(arg) ? arg + (args[at + 1] ?? '') : arg))
    const folders = joined.flatMap(arg => (/^-I./.test(arg) ? [arg.slice(2)] : []))
    for (const arg of joined) {
      const name = option.exec(arg)?.groups?.name
      const path = name === undefined ? undefined : name.split(separator).join('/') + ending
      if (path === undefined) continue
      for (const folder of ['.', 'lib', ...folders])
        if (sources.exists(joinFolder(folder, path))) sources.addFile(joinFolder(folder, path))
    }
  }
}

/** `node --test` and `node --run`. */
const nodeModes: SourceFinder = (args, sources) => {
  const { options, operands } = splitArguments(args, new Set(['--run']))
  if (options.has('--test')) {
    for (const file of operands) sources.addFile(file)
    sources.addUnknown(UNKNOWN.tests)
  }
  const [script] = optionValues(options, ['--run'])
  if (script !== undefined) sources.addCommand(['node-run', script])
}

export const INTERPRETER_SOURCES: readonly [string, SourceFinder][] = [
  ...INTERPRETERS.flatMap(interpreter => forPrograms(interpreter.programs, scriptFinder(interpreter))),
  ...MODULE_OPTIONS.flatMap(each => forPrograms(each.programs, moduleFinder(each))),
  ...forPrograms('node', nodeModes)
]
