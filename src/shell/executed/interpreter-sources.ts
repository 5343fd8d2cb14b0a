// Scripts that interpreters execute: the first operand, and what options load before it.

import type { ModuleOption, ScriptOptions } from '../programs/program.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { addOptionFiles } from './named-files.ts'
import { parseJsonObject } from './read-json.ts'
import { joinFolder, type SourceCollector, type SourceFinder, splitWords, UNKNOWN } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

export function scriptFinder({
  ends,
  optional,
  optionsOnly,
  dashEndsOptions,
  ...notation
}: ScriptOptions): SourceFinder {
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

/** Adds a module that Python finds in the folder of the command, before installed ones. */
function addModule(name: string, args: readonly string[], sources: SourceCollector) {
  const path = name.replaceAll('.', '/')
  const files = [`${path}/__init__.py`, `${path}/__main__.py`, `${path}.py`]
  if (files.filter(file => sources.addFile(file)).length > 0) sources.addUnknown(UNKNOWN.scripts)
  else if (findProgramFacts(name)?.pythonModule) sources.addCommand([name, ...args])
  else sources.addUnknown(UNKNOWN.packages)
}

function addGoFiles(operands: readonly string[], sources: SourceCollector) {
  for (const operand of operands) {
    if (!operand.endsWith('.go') && operand !== operands[0]) break
    sources.addFile(operand.endsWith('.go') ? operand : joinFolder(operand, 'main.go'))
  }
  sources.addUnknown(UNKNOWN.scripts)
}

/** Adds the modules that options load. */
export function moduleFinder({ option, separator, ending }: ModuleOption): SourceFinder {
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
