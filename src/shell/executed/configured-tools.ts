// Programs that execute code in their configuration, such as those that test, lint and bundle: which files are in effect.
import type { Configuration } from '../programs/program.ts'
import { formatEntry, ownProperty, parseJsonObject } from './read-json.ts'
import { joinFolder, type SourceCollector, type SourceFinder, splitWords } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

/** Maximum number of operands that are looked up. */
const MAX_OPERANDS = 20

/** Finds the configuration in effect. */
export function configurationFinder(tool: Configuration): SourceFinder {
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
