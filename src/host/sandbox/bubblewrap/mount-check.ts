// Pins folders with protected or hidden entries: they are mounted over themselves, so that a command with write access cannot
// move them, or their entries, away from under the mounts of another command that is starting.
import { fstatSync } from 'node:fs'
import path from 'node:path'
import { toSystemPath } from '../../../text/byte-names.ts'
import type { PinnedEntry } from './pinned-entries.ts'

/** Returns all ancestors of the paths, relative as these are, the upper ones first. */
export function ancestorFolders(paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const name of paths)
    for (let folder = path.dirname(name); folder !== '.' && !found.has(folder); folder = path.dirname(folder))
      found.add(folder)
  return [...found].toSorted()
}

/** For a shell; its paths begin at the third argument, their number is the second. Variables set by the call have no effect. */
const MOUNT_CHECK_SCRIPT = `wanted=$1 left=$2 found=
shift 2
while [ "$left" -gt 0 ]; do
  one=$(printf '%bx' "$1")
  found="$found$(command -p stat -c %d:%i -- "\${one%x}") "
  left=$((left - 1))
  shift
done
if [ "$found" != "$wanted" ]; then
  echo 'A file or folder that needs protection was replaced as this command began: nothing was run. Try again.' >&2
  exit 125
fi
exec "$@"`

/**
 * Precedes a program in the sandbox: starts it only if the mounted entries are the pinned ones. Mounts by name can be redirected
 * by a command that is already running.
 */
export function mountCheckArgv(held: readonly PinnedEntry[]): string[] {
  const wanted = held.map(({ fd }) => {
    const { dev, ino } = fstatSync(fd, { bigint: true })
    return `${dev}:${ino} `
  })
  return [
    '/bin/sh',
    '-c',
    MOUNT_CHECK_SCRIPT,
    'sandbox',
    wanted.join(''),
    String(held.length),
    ...held.map(one => escapeForPrintf(one.path))
  ]
}

/** Escapes a path for `printf %b`: its bytes need not be text. */
const escapeForPrintf = (path: string) =>
  Buffer.from(toSystemPath(path))
    .toString('latin1')
    .replace(/[^\w./-]/g, byte => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)
