// Links and lists in git's own folder by which it would read, or write, what is somebody else's. A workspace may bring a
// folder that holds any of them, or have one made of ordinary files.
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isBeneath, realIfThere } from '../sandbox/path-within.ts'

/** Folders in which git reads each entry by its name. What is in those of `objects` besides is named by what it holds. */
const READ = ['', 'info', 'objects', 'objects/info', 'objects/pack', 'refs', 'logs']
/** Nothing of them is read or run. */
const UNREAD: ReadonlySet<string> = new Set(['hooks', 'description', 'branches'])
/** As many as git follows. */
const MOST_STORES = 6
const LONGEST = 65_536

/** Where git's folder at `folder` leads out of `root`: a path within it. Undefined where all stays inside. */
export function leadingOut(folder: string, root: string): string | undefined {
  for (const part of READ) {
    const found = linkOut(path.join(folder, part), root, part === '' ? UNREAD : NONE)
    if (found !== undefined) return path.join(part, found)
  }
  const store = path.join(folder, 'objects')
  return storesOut(store, root, new Set([store])) ? 'objects/info/alternates' : undefined
}

/** The same for what is written by the name of a branch. */
export function refsLeadOut(folder: string, root: string): boolean {
  const parts = ['refs', 'logs'].map(part => path.join(folder, part))
  for (let at = parts.pop(); at !== undefined; at = parts.pop()) {
    if (linkOut(at, root, NONE) !== undefined) return true
    for (const entry of entriesOf(at)) if (entry.isDirectory()) parts.push(path.join(at, entry.name))
  }
  return false
}

const NONE: ReadonlySet<string> = new Set()

/** A link that leads nowhere shows nothing. */
function linkOut(folder: string, root: string, except: ReadonlySet<string>): string | undefined {
  return entriesOf(folder).find(entry => {
    if (!entry.isSymbolicLink() || except.has(entry.name)) return false
    const real = realIfThere(path.join(folder, entry.name))
    return real !== undefined && !isBeneath(real, root)
  })?.name
}

/** Whether objects are borrowed from a folder outside, at any remove. */
function storesOut(store: string, root: string, seen: Set<string>): boolean {
  const file = path.join(store, 'info/alternates')
  const real = realIfThere(file)
  if (real === undefined) return false
  const found = lstatSync(real)
  // What git makes of anything but a short file nobody knows.
  if (!found.isFile() || found.size > LONGEST) return true
  const named = readFileSync(real, 'utf8').split('\n')
  return named
    .filter(line => line !== '' && !line.startsWith('#'))
    .some(line => {
      const other = realIfThere(path.resolve(store, line))
      if (other === undefined || !isBeneath(other, root) || seen.size >= MOST_STORES) return true
      if (seen.has(other)) return false
      seen.add(other)
      const inner = ['', 'info', 'pack'].some(part => linkOut(path.join(other, part), root, NONE) !== undefined)
      return inner || storesOut(other, root, seen)
    })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
