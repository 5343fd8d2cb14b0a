// Scripts that package managers run: of package.json, with those before and after, and what their text executes in turn.
import { quoteArgv } from '../../text/shell-quote.ts'
import { asRecord, formatEntry, ownProperty, parseJsonObject } from './read-json.ts'
import {
  findUpward,
  joinFolder,
  type SourceCollector,
  type SourceFinder,
  splitWords,
  UNKNOWN
} from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

interface PackageManager {
  /** Options that take the next word as their value. */
  valued: string
  /** Options that change the folder. */
  folderOptions: string
  /** Options that select a package of the workspace by its name or folder. */
  workspaceOptions: string
  /** Configuration beside package.json. */
  settings: string
  /** Subcommands that run a program of a package. */
  binaries: string
  /** A script or program may be named without `run`. */
  implied?: true
  /** Adding packages runs no scripts of the project. */
  addsQuietly?: true
}

/** Subcommands that run the scripts of these names. */
const SCRIPT_SUBCOMMANDS: Readonly<Record<string, string>> = {
  test: 'test',
  t: 'test',
  tst: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart stop start'
}
const RUN_SUBCOMMANDS = new Set(['run', 'run-script', 'rum', 'urn'])
/** Subcommands that run the life cycle scripts of the project, in order. */
const LIFECYCLE: Readonly<Record<string, string>> = {
  install: 'preinstall install postinstall prepublish preprepare prepare postprepare',
  publish: 'prepublishOnly prepack prepare postpack publish postpublish',
  pack: 'prepack prepare postpack',
  version: 'preversion version postversion',
  uninstall: 'preuninstall uninstall postuninstall'
}
const INSTALL = 'install'
const LIFECYCLE_ALIASES: Readonly<Record<string, string>> = {
  i: INSTALL,
  ci: INSTALL,
  'clean-install': INSTALL,
  add: INSTALL,
  '': INSTALL,
  it: INSTALL,
  'install-test': INSTALL,
  cit: INSTALL,
  update: INSTALL,
  upgrade: INSTALL,
  rebuild: INSTALL,
  remove: 'uninstall',
  rm: 'uninstall',
  un: 'uninstall'
}
/** Installing and then testing. */
const ALSO_TESTS = new Set(['it', 'cit', 'install-test', 'clean-install-test'])

/** Finds the scripts that a package manager runs. */
export function packageManager(manager: PackageManager): SourceFinder {
  const folderOptions = splitWords(manager.folderOptions)
  const workspaceOptions = splitWords(manager.workspaceOptions)
  const valued = new Set([...folderOptions, ...workspaceOptions, ...splitWords(manager.valued)])
  const settings = splitWords(manager.settings)
  const binaries = new Set(splitWords(manager.binaries))

  return (args, sources, program) => {
    const { options, operands } = splitArguments(
      args.map(arg => (arg === '-ws' ? '--workspaces' : arg)),
      valued
    )
    const [command = '', name, ...others] = operands
    const given = optionValues(options, folderOptions).at(-1)
    const root = (program === 'pnpm' && hasAny(options, '-w', '--workspace-root')) || undefined
    const start = given ?? findUpward(sources, ...(root ? ['pnpm-workspace.yaml'] : ['package.json'])) ?? '.'
    const flags = [...options.keys()]
    if (hasAny(options, '--version', '--help', '-v', '-h') && command === '') return
    if (command === 'workspaces' || flags.some(flag => /^(?:-r|--workspaces|--recursive|--parallel)$/.test(flag)))
      sources.addUnknown(UNKNOWN.workspaces)
    if (program === 'yarn' && command === 'workspace' && name !== undefined)
      return inWorkspace(name, start, folder => sources.addCommand(['yarn', '--cwd', folder, ...others]), sources)
    const selected = optionValues(options, workspaceOptions)
    if (selected.length === 0) return inFolder(start)
    for (const each of selected.slice(0, 10)) inWorkspace(each, start, inFolder, sources)

    function inFolder(folder: string) {
      if (binaries.has(command)) {
        addSettings()
        return addBinary(binaryWords(args, command), folder, sources)
      }
      const scripts = readScripts(sources, folder)
      if (!scripts) return
      const lifecycle = LIFECYCLE[LIFECYCLE_ALIASES[command] ?? command]
      if (ALSO_TESTS.has(command)) addScripts(['test'])
      if (RUN_SUBCOMMANDS.has(command)) return name === undefined ? undefined : addScripts([name])
      if (Object.hasOwn(SCRIPT_SUBCOMMANDS, command) && !(program === 'bun' && command === 'test'))
        return addScripts(splitWords(SCRIPT_SUBCOMMANDS[command]))
      if (lifecycle !== undefined) return addLifecycle(splitWords(lifecycle))
      if (manager.implied && typeof ownProperty(scripts, command) === 'string') return addScripts([command])
      if (program === 'bun' && command === 'test') sources.addUnknown(UNKNOWN.tests)
      else if (manager.implied && !/[./]/.test(command))
        addBinary([command, ...args.slice(args.indexOf(command) + 1)], folder, sources, true)

      function addSettings() {
        for (const file of settings) sources.addFile(joinFolder(folder, file))
        addYarnRelease(folder, sources)
      }

      function addScripts(names: readonly string[]) {
        if (names.some(each => ownProperty(scripts, each) !== undefined)) addSettings()
        const extra = passedWords(name !== undefined && RUN_SUBCOMMANDS.has(command) ? name : command)
        for (const each of names) addScript(each, scripts!, folder, sources, { extra })
        if (names[0] === 'start' && ownProperty(scripts, 'start') === undefined)
          sources.addFile(joinFolder(folder, 'server.js'))
        if (names.some(each => ownProperty(scripts, each) !== undefined)) sources.addUnknown(UNKNOWN.packages)
      }

      /** Returns the words that are passed to a script: npm takes options before the dashes for its own. */
      function passedWords(script: string): string[] {
        const rest = args.slice(args.indexOf(script) + 1)
        const dashes = rest.indexOf('--')
        const [before, after] = dashes < 0 ? [rest, []] : [rest.slice(0, dashes), rest.slice(dashes + 1)]
        return [...(program === 'npm' ? splitArguments(before, valued).operands : before), ...after]
      }

      function addLifecycle(names: readonly string[]) {
        if (hasAny(options, '--ignore-scripts')) return
        addSettings()
        const isQuiet =
          manager.addsQuietly && names[0] === 'preinstall' && (name !== undefined || command === 'rebuild')
        if (!isQuiet) {
          for (const each of names) addScript(each, scripts!, folder, sources, { isAlone: true })
          if (names.includes('install') && ownProperty(scripts, 'install') === undefined)
            sources.addFile(joinFolder(folder, 'binding.gyp'))
        }
        sources.addUnknown(UNKNOWN.packages)
      }
    }
  }
}

const hasAny = (options: ReadonlyMap<string, unknown>, ...names: string[]) => names.some(name => options.has(name))

/** Yarn runs the release that its configuration names. */
function addYarnRelease(folder: string, sources: SourceCollector) {
  for (const [file, pattern] of YARN_RELEASES) {
    const path = joinFolder(folder, file)
    const release = sources.exists(path) ? pattern.exec(sources.read(path) ?? '')?.groups?.path : undefined
    if (release !== undefined) sources.addFile(joinFolder(folder, release))
  }
}
const YARN_RELEASES: readonly [string, RegExp][] = [
  ['.yarnrc.yml', /^yarnPath:[ ]*["']?(?<path>[^"'\s]+)/m],
  ['.yarnrc', /^yarn-path[ ]+["']?(?<path>[^"'\s]+)/m]
]

function readScripts(sources: SourceCollector, folder: string): Record<string, unknown> | undefined {
  const path = joinFolder(folder, 'package.json')
  if (!sources.exists(path)) return {}
  const manifest = parseJsonObject(sources.read(path))
  if (manifest) return asRecord(manifest.scripts) ?? {}
  sources.addFile(path)
  sources.addUnknown('The scripts of package.json cannot be read.')
  return undefined
}

interface ScriptOptions {
  /** Those before and after it do not run. */
  isAlone?: boolean
  /** Arguments that are appended to its command. */
  extra?: readonly string[]
}

/** Adds a script with those that run before and after it. Arguments make it another entry, since they can name other code. */
function addScript(
  name: string,
  scripts: Record<string, unknown>,
  folder: string,
  sources: SourceCollector,
  { isAlone = false, extra = [] }: ScriptOptions = {}
) {
  for (const each of isAlone ? [name] : [`pre${name}`, name, `post${name}`]) {
    const text = ownProperty(scripts, each)
    if (typeof text !== 'string') continue
    const path = joinFolder(folder, 'package.json')
    const appended = each === name && extra.length > 0 ? ` ${quoteArgv(extra)}` : ''
    sources.addEntry(path, `scripts.${each}${appended}`, text + appended)
    const wireit = text.trim() === 'wireit' ? asRecord(parseJsonObject(sources.read(path))?.wireit) : undefined
    const settings = asRecord(ownProperty(wireit, each))
    if (settings) sources.addEntry(path, `wireit.${each}`, formatEntry(settings))
    const command = typeof settings?.command === 'string' ? settings.command : text
    sources.addLine(command + appended, folder, { packages: true })
  }
}

/** Maximum number of patterns of workspaces that are searched. */
const MAX_PATTERNS = 50

/** Finds a package of the workspace by its folder or name. */
function inWorkspace(name: string, root: string, use: (folder: string) => unknown, sources: SourceCollector) {
  const plain = name.replace(/^\{?(?:\.\/)?/, '').replace(/\}?(?:\.\.\.)?$/, '')
  const hasName = (folder: string) => parseJsonObject(sources.read(joinFolder(folder, 'package.json')))?.name === plain
  if (/[*!^[\]{]/.test(plain) || plain === '') return sources.addUnknown(UNKNOWN.workspaces)
  const direct = joinFolder(root, plain)
  if (sources.exists(joinFolder(direct, 'package.json'))) return use(direct)
  const manifest = parseJsonObject(sources.read(joinFolder(root, 'package.json')))
  const listed = asRecord(manifest?.workspaces)?.packages ?? manifest?.workspaces
  const yaml = sources.read(joinFolder(root, 'pnpm-workspace.yaml'))?.slice(0, 20_000) ?? ''
  const patterns = [
    ...(Array.isArray(listed) ? listed.filter(each => typeof each === 'string') : []),
    ...[...yaml.matchAll(/^[ \t]{0,20}-[ \t]{1,20}["']?([\w./*@-]{1,200})["']?[ \t]{0,20}$/gm)].map(
      ([, pattern]) => pattern!
    )
  ]
  const last = plain.slice(plain.lastIndexOf('/') + 1)
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    const folder = joinFolder(root, pattern.replace(/^\.\//, '').replace(/\/?$/, '').replace(/\*+$/, last))
    if (!folder.includes('*') && hasName(folder)) return use(folder)
  }
  sources.addUnknown('A package of the workspace cannot be found by its name, so its scripts are not listed.')
}

/** Returns the words after the subcommand and its options. */
function binaryWords(args: readonly string[], command: string): readonly string[] {
  return args.slice(args.indexOf(command) + 1)
}

/** Options of npx and `npm exec` that take a value. */
const BINARY_VALUED = new Set(['-p', '--package', '-w', '--workspace', '-c', '--call', '--shell-mode'])

/** Adds a program of node_modules/.bin, which precedes those of the system. */
function addBinary(words: readonly string[], folder: string, sources: SourceCollector, isImplied = false) {
  const { options, operands } = splitArguments(words, BINARY_VALUED, 1)
  for (const line of optionValues(options, ['-c', '--call'])) sources.addLine(line, folder, { packages: true })
  const [name, ...args] = operands[0] === '--' ? operands.slice(1) : operands
  if (name === undefined) return
  const program = name.replace(/(?<=.)@[^/]*$/, '')
  const at =
    isImplied || /^[\w@][\w.@/-]*$/.test(program) ? findUpward(sources, `node_modules/.bin/${program}`) : undefined
  if (at !== undefined) sources.addFile(joinFolder(at, `node_modules/.bin/${program}`))
  if (!isImplied || at !== undefined) sources.addUnknown(UNKNOWN.packages)
  sources.addCommand([PACKAGE_PROGRAMS[program] ?? program, ...args], folder)
}

/** Programs of packages whose name differs. */
const PACKAGE_PROGRAMS: Readonly<Record<string, string>> = {
  '@playwright/test': 'playwright',
  '@angular/cli': 'ng',
  'storybook-cli': 'storybook',
  '@storybook/cli': 'storybook',
  '@commitlint/cli': 'commitlint',
  '@babel/cli': 'babel',
  'webpack-cli': 'webpack',
  '@tailwindcss/cli': 'tailwindcss'
}

export const npx: SourceFinder = (args, sources) => addBinary(args, '.', sources)

/** `node --run`, which runs a script alone. */
export const nodeRun: SourceFinder = ([name = ''], sources) => {
  const folder = findUpward(sources, 'package.json')
  const scripts = folder === undefined ? undefined : readScripts(sources, folder)
  if (scripts) addScript(name, scripts, folder!, sources, { isAlone: true })
}

/** Maximum number of scripts that a pattern selects. */
const MAX_MATCHES = 50

/** Adds the scripts that a name or a pattern such as `build:*` selects. */
function addMatching(pattern: string, sources: SourceCollector) {
  const folder = findUpward(sources, 'package.json')
  const scripts = folder === undefined ? undefined : readScripts(sources, folder)
  if (!scripts) return
  sources.addUnknown(UNKNOWN.packages)
  if (!pattern.includes('*')) return addScript(pattern, scripts, folder!, sources)
  const [start = '', ...ends] = pattern.split(/\*+/)
  const end = ends.at(-1) ?? ''
  const matches = Object.keys(scripts).filter(
    name => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
  )
  for (const name of matches.slice(0, MAX_MATCHES)) addScript(name, scripts, folder!, sources)
}

/** `run-s`, `run-p` and `npm-run-all`, whose operands are names of scripts, with their arguments. */
export const runAll: SourceFinder = (args, sources) => {
  const { operands } = splitArguments(args, new Set(['--max-parallel', '--npm-path']))
  for (const operand of operands) addMatching(operand.trim().split(/\s/)[0]!, sources)
}

/** `concurrently`, whose operands are command lines, or names of scripts such as `npm:build:*`. */
export const concurrently: SourceFinder = (args, sources) => {
  const valued =
    '-n --names -c --prefix-colors -p --prefix -m --max-processes -s --success -l --prefix-length --restart-tries'
  for (const operand of splitArguments(args, new Set(splitWords(valued))).operands) {
    const script = /^(?:npm|pnpm|yarn|bun|node):(\S+)/.exec(operand)?.[1]
    if (script === undefined) sources.addLine(operand, '.', { packages: true })
    else addMatching(script, sources)
  }
}

/** Tasks of deno.json, or scripts of package.json. */
export const denoTask: SourceFinder = (args, sources) => {
  const { options, operands } = splitArguments(args, new Set(['--cwd', '-c', '--config', '--filter', '-f']))
  const [command, name] = operands
  if (command !== 'task' || name === undefined) return
  if (hasAny(options, '-r', '--recursive', '--filter', '-f')) sources.addUnknown(UNKNOWN.workspaces)
  const [given] = optionValues(options, ['-c', '--config'])
  const folder =
    optionValues(options, ['--cwd'])[0] ?? findUpward(sources, 'deno.json', 'deno.jsonc', 'package.json') ?? '.'
  const files = (given === undefined ? ['deno.json', 'deno.jsonc'] : [given]).map(file => joinFolder(folder, file))
  const file = files.find(each => sources.exists(each))
  const tasks = file === undefined ? undefined : asRecord(parseJsonObject(sources.read(file))?.tasks)
  const seen = new Set<string>()
  addTask(name)

  function addTask(task: string) {
    if (seen.has(task) || seen.size >= MAX_MATCHES) return
    seen.add(task)
    const settings = ownProperty(tasks, task)
    if (settings === undefined) return addMatching(task, sources)
    sources.addEntry(file!, `tasks.${task}`, formatEntry(settings))
    const { dependencies, command: line } = asRecord(settings) ?? { command: settings }
    if (Array.isArray(dependencies)) for (const each of dependencies) if (typeof each === 'string') addTask(each)
    if (typeof line === 'string') sources.addLine(line, folder, { packages: true })
  }
}

/** `node --test` and `node --run`. */
export const nodeModes: SourceFinder = (args, sources) => {
  const { options, operands } = splitArguments(args, new Set(['--run']))
  if (options.has('--test')) {
    for (const file of operands) sources.addFile(file)
    sources.addUnknown(UNKNOWN.tests)
  }
  const [script] = optionValues(options, ['--run'])
  if (script !== undefined) sources.addCommand(['node-run', script])
}

/** Commands of lint-staged, by patterns of files. */
export const lintStaged: SourceFinder = (_args, sources) => {
  const folder = findUpward(sources, 'package.json')
  const manifest = folder === undefined ? undefined : parseJsonObject(sources.read(joinFolder(folder, 'package.json')))
  const settings = asRecord(ownProperty(manifest, 'lint-staged'))
  if (!settings) return
  sources.addEntry(joinFolder(folder!, 'package.json'), 'lint-staged', formatEntry(settings))
  for (const line of Object.values(settings).slice(0, 20).flat(1).slice(0, 50))
    if (typeof line === 'string') sources.addLine(line, folder!, { packages: true })
}
