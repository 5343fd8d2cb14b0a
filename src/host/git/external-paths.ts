// Links and lists in git's own folder by which it would read, or write, what is somebody else's. A workspace may bring a
// folder that holds any of them, or have one made of ordinary files.
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isWithin, realPathIfExists } from '../sandbox/path-within.ts'

/** Folders in which git reads each entry by its name. What is in those of `objects` besides is named by what it holds. */
const CHECKED_FOLDERS = ['', 'info', 'objects', 'objects/info', 'objects/pack', 'refs', 'logs']
/** Nothing of them is read or run. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['hooks', 'description', 'branches'])
/** As many as git follows. */
const MAX_ALTERNATES = 6
const MAX_ALTERNATES_BYTES = 65_536

/** Where git's folder at `folder` leads out of `root`: a path within it. Undefined where all stays inside. */
export function findExternalPath(folder: string, root: string): string | undefined {
  for (const part of CHECKED_FOLDERS) {
    const found = findExternalLink(path.join(folder, part), root, part === '' ? IGNORED_NAMES : NONE)
    if (found !== undefined) return path.join(part, found)
  }
  const store = path.join(folder, 'objects')
  return hasExternalAlternates(store, root, new Set([store])) ? 'objects/info/alternates' : undefined
}

/** The same for what is written by the name of a branch. */
export function hasExternalRefs(folder: string, root: string): boolean {
  const parts = ['refs', 'logs'].map(part => path.join(folder, part))
  for (let at = parts.pop(); at !== undefined; at = parts.pop()) {
    if (findExternalLink(at, root, NONE) !== undefined) return true
    for (const entry of listEntries(at)) if (entry.isDirectory()) parts.push(path.join(at, entry.name))
  }
  return false
}

const NONE: ReadonlySet<string> = new Set()

/** A link that leads nowhere shows nothing. */
function findExternalLink(folder: string, root: string, except: ReadonlySet<string>): string | undefined {
  return listEntries(folder).find(entry => {
    if (!entry.isSymbolicLink() || except.has(entry.name)) return false
    const real = realPathIfExists(path.join(folder, entry.name))
    return real !== undefined && !isWithin(real, root)
  })?.name
}

/** Whether objects are borrowed from a folder outside, at any remove. */
function hasExternalAlternates(store: string, root: string, seen: Set<string>): boolean {
  const file = path.join(store, 'info/alternates')
  const real = realPathIfExists(file)
  if (real === undefined) return false
  const found = lstatSync(real)
  // What git makes of anything but a short file nobody knows.
  if (!found.isFile() || found.size > MAX_ALTERNATES_BYTES) return true
  const named = readFileSync(real, 'utf8').split('\n')
  return named
    .filter(line => line !== '' && !line.startsWith('#'))
    .some(line => {
      const other = realPathIfExists(path.resolve(store, line))
      if (other === undefined || !isWithin(other, root) || seen.size >= MAX_ALTERNATES) return true
      if (seen.has(other)) return false
      seen.add(other)
      const inner = ['', 'info', 'pack'].some(
        part => findExternalLink(path.join(other, part), root, NONE) !== undefined
      )
      return inner || hasExternalAlternates(other, root, seen)
    })
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
