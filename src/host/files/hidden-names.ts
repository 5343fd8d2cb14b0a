// Names of the server's temporary files in workspaces. No call sees or reaches a file whose name is in use. Any other file of such a
// name, as one that a command has made or another server is writing, is an entry of the workspace that may hold secrets.
import { randomBytes } from 'node:crypto'

/** Prefix of the names, in lower case. */
export const TEMP_PREFIX = '.toolgate-tmp-'

const inUse = new Set<string>()

/** Generates a name that cannot be guessed, in use until it is released. */
export function takeHiddenName(): string {
  const name = TEMP_PREFIX + randomBytes(9).toString('hex')
  inUse.add(name)
  return name
}

export function releaseHiddenName(name: string) {
  inUse.delete(name)
}

/** Checks if this server uses a name, given in lower case. */
export const isHiddenName = (name: string): boolean => name.startsWith(TEMP_PREFIX) && inUse.has(name)
