// The programs that execute files of the workspace, with the finders of what they execute.

import { INTERPRETER_SOURCES } from './interpreter-sources.ts'
import { MAKEFILE_SOURCES } from './makefile-sources.ts'
import { PACKAGE_SCRIPT_SOURCES } from './package-script-sources.ts'
import type { SourceFinder } from './source-collector.ts'

const FINDERS: ReadonlyMap<string, SourceFinder> = new Map(
  Object.entries({ ...INTERPRETER_SOURCES, ...PACKAGE_SCRIPT_SOURCES, ...MAKEFILE_SOURCES })
)

/** Returns the finder of a program by its name, with any folder and version; undefined if it executes no files of the workspace. */
export function findSourceFinder(program: string): SourceFinder | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return FINDERS.get(name) ?? FINDERS.get(name.replace(/[\d.]+$/, ''))
}
