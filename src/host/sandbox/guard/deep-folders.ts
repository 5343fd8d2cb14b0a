// Folders that are too deep for paths: the system does not accept the paths of what is in them.
import { pathByteLength } from '../../../text/byte-names.ts'
import { listReadable, renameSync } from '../../files/byte-path-fs.ts'
import { openForOwner } from '../../files/owner-rights.ts'

/** In bytes, as the system counts. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 4_096 : 1_024
const MAX_NAME_BYTES = 256

/** Checks if the system accepts the paths of a folder's direct children. */
export const isReachable = (folder: string): boolean => pathByteLength(folder) < MAX_PATH_BYTES - MAX_NAME_BYTES

/**
 * Makes all of a tree reachable: moves folders that are too deep to new paths, and gives their owner all rights to folders. Returns the
 * trees that there are then, the given one first.
 */
export function splitDeepFolders(top: string, newPlace: () => string): string[] {
  const tops = [top]
  for (const tree of tops) {
    const waiting = [tree]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
      for (const { name } of listFolders(folder)) {
        const inner = `${folder}/${name}`
        openForOwner(inner)
        if (isReachable(inner)) waiting.push(inner)
        else tops.push(moveTo(newPlace(), inner))
      }
  }
  return tops
}

function moveTo(place: string, folder: string): string {
  renameSync(folder, place)
  return place
}

const listFolders = (folder: string) => listReadable(folder).filter(one => one.isDirectory())
