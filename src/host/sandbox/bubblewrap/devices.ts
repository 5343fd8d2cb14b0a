// The few devices that every program needs, created separately if the server is root. Then a sandboxed program is root to the
// kernel, and so the owner of the machine's device nodes: it could make /dev/null unusable for all. These nodes have a different
// owner.
import { execFileSync } from 'node:child_process'
import { chownSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Major and minor device numbers of the kernel. */
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

/** Creates the devices. None if the server is not root; undefined if it is root but may not create any. */
export function makeDevices(folder: string): readonly Device[] | undefined {
  if (process.getuid?.() !== 0) return []
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const devices = Object.entries(DEVICE_NUMBERS).map(([name, numbers]) => {
      const from = path.join(folder, name)
      if (!isOurs(from)) make(from, numbers)
      return { from, to: `/dev/${name}` }
    })
    // On a disk mounted with `nodev` they exist but cannot be opened.
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
