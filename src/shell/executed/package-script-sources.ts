// Scripts that package managers run: of package.json, with those before and after, and what their text executes in turn.
import type { SourceCollector, SourceFinder } from './source-collector.ts'

/** Subcommands that run the script of the same name. */
const SCRIPT_SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  test: ['test'],
  t: ['test'],
  tst: ['test'],
  start: ['start'],
  stop: ['stop'],
  restart: ['restart', 'stop', 'start'],
  'install-test': ['test'],
  it: ['test']
}
const RUN_SUBCOMMANDS = new Set(['run', 'run-script', 'rum', 'urn'])
/** Subcommands that run the life cycle scripts of the project. */
const LIFECYCLE: Readonly<Record<string, readonly string[]>> = {
  install: ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'],
  publish: ['prepublishOnly', 'prepack', 'prepare', 'postpack', 'publish', 'postpublish'],
  pack: ['prepack', 'prepare', 'postpack'],
  version: ['preversion', 'version', 'postversion']
}
const LIFECYCLE_ALIASES: Readonly<Record<string, string>> = {
  i: 'install',
  ci: 'install',
  add: 'install',
  '': 'install'
}
/** Options that take the next word as their value. */
const VALUED = new Set(['--prefix', '-C', '--cwd', '--workspace', '-w', '--filter', '-F', '--dir', '--script-shell'])
const FOLDER_OPTIONS = new Set(['--prefix', '-C', '--cwd', '--dir'])

const packageManager: SourceFinder = (args, sources, program) => {
  const { folder, rest } = splitOptions(args)
  const at = folder ?? sources.findUpward('package.json')
  const [command = '', name, ...others] = rest
  if (EXECUTES_BINARY.has(command)) return addBinary([name, ...others], sources)
  if (at === undefined) return
  for (const settings of ['.yarnrc.yml', '.yarnrc', '.pnpmfile.cjs', 'bunfig.toml']) sources.addFile(join(at, settings))
  const scripts = readScripts(sources, at)
  if (scripts === undefined) return
  const run = RUN_SUBCOMMANDS.has(command)
    ? [name ?? '']
    : (SCRIPT_SUBCOMMANDS[command] ??
      (args.includes('--ignore-scripts') ? undefined : LIFECYCLE[LIFECYCLE_ALIASES[command] ?? command]))
  // Yarn, pnpm and Bun run a script whose name is no subcommand.
  const implied = program !== 'npm' && command in scripts ? [command] : []
  for (const script of run ?? implied)
    for (const each of [`pre${script}`, script, `post${script}`]) addScript(each, scripts, at, sources)
  if (rest.some(word => word === '-r' || word === '--recursive') || args.some(isWorkspaceOption))
    sources.addUnknown('It runs scripts of several packages of the workspace, which are not listed.')
  if (run ?? implied.length > 0) sources.addUnknown(INSTALLED_PACKAGES)
}

const INSTALLED_PACKAGES = 'The scripts also run code that they load, and installed packages, which are not listed.'

const EXECUTES_BINARY = new Set(['exec', 'x', 'dlx'])
const isWorkspaceOption = (arg: string) => /^(?:-w|-ws|--workspaces?|--filter|-F)(?:=|$)/.test(arg)

function splitOptions(args: readonly string[]): { folder?: string; rest: string[] } {
  const rest: string[] = []
  let folder: string | undefined
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') break
    const equals = arg.indexOf('=')
    const option = equals < 0 ? arg : arg.slice(0, equals)
    const value = equals < 0 ? args[at + 1] : arg.slice(equals + 1)
    if (FOLDER_OPTIONS.has(option)) folder = value
    if (equals < 0 && VALUED.has(option)) at++
    else if (!arg.startsWith('-')) rest.push(arg)
  }
  return { ...(folder !== undefined && { folder }), rest }
}

function readScripts(sources: SourceCollector, folder: string): Record<string, unknown> | undefined {
  const text = sources.read(join(folder, 'package.json'))
  try {
    const { scripts = {} } = JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> }
    return scripts !== null && typeof scripts === 'object' ? scripts : {}
  } catch {
    sources.addFile(join(folder, 'package.json'))
    sources.addUnknown(`The scripts of ${join(folder, 'package.json')} cannot be read.`)
    return undefined
  }
}

function addScript(name: string, scripts: Record<string, unknown>, folder: string, sources: SourceCollector) {
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined
  if (typeof text !== 'string') return
  sources.addEntry(join(folder, 'package.json'), `scripts.${name}`, text)
  sources.addLine(text, folder)
}

/** Adds a program of node_modules/.bin, which precedes those of the system. */
function addBinary([name, ...args]: readonly (string | undefined)[], sources: SourceCollector) {
  if (name === undefined || !/^[\w.@/-]+$/.test(name)) return
  const folder = sources.findUpward(`node_modules/.bin/${name}`)
  if (folder !== undefined) sources.addFile(join(folder, `node_modules/.bin/${name}`))
  sources.addLine([name, ...args].join(' '), '.')
  sources.addUnknown(INSTALLED_PACKAGES)
}

const npx: SourceFinder = (args, sources) => addBinary(splitOptions(args).rest, sources)

const join = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`)

export const PACKAGE_SCRIPT_SOURCES: Readonly<Record<string, SourceFinder>> = {
  npm: packageManager,
  pnpm: packageManager,
  yarn: packageManager,
  bun: packageManager,
  npx,
  pnpx: npx,
  bunx: npx
}
