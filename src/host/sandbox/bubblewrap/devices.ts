// The few devices that every program needs, created separately if the server is root. Then a sandboxed program is root to the
// kernel, and so the owner of the machine's device nodes: it could make /dev/null unusable for all. These nodes have a different
// owner.
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
/** Creates a device for every three arguments: its path and its numbers. One child, since a fork of the server is slow. */
const MKNOD_SCRIPT = 'while [ $# -gt 0 ]; do "$0" -m 666 "$1" c "$2" "$3" || exit; shift 3; done'

export interface Device {
  from: string
  to: string
}

/** Creates the devices. None if the server is not root; undefined if it is root but may not create any. */
export async function makeDevices(folder: string): Promise<readonly Device[] | undefined> {
  if (process.getuid?.() !== 0) return []
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const devices = Object.keys(DEVICE_NUMBERS).map(name => ({ from: path.join(folder, name), to: `/dev/${name}` }))
    await make(folder)
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

/** Creates the devices that are missing. */
async function make(folder: string) {
  const missing = Object.entries(DEVICE_NUMBERS)
    .map(([name, numbers]) => ({ file: path.join(folder, name), numbers }))
    .filter(({ file }) => !isOurs(file))
  if (missing.length === 0) return
  for (const { file } of missing) rmSync(file, { force: true })
  const devices = missing.flatMap(({ file, numbers }) => [file, ...numbers])
  const { execa } = await import('execa')
  await execa('/bin/sh', ['-c', MKNOD_SCRIPT, MKNOD ?? '', ...devices], { stdio: 'ignore', env: {}, extendEnv: false })
  for (const { file } of missing) chownSync(file, NOBODY_UID, NOBODY_UID)
}
