// Locates programs: the shell that runs command lines (bash if available, else sh), and others by name.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { ToolError } from '../../errors.ts'

const FALLBACK_SHELL = '/bin/sh'

/** Returns the shell's full path. */
export function findShell(env: Readonly<Record<string, string>>): string {
  return lookUpInPath('bash', env) ?? lookUpInPath('sh', env) ?? FALLBACK_SHELL
}

/** Returns the full path of a program: looked up in the PATH of `env`, or relative to `cwd` if the name has a slash. */
export function findProgram(name: string, env: Readonly<Record<string, string>>, cwd: string): string {
  if (name.includes('/')) return resolve(cwd, name)
  const found = lookUpInPath(name, env)
  if (name === '' || !found)
    throw new ToolError('EXECUTION_ERROR', `The program ${name || 'without a name'} does not exist.`, {
      code: 'ENOENT'
    })
  return found
}

/** Checks if a program of that name is in the PATH of `env`. */
export const isProgramAvailable = (name: string, env: Readonly<Record<string, string>>) =>
  lookUpInPath(name, env) !== undefined

function lookUpInPath(name: string, env: Readonly<Record<string, string>>): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders.map(folder => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string) {
  // An exception takes ten times as long as the look.
  if (!existsSync(path)) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
