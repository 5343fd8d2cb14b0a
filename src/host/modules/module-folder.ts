// Inspects a folder of modules: its modules, and the hash of everything that they can load there by path. Trust in a module is
// bound to that hash.
import { type Dirent, lstatSync, realpathSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sha256Hex } from '../trust/sha256.ts'
import { watchFiles } from '../watch-files.ts'

export interface ModuleFolder {
  path: string
  /** SHA-256 of each file by its path in the folder. */
  files: Readonly<Record<string, string>>
  /** Hash of all files with their paths. */
  sha256: string
}

/** The folder is invalid. */
export class ModuleFolderError extends Error {}

const MAX_FILES = 500
const MAX_BYTES = 8 * 1024 * 1024
const SKIPPED_NAMES: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Returns undefined if the folder does not exist. */
export async function readModuleFolder(path: string): Promise<ModuleFolder | undefined> {
  if (!isFolderOrLink(path)) return undefined
  if (realpathSync(path) !== path)
    throw new ModuleFolderError(`${path} is reached through a link. Use a folder that is not a link.`)
  const files: Record<string, string> = {}
  let bytes = 0
  const names = await listFiles(path, '')
  for (const name of names) {
    bytes += (await stat(join(path, name))).size
    if (bytes > MAX_BYTES) throw new ModuleFolderError(`${path} has more than ${MAX_BYTES} bytes.`)
    files[name] = sha256Hex(await readFile(join(path, name)))
  }
  return { path, files, sha256: sha256Hex(names.map(name => `${files[name]}  ${name}\n`).join('')) }
}

/** Returns the modules of a folder: files directly in it, except names that begin with `_`, type declarations and tests. */
export const listModules = ({ files }: ModuleFolder): string[] =>
  Object.keys(files).filter(name => MODULE_PATTERN.test(name) && !NON_MODULE_PATTERN.test(name))
const MODULE_PATTERN = /^[^/]+\.(?:ts|mts|js|mjs)$/
const NON_MODULE_PATTERN = /^[_.]|\.d\.m?ts$|\.test\.m?[jt]s$/

/** A folder of modules that is watched. */
export class WatchedModuleFolder {
  readonly #path: string
  readonly #onChange: () => void
  #names: readonly string[]
  #unwatch: (() => void) | undefined
  #closed = false

  /** `changed` is called when it differs from the last read. */
  constructor(path: string, changed: () => void) {
    this.#path = path
    this.#onChange = changed
    this.#names = [path]
  }

  /** Reads the current state; see `readModuleFolder`. */
  async read(): Promise<ModuleFolder | undefined> {
    for (;;) {
      // Changes during the read are reported afterwards.
      this.#unwatch?.()
      this.#unwatch = watchFiles(this.#names, this.#onChange)
      const folder = await readModuleFolder(this.#path)
      if (this.#closed) return folder
      const names = watchedPaths(this.#path, Object.keys(folder?.files ?? {}))
      if (names.join('\n') === this.#names.join('\n')) return folder
      this.#names = names
    }
  }

  close() {
    this.#closed = true
    this.#unwatch?.()
  }
}

/** Returns the folder, its files, and the folders in between: a folder changes when an entry is added. */
function watchedPaths(path: string, files: readonly string[]): string[] {
  const between = new Set<string>([path])
  for (const file of files) {
    between.add(`${path}/${file}`)
    for (let above = dirname(file); above !== '.'; above = dirname(above)) between.add(`${path}/${above}`)
  }
  return [...between].sort()
}

function isFolderOrLink(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() || realpathSync(path) !== path
  } catch {
    return false
  }
}

/** Sorted, so that the result is deterministic. */
async function listFiles(folder: string, within: string): Promise<string[]> {
  const entries = await readdir(join(folder, within), { withFileTypes: true })
  entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  const found: string[] = []
  for (const entry of entries) found.push(...(await listEntryFiles(folder, join(within, entry.name), entry)))
  if (found.length > MAX_FILES) throw new ModuleFolderError(`${folder} has more than ${MAX_FILES} files.`)
  return found
}

/** Links are omitted: their targets are not part of the trusted content. */
async function listEntryFiles(folder: string, name: string, entry: Dirent): Promise<string[]> {
  if (entry.isDirectory()) return SKIPPED_NAMES.has(entry.name) ? [] : listFiles(folder, name)
  return entry.isFile() ? [name] : []
}
