// The user's folders per the XDG Base Directory specification, from the process environment.
import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export const homeFolder = (env: Env): string => env.HOME || homedir()

/** Returns an XDG folder: the variable's value if it is absolute, as the standard requires, else the default in the home. */
export function xdgFolder(env: Env, variable: string, inHome: string): string {
  const given = env[variable]
  return given && path.isAbsolute(given) ? given : path.join(homeFolder(env), inHome)
}

/** Returns the folder with one state folder for each set of roots. */
export function statesFolder(env: Env): string {
  const base = env.TOOLGATE_STATE_DIR || path.join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'toolgate')
  return path.join(path.resolve(base), 'workspaces')
}

/** Returns the real path of a folder, or undefined if there is none. */
export function realFolder(folder: string): string | undefined {
  try {
    const real = realpathSync(folder)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
