// The programs that execute files of the workspace, with the finders of what they execute.
import { isKnownProgram } from '../program-classifiers.ts'
import { BUILD_TOOL_SOURCES } from './build-tools.ts'
import { COMPOSER_SOURCES } from './composer-scripts.ts'
import { configurationFinders } from './configured-tools.ts'
import { INTERPRETER_SOURCES } from './interpreter-sources.ts'
import { JAVASCRIPT_TOOLS } from './javascript-tools.ts'
import { OTHER_TOOLS } from './other-tools.ts'
import { PACKAGE_SCRIPT_SOURCES } from './package-scripts.ts'
import { PYTHON_TOOLS } from './python-tools.ts'
import { RECIPE_SOURCES } from './recipes.ts'
import type { SourceFinder } from './source-finder.ts'
import { hasSubcommands, WRAPPER_SOURCES } from './wrapped-commands.ts'

const FINDERS = new Map<string, SourceFinder[]>()
for (const [program, find] of [
  ...INTERPRETER_SOURCES,
  ...PACKAGE_SCRIPT_SOURCES,
  ...COMPOSER_SOURCES,
  ...RECIPE_SOURCES,
  ...WRAPPER_SOURCES,
  ...BUILD_TOOL_SOURCES,
  ...configurationFinders([...JAVASCRIPT_TOOLS, ...PYTHON_TOOLS, ...OTHER_TOOLS])
])
  FINDERS.set(program, [...(FINDERS.get(program) ?? []), find])

/** Programs whose operands are a command that another finder knows, or scripts. */
const COMMAND_WRAPPERS = new Set(WRAPPER_SOURCES.map(([program]) => program))
/** Programs that run a package by its name in place of a subcommand. */
const PACKAGE_RUNNERS = new Set(
  'npx pnpm pnpx pnx yarn bunx run-s run-p npm-run-all npm-run-all2 concurrently conc'.split(' ')
)
const INTERPRETERS = new Set(INTERPRETER_SOURCES.map(([program]) => program))

/** Returns the finders of a program by its name, with any folder and version; empty if it executes no files of the workspace. */
export const findSourceFinders = (program: string): readonly SourceFinder[] =>
  FINDERS.get(registeredName(program)) ?? []

/** Returns true if an operand of the program may be a script. */
export const isInterpreter = (program: string) => INTERPRETERS.has(registeredName(program))

/** Returns true if it runs the command in its words. */
export const isCommandWrapper = (program: string) => COMMAND_WRAPPERS.has(registeredName(program))

/** Returns true if the operands are a command with its arguments, which another finder knows. */
export function isRunner(program: string, [first = '']: readonly string[]): boolean {
  const name = registeredName(program)
  return (
    PACKAGE_RUNNERS.has(name) || (COMMAND_WRAPPERS.has(name) && (!hasSubcommands(name) || RUNS_COMMAND.test(first)))
  )
}
const RUNS_COMMAND = /^(?:run|exec|x|shell|record|stat|trace|watch)$/

/** Returns true for a program of which nothing but the name is known. */
export const isUnfamiliar = (program: string) => !isKnownProgram(program) && findSourceFinders(program).length === 0

export const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1)

function registeredName(program: string): string {
  const name = baseName(program)
  return FINDERS.has(name) ? name : name.replace(/-?[\d.]+$/, '')
}
