// Rewrites the index of a repository for a view that has one of its folders alone: git takes the files outside of it for left out
// (`skip-worktree`), as in a sparse checkout, and not for deleted.
// Format: https://git-scm.com/docs/index-format
import { createHash } from 'node:crypto'

const HEADER_LENGTH = 12
/** Times, device, inode, mode, owner and size, before the object id. */
const STAT_LENGTH = 40
const FLAGS_LENGTH = 2
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000
const VERSION_WITH_EXTENDED = 3
const VERSION_COMPRESSED = 4
const ALIGNMENT = 8
/** Required extensions begin with a lower-case letter: the entries cannot be understood without them. */
const REQUIRED_EXTENSION = /^[a-z]/
/** An extension that marks an index with folders instead of their files; without any it may be left out. */
const SPARSE_EXTENSION = 'sdir'
const FOLDER_MODE = 0o40000

type HashName = 'sha1' | 'sha256'
const HASH_LENGTHS: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32 }

/**
 * Returns the index with all entries outside of `folder`, a path in the repository, marked as left out; undefined if there is no
 * entry in it, or the index is of another kind. Optional extensions, which are caches, are left out.
 */
export function toPartialIndex(index: Buffer, folder: string, hash: HashName): Buffer | undefined {
  const idLength = HASH_LENGTHS[hash]
  if (index.length < HEADER_LENGTH + idLength || index.toString('latin1', 0, 4) !== 'DIRC') return undefined
  const version = index.readUInt32BE(4)
  if (version < 2 || version > VERSION_COMPRESSED) return undefined
  const reader = new EntryReader(index, version, idLength)
  const inside = Buffer.from(`${folder}/`)
  const parts: Buffer[] = [toHeader(index, version)]
  let found = false
  for (let count = index.readUInt32BE(8); count > 0; count--) {
    const entry = reader.next()
    if (!entry || (entry.mode & 0o170000) === FOLDER_MODE) return undefined
    const isInside = entry.path.subarray(0, inside.length).equals(inside)
    found ||= isInside
    parts.push(
      isInside ? encode(entry, version, entry.extended) : encode(entry, version, entry.extended | SKIP_WORKTREE)
    )
  }
  if (!found || hasRequiredExtension(index, reader.at, idLength)) return undefined
  const content = Buffer.concat(parts)
  return Buffer.concat([content, createHash(hash).update(content).digest()])
}

interface IndexEntry {
  mode: number
  /** Stat data and object id. */
  facts: Buffer
  flags: number
  extended: number
  path: Buffer
  /** The path as it is stored, with its terminator: without the part that it shares with the path before, if compressed. */
  stored: Buffer
}

class EntryReader {
  readonly #index: Buffer
  readonly #version: number
  readonly #idLength: number
  #previous: Buffer = Buffer.alloc(0)
  at = HEADER_LENGTH

  constructor(index: Buffer, version: number, idLength: number) {
    this.#index = index
    this.#version = version
    this.#idLength = idLength
  }

  /** Returns undefined if the index ends before the entry does. */
  next(): IndexEntry | undefined {
    const start = this.at
    const flagsAt = start + STAT_LENGTH + this.#idLength
    if (flagsAt + 2 * FLAGS_LENGTH > this.#index.length) return undefined
    const flags = this.#index.readUInt16BE(flagsAt)
    const hasExtended = (flags & EXTENDED) !== 0
    const extended = hasExtended ? this.#index.readUInt16BE(flagsAt + FLAGS_LENGTH) : 0
    const nameAt = flagsAt + FLAGS_LENGTH + (hasExtended ? FLAGS_LENGTH : 0)
    const isCompressed = this.#version === VERSION_COMPRESSED
    const { removed, textAt } = isCompressed ? readVariableLength(this.#index, nameAt) : { removed: 0, textAt: nameAt }
    const end = this.#index.indexOf(0, textAt)
    if (end < 0) return undefined
    const text = this.#index.subarray(textAt, end)
    const path = isCompressed
      ? Buffer.concat([this.#previous.subarray(0, this.#previous.length - removed), text])
      : text
    this.#previous = path
    this.at = isCompressed ? end + 1 : start + pad(end - start)
    return {
      mode: this.#index.readUInt32BE(start + 24),
      facts: this.#index.subarray(start, flagsAt),
      flags,
      extended,
      path,
      stored: this.#index.subarray(nameAt, end + 1)
    }
  }
}

/** Returns the length of an entry with at least one zero after its path. */
const pad = (length: number) => Math.floor(length / ALIGNMENT + 1) * ALIGNMENT

/** Reads how many bytes of the previous path to remove, as git encodes offsets. */
function readVariableLength(index: Buffer, start: number): { removed: number; textAt: number } {
  let at = start
  let byte = index[at++]!
  let removed = byte & 0x7f
  while (byte & 0x80) {
    byte = index[at++] ?? 0
    removed = (removed + 1) * 0x80 + (byte & 0x7f)
  }
  return { removed, textAt: at }
}

function toHeader(index: Buffer, version: number): Buffer {
  const header = Buffer.from(index.subarray(0, HEADER_LENGTH))
  header.writeUInt32BE(Math.max(version, VERSION_WITH_EXTENDED), 4)
  return header
}

function encode({ facts, flags, stored }: IndexEntry, version: number, extended: number): Buffer {
  const isExtended = extended !== 0
  const words = Buffer.alloc(isExtended ? 2 * FLAGS_LENGTH : FLAGS_LENGTH)
  words.writeUInt16BE(isExtended ? flags | EXTENDED : flags & ~EXTENDED)
  if (isExtended) words.writeUInt16BE(extended, FLAGS_LENGTH)
  const length = facts.length + words.length + stored.length
  const padding = version === VERSION_COMPRESSED ? 0 : pad(length - 1) - length
  return Buffer.concat([facts, words, stored, Buffer.alloc(padding)])
}

/** Checks the extensions between the entries and the checksum. */
function hasRequiredExtension(index: Buffer, start: number, idLength: number): boolean {
  for (let at = start; at + 8 <= index.length - idLength; ) {
    const name = index.toString('latin1', at, at + 4)
    if (REQUIRED_EXTENSION.test(name) && name !== SPARSE_EXTENSION) return true
    at += 8 + index.readUInt32BE(at + 4)
  }
  return false
}
