// Programs that run the command in their arguments, beyond those that the analysis of the line knows.
import type { WrappedOptions } from '../programs/program.ts'
import { findUpward, joinFolder, type SourceFinder, splitWords, UNKNOWN } from './source-finder.ts'
import { optionValues, splitArguments } from './split-arguments.ts'

export function wrapperFinder({
  interpreter,
  assignments,
  operandLines,
  skip = 0,
  ...notation
}: WrappedOptions): SourceFinder {
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

/** Adds what `env` runs: the analysis of the line does not report it as a part if it is a text, or changes variables that programs follow. */
export const envCommand: SourceFinder = (args, sources) => {
  const { options, rest } = splitArguments(args, new Set(['-u', '--unset', '-C', '--chdir', '-S', '--split-string']), 1)
  for (const line of optionValues(options, ['-S', '--split-string'])) sources.addLine(line, '.')
  const [folder = '.'] = optionValues(options, ['-C', '--chdir'])
  const start = rest.findIndex(word => word !== '-' && !/^\w+=/.test(word))
  if (start >= 0) sources.addCommand(rest.slice(start), folder)
}
