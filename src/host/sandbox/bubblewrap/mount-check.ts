// Folders that hold what is kept or hidden are pinned: mounted over themselves, so that a command that writes can move
// neither them nor what is in them from under the mounts of another that begins.
import { fstatSync } from 'node:fs'
import path from 'node:path'
import type { PinnedEntry } from './pinned-entries.ts'

/** All folders above the paths, relative as these are, the upper ones first. */
export function ancestorFolders(paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const name of paths)
    for (let folder = path.dirname(name); folder !== '.' && !found.has(folder); folder = path.dirname(folder))
      found.add(folder)
  return [...found].toSorted()
}

/** For a shell; its paths begin at the third argument, their number is the second. Whatever the call set says nothing. */
const MOUNT_CHECK_SCRIPT = `wanted=$1 left=$2 found=
shift 2
while [ "$left" -gt 0 ]; do
  found="$found$(command -p stat -c %d:%i -- "$1") "
  left=$((left - 1))
  shift
done
if [ "$found" != "$wanted" ]; then
  echo 'A file or folder that needs protection was replaced as this command began: nothing was run. Try again.' >&2
  exit 125
fi
exec "$@"`

/** Goes before a program in the sandbox: starts it only where what is mounted is what is held. Mounts by name can be led
 * elsewhere by a command that runs already. */
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
    ...held.map(one => one.path)
  ]
}
