// The few devices that every program needs, made anew where the server is root. Then root is who a sandboxed program is to
// the machine, and so the owner of the machine's own: it could take /dev/null from everybody. These belong to nobody.
import { execFileSync } from 'node:child_process'
import { chownSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import path from 'node:path'

/** By the kernel's numbers. */
const DEVICE_NUMBERS: Readonly<Record<string, readonly [major: string, minor: string]>> = {
  null: ['1', '3'],
  zero: ['1', '5'],
  full: ['1', '7'],
  random: ['1', '8'],
  urandom: ['1', '9'],
  tty: ['5', '0']
}
const NOBODY_UID = 65_534
/** Never by the search path: a workspace may be on it. */
const MKNOD = ['/usr/bin/mknod', '/bin/mknod'].find(file => existsSync(file))

export interface Device {
  from: string
  to: string
}

/** None where the server is not root; undefined where it is, and may not make any. */
export function makeDevices(folder: string): readonly Device[] | undefined {
  if (process.getuid?.() !== 0) return []
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const devices = Object.entries(DEVICE_NUMBERS).map(([name, numbers]) => {
      const from = path.join(folder, name)
      if (!isOurs(from)) make(from, numbers)
      return { from, to: `/dev/${name}` }
    })
    // On a disk that is mounted without devices they are there and cannot be opened.
    closeSync(openSync(devices[0]!.from, 'w'))
    return devices
  } catch {
    return undefined
  }
}

function isOurs(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat?.isCharacterDevice() === true && stat.uid === NOBODY_UID
}

function make(file: string, numbers: readonly string[]) {
  rmSync(file, { force: true })
  execFileSync(MKNOD ?? '', ['-m', '666', file, 'c', ...numbers], { stdio: 'ignore' })
  chownSync(file, NOBODY_UID, NOBODY_UID)
}
