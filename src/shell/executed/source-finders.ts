// The programs that execute files of the workspace, with the finders of what they execute.
import { isKnownProgram } from '../program-classifiers.ts'
import type { ProgramFacts } from '../programs/program.ts'
import { findProgramFacts, PROGRAMS } from '../programs/programs.ts'
import { configurationFinder } from './configured-tools.ts'
import { moduleFinder, scriptFinder } from './interpreter-sources.ts'
import { type SourceFinder, splitWords } from './source-finder.ts'
import { wrapperFinder } from './wrapped-commands.ts'

/** A program that executes files, with the finders of these. */
interface Executor {
  program: ProgramFacts
  finders: readonly SourceFinder[]
}

const EXECUTORS: ReadonlyMap<string, Executor> = new Map(
  PROGRAMS.flatMap(row => {
    const { executesLike, ...own } = row
    const program = executesLike === undefined ? own : findProgramFacts(executesLike)!
    const executor = { program, finders: findersOf(program) }
    return executor.finders.length > 0 ? splitWords(row.names).map(name => [name, executor] as const) : []
  })
)

function findersOf({ script, moduleOption, wraps = [], find, configuration = [] }: ProgramFacts): SourceFinder[] {
  return [
    ...(script ? [scriptFinder(script)] : []),
    ...(moduleOption ? [moduleFinder(moduleOption)] : []),
    ...wraps.map(wrapperFinder),
    ...(find ? [find] : []),
    ...configuration.map(configurationFinder)
  ]
}

/** Returns the finders of a program by its name, with any folder and version; empty if it executes no files of the workspace. */
export const findSourceFinders = (program: string): readonly SourceFinder[] => findExecutor(program)?.finders ?? []

/** Returns true if an operand of the program may be a script. */
export const isInterpreter = (program: string) => findExecutor(program)?.program.script !== undefined

/** Returns true if it runs the command in its words. */
export const isCommandWrapper = (program: string) => findExecutor(program)?.program.wraps !== undefined

/** Returns true if the operands are a command with its arguments, which another finder knows. */
export function isRunner(program: string, [first = '']: readonly string[]): boolean {
  const { runsPackages, wraps } = findExecutor(program)?.program ?? {}
  if (runsPackages || !wraps) return runsPackages ?? false
  return wraps.every(({ subcommands }) => subcommands === undefined) || RUNS_COMMAND.test(first)
}
const RUNS_COMMAND = /^(?:run|exec|x|shell|record|stat|trace|watch)$/

/** Returns true for a program of which nothing but the name is known. */
export const isUnfamiliar = (program: string) => !isKnownProgram(program) && findSourceFinders(program).length === 0

export const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1)

/** Finds a program with any folder and version. */
function findExecutor(program: string): Executor | undefined {
  const name = baseName(program)
  return EXECUTORS.get(name) ?? EXECUTORS.get(name.replace(/-?[\d.]+$/, ''))
}
