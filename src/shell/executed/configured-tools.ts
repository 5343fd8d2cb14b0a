// Programs that execute code in their configuration, such as those that test, lint and bundle: which files are in effect.
import { formatEntry, ownProperty, parseJsonObject } from './read-json.ts'
import { forPrograms, joinFolder, type SourceCollector, type SourceFinder, splitWords } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

/** Facts about a program, or about some of its subcommands: then it has several of these. */
export interface ConfiguredTool {
  programs: string
  /** Applies only if the first operands are one of these; each may be several words joined by `+`. */
  subcommands?: string
  /**
   * Lookups, each with names in the order of precedence, of which the first that exists is in effect. Braces list alternatives.
   * `package.json#jest` is an entry; `setup.cfg#[mypy` is a file with that text.
   */
  files?: readonly string[]
  /** `nearest`: in the folders above as well, until found. `all`: in each folder above. Otherwise in the folder alone. */
  search?: 'nearest' | 'all'
  /** Options whose value is used in place of the first lookup. */
  config?: string
  /** Options whose value is a further file that is executed. */
  loads?: string
  /** Further options that take a value. */
  valued?: string
  /** Options that change the folder of the lookups. */
  folder?: string
  /** Operands are files that are executed, in place of the first lookup or besides it. */
  operands?: 'replace' | 'add'
  /** An operand is the folder of the lookups. */
  operandFolder?: true
  /** File that is looked up in the folder of each operand, and in those above. */
  besideOperands?: string
  /** Other programs whose configuration it loads as well. */
  uses?: string
  /** Program whose configuration is in effect if the first lookup finds nothing. */
  fallback?: string
  /** Sentence on files that are not listed. */
  unknown?: string
}

/** Maximum number of operands that are looked up. */
const MAX_OPERANDS = 20

/** Returns the finders by program name. */
export function configurationFinders(tools: readonly ConfiguredTool[]): [string, SourceFinder][] {
  return tools.flatMap(tool => forPrograms(tool.programs, configurationFinder(tool)))
}

function configurationFinder(tool: ConfiguredTool): SourceFinder {
  const lookups = (tool.files ?? []).map(names => splitWords(names).flatMap(expandBraces))
  const [config, loads, folderOptions] = [splitWords(tool.config), splitWords(tool.loads), splitWords(tool.folder)]
  const subcommands = splitWords(tool.subcommands).map(words => words.split('+'))
  const valued = new Set([...config, ...loads, ...folderOptions, ...splitWords(tool.valued)])
  const used = splitWords(tool.uses)
  return (args, sources) => {
    const { options, operands } = splitArguments(args, valued)
    const words = subcommands.find(each => each.every((word, at) => operands[at] === word))
    if (subcommands.length > 0 && !words) return
    if (subcommands.length === 0 && ONLY_PRINTS.has(args.join(' '))) return
    const rest = operands.slice(words?.length ?? 0).slice(0, MAX_OPERANDS)
    const given = optionValues(options, folderOptions).at(-1)
    const folder = given ?? (tool.operandFolder ? rest.find(each => !isUrl(each)) : undefined) ?? '.'
    const named = optionValues(options, config)
    for (const value of named) addNamed(value, lookups[0] ?? [], sources)
    const replacing = tool.operands && rest.filter(operand => sources.addFile(operand)).length > 0
    const isReplaced = named.length > 0 || (replacing && tool.operands === 'replace')
    const folders = folder !== '.' || !tool.search ? [folder] : sources.folders
    const isRemote = tool.operandFolder && rest.some(isUrl)
    for (const [index, names] of isRemote ? [] : lookups.entries()) {
      if (index === 0 && isReplaced) continue
      const found = addInFolders(names, folders, tool.search === 'all', sources)
      if (index === 0 && !found && tool.fallback !== undefined) sources.addCommand([tool.fallback, CONFIGURATION_ONLY])
    }
    for (const value of optionValues(options, loads)) if (isPath(value, sources)) sources.addFile(value)
    if (tool.besideOperands !== undefined) for (const operand of rest) addAbove(operand, tool.besideOperands, sources)
    for (const program of used) sources.addCommand([program, CONFIGURATION_ONLY])
    if (tool.unknown !== undefined && !args.includes(CONFIGURATION_ONLY)) sources.addUnknown(tool.unknown)
  }
}

/** Argument with which only the configuration is added. */
const CONFIGURATION_ONLY = '--configuration-only'
const ONLY_PRINTS = new Set(['--version', '--help', '-h', '-V', '-v'])
const isUrl = (operand: string) => /^[a-z+]+:\/\//.test(operand)
/** A plain name is an installed package. */
const isPath = (value: string, sources: SourceCollector) => /^[./~]|\.\w+$/.test(value) || sources.exists(value)

/** Adds the first of the names, in the first folder that has one or in each; returns true if there is any. */
function addInFolders(names: readonly string[], folders: readonly string[], inEach: boolean, sources: SourceCollector) {
  let found = false
  for (const folder of folders) {
    found = names.some(name => addConfiguration(joinFolder(folder, name), sources)) || found
    if (found && !inEach) break
  }
  return found
}

/** Adds a configuration that an option names, which may be a folder. */
function addNamed(value: string, names: readonly string[], sources: SourceCollector) {
  if (isPath(value, sources) && sources.addFile(value)) return
  names.some(name => !name.includes('#') && addConfiguration(joinFolder(value, name), sources))
}

/** Adds a file, or its entry after `#`; returns true if it is in effect. */
function addConfiguration(name: string, sources: SourceCollector): boolean {
  const [path = '', section] = name.split('#')
  if (section === undefined) return sources.exists(path) && sources.addFile(path)
  if (!sources.exists(path)) return false
  if (section.startsWith('[')) return (sources.read(path) ?? '').includes(section) && sources.addFile(path)
  const value = ownProperty(parseJsonObject(sources.read(path)), section)
  if (value === undefined) return false
  sources.addEntry(path, section, formatEntry(value))
  return true
}

function addAbove(operand: string, name: string, sources: SourceCollector) {
  let at = operand.replace(/::.*$/s, '').replace(/\/+$/, '')
  if (/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(at)) return
  for (let levels = 0; at !== '' && levels < MAX_OPERANDS; levels++) {
    sources.addFile(joinFolder(at, name))
    at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : ''
  }
}

/** `a.{b,c}` stands for `a.b` and `a.c`. */
function expandBraces(name: string): string[] {
  const { before, list, after } = /^(?<before>[^{]*)\{(?<list>[^}]*)\}(?<after>.*)$/.exec(name)?.groups ?? {}
  return list === undefined ? [name] : list.split(',').flatMap(each => expandBraces(`${before}${each}${after}`))
}
