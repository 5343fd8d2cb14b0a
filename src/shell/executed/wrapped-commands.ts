// Programs that run the command in their arguments, beyond those that the analysis of the line knows.
import { asRecord, formatEntry, ownProperty, parseJsonObject } from './read-json.ts'
import { findUpward, forPrograms, joinFolder, type SourceFinder, splitWords, UNKNOWN } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

interface WrapperProgram {
  programs: string
  /** The first operand has to be one of these, and is not part of the command. */
  subcommands?: string
  valued?: string
  /** Number of operands before the command. */
  skip?: number
  /** Assignments precede the command. */
  assignments?: true
  /** Options whose value is a command line. */
  lines?: string
  /** Options whose value is a file that is executed. */
  loading?: string
  /** Each operand is a command line. */
  operandLines?: true
  /** Runs the command if it is a script, such as `python`. */
  interpreter?: string
  /** Files with scripts that its operand may name, looked up from the folder upward. */
  files?: string
}

const WRAPPER_PROGRAMS: readonly WrapperProgram[] = [
  { programs: 'cross-env cross-env-shell', assignments: true, operandLines: true },
  {
    programs: 'dotenv dotenvx env-cmd dotenv-cli',
    valued: '-e -f -c -p -v -r --file --environments',
    assignments: true
  },
  {
    programs: 'dotenvx doppler infisical op teller chamber',
    subcommands: 'run exec',
    valued: '-f --env-file --env -p -c'
  },
  {
    programs: 'nyc c8',
    valued:
      '-r --reporter -n --include -x --exclude --cwd -o --reports-dir --report-dir -t --temp-dir -e --extension --require -i'
  },
  {
    programs: 'nodemon',
    valued: '-w --watch -e --ext -i --ignore -d --delay --config',
    lines: '-x --exec',
    interpreter: 'node'
  },
  { programs: 'watchexec', valued: '-w --watch -e --exts -i --ignore -s --signal -f --filter -d --debounce' },
  { programs: 'entr', valued: '' },
  { programs: 'cargo', subcommands: 'watch', lines: '-s -x' },
  {
    programs: 'hyperfine',
    valued: '-w --warmup -r --runs -m -M -N',
    lines: '-p --prepare -s --setup -c --cleanup',
    operandLines: true
  },
  {
    programs: 'uv',
    subcommands: 'run',
    valued:
      '--with --python -p --extra --group --only-group --no-group --env-file --project --directory --package --with-requirements --with-editable --index -m --module',
    interpreter: 'python'
  },
  { programs: 'uvx', valued: '--from --with --python -p', skip: 0 },
  { programs: 'poetry', subcommands: 'run', valued: '-C --directory -P --project', files: 'pyproject.toml' },
  { programs: 'pdm', subcommands: 'run', valued: '-p --project', files: 'pyproject.toml' },
  { programs: 'hatch', subcommands: 'run', valued: '-e --env', files: 'hatch.toml pyproject.toml' },
  { programs: 'rye', subcommands: 'run', files: 'pyproject.toml' },
  { programs: 'pixi', subcommands: 'run', valued: '-e --environment', files: 'pixi.toml pyproject.toml' },
  { programs: 'poe taskipy', files: 'pyproject.toml' },
  { programs: 'pipenv', subcommands: 'run', files: 'Pipfile' },
  { programs: 'conda mamba micromamba', subcommands: 'run', valued: '-n --name -p --prefix --cwd' },
  {
    programs: 'coverage',
    subcommands: 'run',
    valued: '--source --rcfile --include --omit --data-file --context -m',
    interpreter: 'python'
  },
  { programs: 'bundle bundler', subcommands: 'exec', files: 'Gemfile' },
  { programs: 'rbenv pyenv nodenv asdf', subcommands: 'exec' },
  { programs: 'mise rtx', subcommands: 'exec x', files: '.mise.toml mise.toml' },
  { programs: 'direnv', subcommands: 'exec', skip: 1, files: '.envrc' },
  { programs: 'corepack volta', subcommands: 'pnpm yarn npm run' },
  { programs: 'nix-shell', lines: '--run --command' },
  { programs: 'xvfb-run', valued: '-s -n -e -f -p -w --server-args --server-num' },
  { programs: 'dbus-run-session', valued: '--config-file' },
  { programs: 'unbuffer chronic ts caffeinate wine prlimit unshare systemd-inhibit', valued: '' },
  { programs: 'faketime', skip: 1 },
  { programs: 'valgrind strace ltrace', valued: '-o -e -p -s -P -E -u -a -O -S' },
  { programs: 'perf', subcommands: 'record stat trace', valued: '-e -o -F -C -p -r' },
  {
    programs: 'firejail bwrap systemd-run numactl proxychains proxychains4 tsocks doas runuser',
    valued: '-u -p --unit'
  },
  { programs: 'script', lines: '-c --command' },
  { programs: 'husky', subcommands: 'run' },
  { programs: 'R', subcommands: 'CMD' },
  { programs: 'su', lines: '-c --command' },
  { programs: 'lerna', subcommands: 'exec' },
  { programs: 'start-server-and-test wait-on-and', operandLines: true }
]

function wrapperFinder({
  interpreter,
  assignments,
  operandLines,
  skip = 0,
  ...notation
}: WrapperProgram): SourceFinder {
  const [subcommands, lines, loading, files] = [
    splitWords(notation.subcommands),
    splitWords(notation.lines),
    splitWords(notation.loading),
    splitWords(notation.files)
  ]
  const valued = new Set([...splitWords(notation.valued), ...lines, ...loading])
  return (args, sources, program) => {
    const whole = splitArguments(args, valued, 1)
    const hasSubcommand = subcommands.includes(whole.operands[0] ?? '')
    if (subcommands.length > 0 && !hasSubcommand) return
    const { options, operands } = hasSubcommand ? splitArguments(whole.rest.slice(1), valued, 1) : whole
    for (const file of optionValues(options, loading)) sources.addFile(file)
    const all = splitArguments(args, valued).options
    for (const line of optionValues(all, lines)) sources.addLine(line, '.')
    const from = findUpward(sources, ...files)
    if (from !== undefined && files.length > 0)
      for (const file of files) if (sources.addFile(joinFolder(from, file))) break
    const start = assignments ? operands.findIndex(word => !/^\w+=/.test(word) && word !== '--') : skip
    const argv = start < 0 ? [] : operands.slice(start + (operands[start] === '--' ? 1 : 0))
    const [module] = optionValues(options, ['-m', '--module'])
    if (operandLines && (argv.length === 1 || program !== 'cross-env'))
      for (const line of argv) sources.addLine(line, '.')
    else if (module !== undefined && interpreter === 'python') sources.addCommand(['python', '-m', module, ...argv])
    else if (argv.length > 0) {
      const isScript = interpreter !== undefined && /\.\w+$|\//.test(argv[0]!) && sources.exists(argv[0]!)
      sources.addCommand(
        isScript || (interpreter === 'node' && !/^\w+$/.test(argv[0]!)) ? [interpreter!, ...argv] : argv
      )
    }
    if (from !== undefined && files.length > 0) sources.addUnknown(UNKNOWN.packages)
  }
}

/** Commands of lint-staged, by patterns of files. */
const lintStaged: SourceFinder = (_args, sources) => {
  const folder = findUpward(sources, 'package.json')
  const manifest = folder === undefined ? undefined : parseJsonObject(sources.read(joinFolder(folder, 'package.json')))
  const settings = asRecord(ownProperty(manifest, 'lint-staged'))
  if (!settings) return
  sources.addEntry(joinFolder(folder!, 'package.json'), 'lint-staged', formatEntry(settings))
  for (const line of Object.values(settings).slice(0, 20).flat(1).slice(0, 50))
    if (typeof line === 'string') sources.addLine(line, folder!, { packages: true })
}

/** Adds what `env` runs: the analysis of the line does not report it as a part if it is a text, or changes variables that programs follow. */
const envCommand: SourceFinder = (args, sources) => {
  const { options, rest } = splitArguments(args, new Set(['-u', '--unset', '-C', '--chdir', '-S', '--split-string']), 1)
  for (const line of optionValues(options, ['-S', '--split-string'])) sources.addLine(line, '.')
  const [folder = '.'] = optionValues(options, ['-C', '--chdir'])
  const start = rest.findIndex(word => word !== '-' && !/^\w+=/.test(word))
  if (start >= 0) sources.addCommand(rest.slice(start), folder)
}

export const WRAPPER_SOURCES: readonly [string, SourceFinder][] = [
  ...WRAPPER_PROGRAMS.flatMap(each => forPrograms(each.programs, wrapperFinder(each))),
  ...forPrograms('lint-staged', lintStaged),
  ...forPrograms('env', envCommand)
]

const WITH_SUBCOMMANDS = new Set(
  WRAPPER_PROGRAMS.flatMap(({ programs, subcommands }) => (subcommands === undefined ? [] : splitWords(programs)))
)
/** Returns true for a program that runs a command by some of its subcommands only. */
export const hasSubcommands = (program: string) => WITH_SUBCOMMANDS.has(program)
