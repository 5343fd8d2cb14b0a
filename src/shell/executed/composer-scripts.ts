// Scripts that Composer runs: of composer.json, including those of its events and the scripts that they refer to.
import { asRecord, formatEntry, ownProperty, parseJsonObject } from './read-json.ts'
import { findUpward, joinFolder, type SourceFinder, splitWords, UNKNOWN } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

/** Events of subcommands, in order. */
const EVENTS: Readonly<Record<string, string>> = {
  install: 'pre-install-cmd pre-autoload-dump post-autoload-dump post-install-cmd',
  update: 'pre-update-cmd pre-autoload-dump post-autoload-dump post-update-cmd',
  require: 'pre-update-cmd pre-autoload-dump post-autoload-dump post-update-cmd',
  remove: 'pre-update-cmd pre-autoload-dump post-autoload-dump post-update-cmd',
  'dump-autoload': 'pre-autoload-dump post-autoload-dump',
  dumpautoload: 'pre-autoload-dump post-autoload-dump',
  status: 'pre-status-cmd post-status-cmd',
  archive: 'pre-archive-cmd post-archive-cmd',
  'create-project': 'post-root-package-install pre-install-cmd post-install-cmd post-create-project-cmd'
}
const ALIASES: Readonly<Record<string, string>> = {
  i: 'install',
  u: 'update',
  upgrade: 'update',
  r: 'require',
  rm: 'remove'
}
const RUN = new Set(['run', 'run-script'])
/** Events around packages, which any subcommand that installs may cause. */
const PACKAGE_EVENTS = /^(?:pre|post)-(?:package|operations|pool|file|plugin)-|^pre-operations-exec$|^(?:init|command)$/
/** Maximum number of scripts of one call. */
const MAX_SCRIPTS = 50

export const composer: SourceFinder = (args, sources) => {
  const { options, operands } = splitArguments(args, new Set(['-d', '--working-dir', '--timeout']))
  const [given = '', name, ...others] = operands
  const command = ALIASES[given] ?? given
  const folder = optionValues(options, ['-d', '--working-dir'])[0] ?? findUpward(sources, 'composer.json')
  if (folder === undefined || command === '') return
  if (command === 'exec') {
    if (name === undefined) return
    sources.addFile(joinFolder(folder, `vendor/bin/${name}`))
    return sources.addCommand([name, ...others], folder)
  }
  const path = joinFolder(folder, 'composer.json')
  if (!sources.exists(path)) return
  const manifest = parseJsonObject(sources.read(path))
  if (!manifest) {
    sources.addFile(path)
    return sources.addUnknown('The scripts of composer.json cannot be read.')
  }
  const scripts = asRecord(manifest.scripts)
  const seen = new Set<string>()
  const events = Object.hasOwn(EVENTS, command) ? splitWords(EVENTS[command]) : undefined
  if (RUN.has(command)) addScript(name ?? '')
  else if (events && !options.has('--no-scripts')) {
    for (const event of events) addScript(event)
    for (const event of Object.keys(scripts ?? {})) if (PACKAGE_EVENTS.test(event)) addScript(event)
  } else if (!events) addScript(command)
  if (events || seen.size > 0) sources.addUnknown(UNKNOWN.packages)

  function addScript(script: string) {
    const value = ownProperty(scripts, script)
    if (value === undefined || seen.has(script) || seen.size >= MAX_SCRIPTS) return
    seen.add(script)
    sources.addEntry(path, `scripts.${script}`, formatEntry(value))
    const lines = (Array.isArray(value) ? value : [value]).slice(0, MAX_SCRIPTS)
    for (const line of lines) if (typeof line === 'string') addLine(line)
  }

  function addLine(line: string) {
    const [, reference = '', rest = ''] = /^@(\S+)\s*(.*)$/s.exec(line) ?? []
    if (reference === 'putenv' || reference === 'additional_args') return
    if (reference === 'php' || reference === 'composer') sources.addLine(`${reference} ${rest}`, folder!)
    else if (reference !== '') addScript(reference)
    else if (/^\\?[A-Za-z_][\w\\]*::\w+$/.test(line))
      sources.addUnknown('PHP functions called by composer.json are not listed.')
    else {
      const program = line.trim().split(/\s/)[0]!
      if (/^[\w.-]+$/.test(program)) sources.addFile(joinFolder(folder!, `vendor/bin/${program}`))
      sources.addLine(line, folder!)
    }
  }
}
