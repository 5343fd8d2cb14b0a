// The folders that programs are looked for in.
import { delimiter, isAbsolute, resolve } from 'node:path'
import { isBeneath, real } from '../sandbox/path-within.ts'
import { commandEnvironment, type Environment } from './environment.ts'

/** The search path that commands get, without folders in one of these and without those that are not absolute. */
export function pathBeside(roots: readonly string[], environment: Environment): string {
  const { PATH = '' } = commandEnvironment(environment, [], {})
  const isWithin = (folder: string) => {
    const [named, led] = [resolve(folder), real(folder)]
    return roots.some(root => isBeneath(named, root) || isBeneath(led, root))
  }
  return PATH.split(delimiter)
    .filter(folder => isAbsolute(folder) && !isWithin(folder))
    .join(delimiter)
}
