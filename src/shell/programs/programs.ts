// All programs of which something is known, by name.
import { BUILD_TOOLS } from './build-tools.ts'
import { FILE_CHANGERS } from './file-changers.ts'
import { INTERPRETERS } from './interpreters.ts'
import { JAVASCRIPT_PROGRAMS } from './javascript.ts'
import { JAVASCRIPT_BUILDS } from './javascript-builds.ts'
import { MACHINE_PROGRAMS } from './machine.ts'
import type { ProgramFacts } from './program.ts'
import { PYTHON_PROGRAMS } from './python.ts'
import { READERS } from './readers.ts'
import { REMOTE_PROGRAMS } from './remote.ts'
import { RUBY_AND_PHP } from './ruby-and-php.ts'
import { SHELL_BUILTINS } from './shell-builtins.ts'
import { VIEWERS } from './viewers.ts'
import { WRAPPERS } from './wrappers.ts'

export const PROGRAMS: readonly ProgramFacts[] = [
  ...READERS,
  ...FILE_CHANGERS,
  ...SHELL_BUILTINS,
  ...WRAPPERS,
  ...INTERPRETERS,
  ...VIEWERS,
  ...MACHINE_PROGRAMS,
  ...REMOTE_PROGRAMS,
  ...JAVASCRIPT_PROGRAMS,
  ...JAVASCRIPT_BUILDS,
  ...PYTHON_PROGRAMS,
  ...RUBY_AND_PHP,
  ...BUILD_TOOLS
]
const BY_NAME = new Map(PROGRAMS.flatMap(program => program.names.split(' ').map(name => [name, program] as const)))

/** Returns what is known of a program by its exact name, without a folder. */
export const findProgramFacts = (name: string): ProgramFacts | undefined => BY_NAME.get(name)

/** Returns what is known of a program, also by a name with a version: `python3.12` is python. */
export const findVersionedFacts = (name: string): ProgramFacts | undefined =>
  BY_NAME.get(name) ?? BY_NAME.get(name.replace(/-?[\d.]+$/, ''))
