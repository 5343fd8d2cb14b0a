// Finds links and path lists in git's folder that would make git read or write outside the workspace. A workspace may bring a
// folder with any of them, or have one created from ordinary files.
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'

/** Folders whose entries git reads by name. Other entries of `objects` are named by their content hash. */
const CHECKED_FOLDERS = ['', 'info', 'objects', 'objects/info', 'objects/pack', 'refs', 'logs']
/** Entries that are neither read nor executed. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['hooks', 'description', 'branches'])
/** Maximum depth of alternates that git follows. */
const MAX_ALTERNATES = 6
const MAX_ALTERNATES_BYTES = 65_536

/**
 * Returns a path in git's folder at `folder` that leads outside `root`; undefined if all stay inside. Objects may be borrowed from
 * the folders `readable`, too.
 */
export function findExternalPath(folder: string, root: string, readable: readonly string[] = []): string | undefined {
  for (const part of CHECKED_FOLDERS) {
    const found = findExternalLink(path.join(folder, part), root, part === '' ? IGNORED_NAMES : NONE)
    if (found !== undefined) return path.join(part, found)
  }
  const store = path.join(folder, 'objects')
  return hasExternalAlternates(store, [root, ...readable], new Set([store])) ? 'objects/info/alternates' : undefined
}

/** Checks the same for paths that are written by branch name. */
export function hasExternalRefs(folder: string, root: string): boolean {
  const parts = ['refs', 'logs'].map(part => path.join(folder, part))
  for (let at = parts.pop(); at !== undefined; at = parts.pop()) {
    if (findExternalLink(at, root, NONE) !== undefined) return true
    for (const entry of listEntries(at)) if (entry.isDirectory()) parts.push(path.join(at, entry.name))
  }
  return false
}

const NONE: ReadonlySet<string> = new Set()

/** A broken link reveals nothing. */
function findExternalLink(folder: string, root: string, except: ReadonlySet<string>): string | undefined {
  return listEntries(folder).find(entry => {
    if (!entry.isSymbolicLink() || except.has(entry.name)) return false
    const real = realPathIfExists(path.join(folder, entry.name))
    return real !== undefined && !isWithin(real, root)
  })?.name
}

/** Checks if objects are borrowed from an outside folder, transitively. */
function hasExternalAlternates(store: string, folders: readonly string[], seen: Set<string>): boolean {
  const file = path.join(store, 'info/alternates')
  const real = realPathIfExists(file)
  if (real === undefined) return false
  const found = lstatSync(real)
  // Git's treatment of anything but a short file is unknown.
  if (!found.isFile() || found.size > MAX_ALTERNATES_BYTES) return true
  const named = readFileSync(real, 'utf8').split('\n')
  return named
    .filter(line => line !== '' && !line.startsWith('#'))
    .some(line => {
      const other = realPathIfExists(path.resolve(store, line))
      const folder = other && folders.find(one => isWithin(other, one))
      if (other === undefined || folder === undefined || seen.size >= MAX_ALTERNATES) return true
      if (seen.has(other)) return false
      seen.add(other)
      const inner = ['', 'info', 'pack'].some(
        part => findExternalLink(path.join(other, part), folder, NONE) !== undefined
      )
      return inner || hasExternalAlternates(other, folders, seen)
    })
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
