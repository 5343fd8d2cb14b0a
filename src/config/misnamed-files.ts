// Finds configuration files under names that are not read.
import { lstatSync } from 'node:fs'
import path from 'node:path'

const NAME = 'config.jsonc'
/** Names that people give to the file by habit. */
const OTHER_NAMES: readonly string[] = ['config.json', 'config.json5', 'config.yaml', 'config.yml', 'config.toml']

/** Returns a warning for each file beside that of a tier, or in its place, that looks like its configuration. */
export function warnAboutMisnamedFiles(tierFiles: readonly string[]): string[] {
  return tierFiles
    .filter(file => path.basename(file) === NAME)
    .flatMap(file =>
      OTHER_NAMES.map(name => path.join(path.dirname(file), name))
        .filter(isThere)
        .map(other => `${other}: this file is not read, because the name must be ${NAME}. ${hint(other, file)}`)
    )
}

const hint = (other: string, file: string) =>
  isThere(file)
    ? `Move its settings to ${file}, and delete this file.`
    : `Convert it to JSON (comments are allowed), and rename it: mv ${other} ${file}`

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    // The path leads through a file, or is not permitted.
    return false
  }
}
