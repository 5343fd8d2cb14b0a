// Finds credentials among program files, by name.
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { foldPath } from '../files/policy/name-patterns.ts'
import { SecretNames } from '../files/policy/secret-names.ts'

const SENSITIVE = new SecretNames()
/** Folders of published packages: they hold no secrets, and by far the most files. */
const PUBLISHED_FOLDERS =
  /^(?:node_modules|(?:site|dist)-packages|python[23](?:\.\d+)?|gems|pkg|registry|share|include)$/
/** Those of them that a search path may name directly; a user's own folder may have one of the other names. */
const PACKAGE_FOLDERS = /^(?:node_modules|(?:site|dist)-packages)$/
/** Certificates of trusted certificate authorities. */
const PUBLIC_CERTIFICATE = /^(?:ca-?certs?|cert|ca-bundle)\.pem$/
/** Maximum number of folders searched: credentials further down exist only by intent. */
const MAX_FOLDERS = 4_000

interface Folder {
  path: string
  /** The folded names of its path. */
  names: readonly string[]
  /** Credential by its own name or that of an ancestor: all descendants are then. */
  isCredential: boolean
}

export const isCredential = (file: string) =>
  !PUBLIC_CERTIFICATE.test(path.basename(file)) && SENSITIVE.covers(namesOf(file))

/**
 * Finds all credentials in the folders, nearest first. Descendants of a credential are not listed separately, nor are links
 * followed.
 */
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
  SENSITIVE.coversLastName(names, entry.isDirectory()) && (entry.isDirectory() || !PUBLIC_CERTIFICATE.test(entry.name))
const namesOf = (file: string) => foldPath(file.slice(1)).split('/')
const readDirents = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])
