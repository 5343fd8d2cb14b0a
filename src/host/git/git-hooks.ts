// Git hooks: programs that git would run automatically in a repository, unless prevented.
import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { lastValue } from './configuration.ts'
import type { Repository } from './repository.ts'

export interface GitHook {
  name: string
  /** Absolute. */
  file: string
}

/** Returns the hooks of these names that exist and are executable. */
export function findGitHooks(repository: Repository, names: readonly string[], home: string): GitHook[] {
  const named = lastValue(repository.configuration.allSettings, 'core.hookspath')
  const folder = named
    ? path.resolve(repository.top, named.replace(/^~(?=\/)/, home))
    : `${repository.common_dir}/hooks`
  return names.map(name => ({ name, file: path.join(folder, name) })).filter(({ file }) => isExecutableFile(file))
}

function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
