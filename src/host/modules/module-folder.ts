// What is in a folder of modules: which files are modules, and the hash of all that they can load there by path. A person
// who trusts a module trusts that.
import { type Dirent, lstatSync, realpathSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sha256Of } from '../trust/content-hash.ts'
import { watchFiles } from '../watch-files.ts'

export interface ModuleFolder {
  path: string
  /** SHA-256 of each file by its path in the folder. */
  files: Readonly<Record<string, string>>
  /** Of all of them with their paths. */
  sha256: string
}

/** The folder cannot be taken as it is. */
export class ModuleFolderFault extends Error {}

const MOST_FILES = 500
const MOST_BYTES = 8 * 1024 * 1024
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Undefined where there is none. */
export async function readModuleFolder(path: string): Promise<ModuleFolder | undefined> {
  if (!isThere(path)) return undefined
  if (realpathSync(path) !== path) throw new ModuleFolderFault(`${path} is reached through a link: use a plain folder.`)
  const files: Record<string, string> = {}
  let bytes = 0
  const names = await filesIn(path, '')
  for (const name of names) {
    bytes += (await stat(join(path, name))).size
    if (bytes > MOST_BYTES) throw new ModuleFolderFault(`${path} holds more than ${MOST_BYTES} bytes.`)
    files[name] = sha256Of(await readFile(join(path, name)))
  }
  return { path, files, sha256: sha256Of(names.map(name => `${files[name]}  ${name}\n`).join('')) }
}

/** The modules of a folder: files directly in it, but for those whose names begin with `_`, types and tests. */
export const modulesIn = ({ files }: ModuleFolder): string[] =>
  Object.keys(files).filter(name => MODULE.test(name) && !NO_MODULE.test(name))
const MODULE = /^[^/]+\.(?:ts|mts|js|mjs)$/
const NO_MODULE = /^[_.]|\.d\.m?ts$|\.test\.m?[jt]s$/

/** A folder of modules that is followed. */
export class FollowedFolder {
  readonly #path: string
  readonly #changed: () => void
  #names: readonly string[]
  #unwatch: (() => void) | undefined
  #closed = false

  /** `changed` hears that it is not any more what it was at the last look. */
  constructor(path: string, changed: () => void) {
    this.#path = path
    this.#changed = changed
    this.#names = [path]
  }

  /** As it is now; see `readModuleFolder`. */
  async look(): Promise<ModuleFolder | undefined> {
    for (;;) {
      // What changes while it is read is told after.
      this.#unwatch?.()
      this.#unwatch = watchFiles(this.#names, this.#changed)
      const folder = await readModuleFolder(this.#path)
      if (this.#closed) return folder
      const names = namesOf(this.#path, Object.keys(folder?.files ?? {}))
      if (names.join('\n') === this.#names.join('\n')) return folder
      this.#names = names
    }
  }

  close() {
    this.#closed = true
    this.#unwatch?.()
  }
}

/** The folder, all in it, and all between: a folder changes when something is put into it. */
function namesOf(path: string, files: readonly string[]): string[] {
  const between = new Set<string>([path])
  for (const file of files) {
    between.add(`${path}/${file}`)
    for (let above = dirname(file); above !== '.'; above = dirname(above)) between.add(`${path}/${above}`)
  }
  return [...between].sort()
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() || realpathSync(path) !== path
  } catch {
    return false
  }
}

/** In order, so that the same files are always told the same. */
async function filesIn(folder: string, within: string): Promise<string[]> {
  const entries = await readdir(join(folder, within), { withFileTypes: true })
  entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  const found: string[] = []
  for (const entry of entries) found.push(...(await filesOf(folder, join(within, entry.name), entry)))
  if (found.length > MOST_FILES) throw new ModuleFolderFault(`${folder} holds more than ${MOST_FILES} files.`)
  return found
}

/** Links are left out: what they lead to is not what was trusted. */
async function filesOf(folder: string, name: string, entry: Dirent): Promise<string[]> {
  if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesIn(folder, name)
  return entry.isFile() ? [name] : []
}
