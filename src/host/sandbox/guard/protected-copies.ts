// Copies of the protected files in a workspace, taken before a command that a sandbox cannot keep from changing them: what it
// changed is put back when it has ended.

import type { BigIntStats } from 'node:fs'
import path from 'node:path'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from '../../files/byte-path-fs.ts'
import { foldPath } from '../../files/policy/name-patterns.ts'
import { statIfReachable } from '../../files/policy/server-entries.ts'
import type { Workspace } from '../../workspace.ts'
import { isWithin } from '../path-within.ts'
import { type GuardedEntry, inodeIdentity } from './guarded-tree.ts'
import { tryRestore } from './quarantine.ts'

interface ProtectedFile {
  /** Distinguishes contents and attributes without reading. */
  fingerprint: string
  mode: number
  content: Buffer | string
}

/** Limits of what is copied; the rest is reported as unchecked. */
const MAX_FILES = 10_000
const MAX_BYTES = 32 * 1024 * 1024

/** In git's folders, only what configures or starts programs is protected: a command may commit. */
const GIT_FOLDER = '.git'
const GIT_SETTINGS: ReadonlySet<string> = new Set(['config', 'config.worktree', 'commondir', 'gitdir'])
const GIT_SETTING_FOLDERS: ReadonlySet<string> = new Set(['hooks', 'info'])
const GIT_DATA_FOLDERS: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'lfs', 'rr-cache'])

export class ProtectedCopies {
  readonly #root: string
  /** Protected entries, relative to the root. */
  readonly #entries: readonly string[]
  readonly #files: ReadonlyMap<string, ProtectedFile>
  /** Fingerprints by identity. */
  readonly #fingerprints = new Map<string, string>()
  /** All files that were there, copied or not. */
  readonly #names: ReadonlySet<string>
  /** Number of files that were not copied: there were too many, they were too large, or cannot be read. */
  readonly uncopied: number

  /** Copies the protected files among guarded entries of a workspace. */
  constructor(root: string, guarded: readonly GuardedEntry[]) {
    this.#root = root
    this.#entries = guarded.filter(one => one.writeProtected).map(one => one.path)
    const files = new Map<string, ProtectedFile>()
    let bytes = 0
    this.#names = new Set(this.#list())
    for (const name of this.#names) {
      const stat = statIfReachable(path.join(root, name))
      bytes += Number(stat?.size ?? 0)
      if (files.size === MAX_FILES || bytes > MAX_BYTES) break
      const file = stat && readProtected(path.join(root, name), stat)
      if (file) files.set(name, file)
      if (stat) this.#fingerprints.set(inodeIdentity(stat), fingerprint(stat))
    }
    this.#files = files
    this.uncopied = this.#names.size - files.size
  }

  /** Returns the files that were created, changed or removed since they were copied, relative to the root. */
  findChanged(): string[] {
    const now = new Set(this.#list())
    const changed = [...now].filter(name => this.#hasChanged(name))
    const removed = [...this.#files.keys()].filter(name => !now.has(name))
    return [...changed, ...removed]
  }

  /** Returns those of the entries that are files from before under other names, and were changed. */
  findChangedElsewhere(entries: readonly GuardedEntry[]): string[] {
    return entries.flatMap(({ path: name, identity }) => {
      const known = this.#names.has(name) ? undefined : this.#fingerprints.get(identity)
      const stat = known === undefined ? undefined : statIfReachable(path.join(this.#root, name))
      return stat && fingerprint(stat) !== known ? [name] : []
    })
  }

  /** Puts a file back as it was, if nothing is there now and the protected folder that it belongs to still exists. */
  restore(workspace: Workspace, name: string): void {
    const file = this.#files.get(name)
    if (!file) return
    const entry = this.#entries.find(one => isWithin(name, one)) ?? name
    const inner = path.posix.relative(entry, path.posix.dirname(name)).split('/')
    if (entry !== name && inner[0] !== '')
      for (const at of inner.keys())
        tryRestore(workspace, path.posix.join(entry, ...inner.slice(0, at + 1)), folder => mkdirSync(folder))
    const { content, mode } = file
    tryRestore(workspace, name, place => {
      if (typeof content === 'string') return symlinkSync(content, place)
      writeFileSync(place, content, { flag: 'wx', mode })
      // Not as the umask of this process has it.
      chmodSync(place, mode)
    })
  }

  #hasChanged(name: string): boolean {
    const known = this.#files.get(name)
    // What could not be copied cannot be put back.
    if (!known) return !this.#names.has(name)
    const file = path.join(this.#root, name)
    const stat = statIfReachable(file)
    if (!stat || fingerprint(stat) === known.fingerprint) return false
    const now = readProtected(file, stat)
    return now === undefined || now.mode !== known.mode || !isSame(now.content, known.content)
  }

  #list(): string[] {
    return this.#entries.flatMap(entry => this.#listEntry(entry))
  }

  /** Returns the protected files of an entry: itself, or those in it. */
  #listEntry(entry: string): string[] {
    const isGit = path.basename(foldPath(entry)) === GIT_FOLDER
    const walk = (name: string, isSetting: boolean): string[] =>
      childrenOf(path.join(this.#root, name)).flatMap(child => {
        const place = `${name}/${child.name}`
        const base = foldPath(child.name)
        const settles = isSetting || GIT_SETTING_FOLDERS.has(base)
        if (!child.isDirectory()) return settles || GIT_SETTINGS.has(base) ? [place] : []
        return !isSetting && GIT_DATA_FOLDERS.has(base) ? [] : walk(place, settles)
      })
    const stat = statIfReachable(path.join(this.#root, entry))
    return stat?.isDirectory() ? walk(entry, !isGit) : stat ? [entry] : []
  }
}

function childrenOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Returns undefined for what is neither a file nor a link, or cannot be read. */
function readProtected(file: string, stat: BigIntStats): ProtectedFile | undefined {
  try {
    const known = { fingerprint: fingerprint(stat), mode: Number(stat.mode & 0o7777n) }
    if (stat.isSymbolicLink()) return { ...known, content: readlinkSync(file) }
    return stat.isFile() ? { ...known, content: readFileSync(file) } : undefined
  } catch {
    return undefined
  }
}

const fingerprint = ({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mode, mtimeNs, ctimeNs].join(':')

const isSame = (one: Buffer | string, other: Buffer | string) =>
  typeof one === 'string' || typeof other === 'string' ? one === other : one.equals(other)
