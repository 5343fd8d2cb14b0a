// Finds the programs that the configuration of a repository names, and that settings of a command's own cannot disable.
import path from 'node:path'
import { findRepositoryConfigFiles, readProgramSettings } from '../files/policy/git-programs.ts'
import { DEPENDENCY_FOLDERS } from '../files/policy/sensitive-names.ts'
import { isExternalDiff, neutralizeSettings } from '../git-settings.ts'

/** A configuration file, relative to the root where it is in the workspace, and its setting. */
export interface ConfiguredProgram {
  file: string
  /** Undefined if the settings of the file cannot be determined. */
  key?: string
  /** It would show changes in place of git. */
  isExternalDiff?: true
}

interface CommandLocation {
  root: string
  /** Relative to the root. */
  folder: string
  /** The user's home, for `~` in names of included files. */
  home: string
}

/**
 * Returns the first program that a git command in the folder runs although the sandbox neutralizes what it finds: one that shows
 * changes, if `diffs`, or any in a folder that the sandbox does not scan.
 */
export function findConfiguredProgram(
  { root, folder, home }: CommandLocation,
  diffs: boolean
): ConfiguredProgram | undefined {
  const { programs, unread } = readProgramSettings(findRepositoryConfigFiles(path.join(root, folder), root), home)
  const toName = (file: string) => (file.startsWith(`${root}/`) ? path.relative(root, file) : file)
  if (unread !== undefined) return { file: toName(unread) }
  const shown = diffs ? programs.find(({ key }) => isExternalDiff(key)) : undefined
  if (shown) return { file: toName(shown.file), key: shown.key, isExternalDiff: true }
  const isScanned = !folder.split('/').some(name => DEPENDENCY_FOLDERS.has(name))
  const first = isScanned ? undefined : programs.find(({ key }) => neutralizeSettings([key]).length > 0)
  return first && { file: toName(first.file), key: first.key }
}
