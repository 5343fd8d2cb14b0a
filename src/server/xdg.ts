// Where a person's files are, by the environment of the process.
import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export const homeFolder = (env: Env): string => env.HOME || homedir()

/** An XDG folder: what the variable says if it is absolute, as the standard demands, else its place in the home. */
export function xdgFolder(env: Env, variable: string, inHome: string): string {
  const given = env[variable]
  return given && path.isAbsolute(given) ? given : path.join(homeFolder(env), inHome)
}

/** The real path of a folder, or undefined when there is none. */
export function realFolder(folder: string): string | undefined {
  try {
    const real = realpathSync(folder)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
