// Credentials that lie among programs, found by their names.
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { fold, NamePatterns } from '../name-patterns.ts'
import { SENSITIVE_NAMES } from '../names.ts'

const SENSITIVE = new NamePatterns(SENSITIVE_NAMES)
/** Folders of what others have published: nobody keeps secrets there, and they hold most files by far. */
const PUBLISHED = /^(?:node_modules|(?:site|dist)-packages|python[23](?:\.\d+)?|gems|pkg|registry|share|include)$/
/** Certificates of those whom TLS trusts. */
const PUBLIC = /^(?:ca-?certs?|cert|ca-bundle)\.pem$/
/** Further down there are none but by intent. */
const MAX_FOLDERS = 4_000

export const isCredential = (file: string) =>
  !PUBLIC.test(path.basename(file)) && SENSITIVE.covers(fold(file.slice(1)).split('/'))

/** All within the folders, the nearest first. What lies in a credential is not told by itself, nor where links lead. */
export async function credentialsIn(folders: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const open = [...folders]
  for (let i = 0; i < open.length && i < MAX_FOLDERS; i += 1) {
    for (const entry of await entriesOf(open[i]!)) {
      const file = path.join(open[i]!, entry.name)
      if (isCredential(file)) found.push(file)
      else if (entry.isDirectory() && !PUBLISHED.test(entry.name)) open.push(file)
    }
  }
  return found
}

const entriesOf = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])
