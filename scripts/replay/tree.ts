// File trees as values: written to disk, read back, compared.
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

/** A file with its permission bits and bytes, or a link and its target. */
export type FileEntry = { mode: number; bytes: Buffer } | { target: string }

/** By path. Folders exist only if not empty. */
export type FileTree = ReadonlyMap<string, FileEntry>

export const isSameFileEntry = (a: FileEntry | undefined, b: FileEntry | undefined): boolean => {
  if (!a || !b) return a === b
  if ('target' in a || 'target' in b) return 'target' in a && 'target' in b && a.target === b.target
  return a.mode === b.mode && a.bytes.equals(b.bytes)
}

/** Returns the paths at which two trees differ. */
export const compareFileTrees = (a: FileTree, b: FileTree): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter(name => !isSameFileEntry(a.get(name), b.get(name)))

export function readFileTree(folder: string): FileTree {
  const tree = new Map<string, FileEntry>()
  const folders = ['']
  for (const below of folders)
    for (const found of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const name = path.join(below, found.name)
      if (found.isDirectory()) folders.push(name)
      else tree.set(name, readFileEntry(path.join(folder, name)))
    }
  return tree
}

function readFileEntry(file: string): FileEntry {
  const stat = lstatSync(file)
  return stat.isSymbolicLink() ? { target: readlinkSync(file) } : { mode: stat.mode & 0o777, bytes: readFileSync(file) }
}

/** Makes a folder contain exactly this tree. */
export function writeFileTree(folder: string, tree: FileTree) {
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
