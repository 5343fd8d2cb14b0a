// Credentials that lie among programs, found by their names.
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { SENSITIVE_NAMES } from '../files/policy/sensitive-names.ts'

const SENSITIVE = new NamePatterns(SENSITIVE_NAMES)
/** Folders of what others have published: nobody keeps secrets there, and they hold most files by far. */
const PUBLISHED_FOLDERS =
  /^(?:node_modules|(?:site|dist)-packages|python[23](?:\.\d+)?|gems|pkg|registry|share|include)$/
/** Of those, the ones that a search path names as they are; a folder of one's own may be called as the others. */
const PACKAGE_FOLDERS = /^(?:node_modules|(?:site|dist)-packages)$/
/** Certificates of those whom TLS trusts. */
const PUBLIC_CERTIFICATE = /^(?:ca-?certs?|cert|ca-bundle)\.pem$/
/** Further down there are none but by intent. */
const MAX_FOLDERS = 4_000

interface Folder {
  path: string
  /** The names of its path, folded. */
  names: readonly string[]
  /** By its name or that of a folder it lies in: all in it is then. */
  isCredential: boolean
}

export const isCredential = (file: string) =>
  !PUBLIC_CERTIFICATE.test(path.basename(file)) && SENSITIVE.covers(namesOf(file))

/** All within the folders, the nearest first. What lies in a credential is not told by itself, nor where links lead. */
export async function findCredentials(folders: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const open: Folder[] = folders
    .filter(folder => !PACKAGE_FOLDERS.test(path.basename(folder)))
    .map(folder => ({ path: folder, names: namesOf(folder), isCredential: isCredential(folder) }))
  for (let i = 0; i < open.length && i < MAX_FOLDERS; i += 1) {
    const folder = open[i]!
    for (const entry of await readDirents(folder.path)) {
      const file = path.join(folder.path, entry.name)
      const names = [...folder.names, foldPath(entry.name)]
      if (folder.isCredential || isSensitive(entry, names)) found.push(file)
      else if (entry.isDirectory() && !PUBLISHED_FOLDERS.test(entry.name))
        open.push({ path: file, names, isCredential: false })
    }
  }
  return found
}

const isSensitive = (entry: Dirent, names: readonly string[]) =>
  SENSITIVE.coversLastName(names) && (entry.isDirectory() || !PUBLIC_CERTIFICATE.test(entry.name))
const namesOf = (file: string) => foldPath(file.slice(1)).split('/')
const readDirents = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])
