// Scripts that interpreters execute: the first operand, and what options load before it.
import type { SourceFinder } from './source-collector.ts'

interface Interpreter {
  programs: string
  /** Options that take the next word as their value. */
  valued: string
  /** Options whose value is a file that is executed. */
  loading?: string
  /** Options that give the code itself, after which no script follows. */
  inline?: string
  /** First words that precede the script, such as `run`. */
  subcommands?: string
  /** Extensions that a script may be named without. */
  extensions?: string
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    programs: 'sh bash dash zsh ksh mksh fish csh tcsh ash rbash yash busybox',
    valued: '-o -O +o +O',
    loading: '--rcfile --init-file',
    inline: '-c --command',
    subcommands: 'sh ash'
  },
  { programs: 'source .', valued: '' },
  { programs: 'python pypy ipython', valued: '-W -X -Q --check-hash-based-pycs', inline: '-c' },
  {
    programs: 'node nodejs tsx ts-node electron',
    valued: '-r --require --import --loader --experimental-loader -C --conditions --env-file --title -P --project',
    loading: '-r --require --import --loader --experimental-loader --env-file -P --project',
    inline: '-e --eval -p --print -pe',
    subcommands: 'watch',
    extensions: '.js .mjs .cjs .ts .mts .cts /index.js'
  },
  {
    programs: 'deno',
    valued: '-c --config --import-map --lock --cert -L',
    loading: '-c --config --import-map',
    inline: 'eval',
    subcommands: 'run test bench serve check'
  },
  { programs: 'perl', valued: '', inline: '-e -E', loading: '-I' },
  { programs: 'ruby', valued: '-I -r -C -E', loading: '-r', inline: '-e' },
  { programs: 'php', valued: '-c -d -f -t -z', loading: '-c -f', inline: '-r' },
  { programs: 'lua luajit', valued: '-l -e', inline: '-e' },
  { programs: 'Rscript', valued: '-e', inline: '-e' },
  { programs: 'tclsh wish expect', valued: '-f', loading: '-f', inline: '-c' },
  { programs: 'awk gawk mawk nawk', valued: '-F -v -f', loading: '-f --file -i --include', inline: '' },
  { programs: 'sed gsed', valued: '-e -f -l', loading: '-f --file' }
]

const words = (text: string | undefined) => new Set(text?.split(' ').filter(Boolean))

function scriptFinder({ programs: _, ...notation }: Interpreter): SourceFinder {
  const [valued, loading, inline, subcommands] = [
    words(notation.valued),
    words(notation.loading),
    words(notation.inline),
    words(notation.subcommands)
  ]
  const extensions = ['', ...words(notation.extensions)]
  return (args, sources) => {
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      const equals = arg.startsWith('--') ? arg.indexOf('=') : -1
      const option = equals < 0 ? arg : arg.slice(0, equals)
      const value = equals < 0 ? args[at + 1] : arg.slice(equals + 1)
      if (loading.has(option) && value !== undefined) for (const end of extensions) sources.addFile(value + end)
      if (inline.has(option)) return
      if (option === '-m' && value !== undefined) return addModule(value, sources)
      if (equals < 0 && valued.has(option)) at++
      else if (!/^[-+]./.test(arg) && !(subcommands.has(arg) && !sources.exists(arg))) {
        for (const end of extensions) sources.addFile(arg + end)
        return
      }
    }
  }
}

/** Adds a module that Python finds in the folder of the command, before installed ones. */
function addModule(name: string, sources: Parameters<SourceFinder>[1]) {
  const path = name.replaceAll('.', '/')
  for (const file of [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]) sources.addFile(file)
}

export const INTERPRETER_SOURCES: Readonly<Record<string, SourceFinder>> = Object.fromEntries(
  INTERPRETERS.flatMap(interpreter => {
    const find = scriptFinder(interpreter)
    return interpreter.programs.split(' ').map(program => [program, find])
  })
)
