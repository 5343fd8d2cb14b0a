// Looks for mounts below a folder: only they show a folder under a second path.
import { readFileSync } from 'node:fs'

/** Returns true if something is mounted below a folder, or if the system reports no mounts. */
export function hasMountBelow(folder: string): boolean {
  try {
    const prefix = folder.endsWith('/') ? folder : `${folder}/`
    const mounts = readFileSync('/proc/self/mountinfo', 'latin1').split('\n')
    return mounts.some(line => mountPoint(line).startsWith(Buffer.from(prefix).toString('latin1')))
  } catch {
    return true
  }
}

/** Returns the fifth field of a line, in which blanks and backslashes are escaped. */
const mountPoint = (line: string) =>
  (line.split(' ', 5)[4] ?? '').replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))
