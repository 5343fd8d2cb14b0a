// Search path (PATH) of programs.
import { delimiter, isAbsolute, resolve } from 'node:path'
import { isWithin, realPath } from '../sandbox/path-within.ts'
import { commandEnvironment, type Environment } from './environment.ts'

/** Returns the search path of commands, without folders inside these roots and without relative ones. */
export function searchPathOutside(roots: readonly string[], environment: Environment): string {
  const { PATH = '' } = commandEnvironment(environment, [], {})
  const isInRoot = (folder: string) => {
    const [named, led] = [resolve(folder), realPath(folder)]
    return roots.some(root => isWithin(named, root) || isWithin(led, root))
  }
  return PATH.split(delimiter)
    .filter(folder => isAbsolute(folder) && !isInRoot(folder))
    .join(delimiter)
}
