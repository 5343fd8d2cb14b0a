// Files as values: put on the disk, read back, compared.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'

/** A file with its permission bits and bytes, or a link and where it leads; as text that can be compared. */
export type Entry = { mode: number; bytes: Buffer } | { target: string }

/** By path. Folders are there where something is in them. */
export type Tree = ReadonlyMap<string, Entry>

export const isSame = (a: Entry | undefined, b: Entry | undefined): boolean => {
  if (!a || !b) return a === b
  if ('target' in a || 'target' in b) return 'target' in a && 'target' in b && a.target === b.target
  return a.mode === b.mode && a.bytes.equals(b.bytes)
}

/** Paths at which two trees differ. */
export const differences = (a: Tree, b: Tree): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter(name => !isSame(a.get(name), b.get(name)))

export function read(folder: string): Tree {
  const tree = new Map<string, Entry>()
  const folders = ['']
  for (const below of folders)
    for (const found of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const name = path.join(below, found.name)
      if (found.isDirectory()) folders.push(name)
      else tree.set(name, entry(path.join(folder, name)))
    }
  return tree
}

function entry(file: string): Entry {
  const stat = lstatSync(file)
  return stat.isSymbolicLink() ? { target: readlinkSync(file) } : { mode: stat.mode & 0o777, bytes: readFileSync(file) }
}

/** Makes a folder hold this and nothing else. */
export function write(folder: string, tree: Tree) {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true })
  for (const [name, entry] of tree) {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    if ('target' in entry) symlinkSync(entry.target, file)
    else {
      writeFileSync(file, entry.bytes)
      chmodSync(file, entry.mode)
    }
  }
}
