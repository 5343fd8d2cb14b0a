// Remembers the port of a server in its state folder, so that the next one for the same roots has the same address.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { writePrivateFile } from './private-files.ts'

const NAME = 'port'
/** Ports below belong to the services of the machine. */
const MIN_PORT = 1_024

/** Returns undefined if there is none, or no valid one. */
export function readLastPort(stateDir: string): number | undefined {
  try {
    const port = Number(readFileSync(path.join(stateDir, NAME), 'utf8'))
    return Number.isInteger(port) && port >= MIN_PORT && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  }
}

export const rememberPort = (stateDir: string, port: number): void => writePrivateFile(stateDir, NAME, `${port}\n`)
