// The text of a file as a language server should see it: what an editor holds of it unsaved, or what is on the disk.
import { lstatSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { decode } from '../../text/encoding.ts'
import type { Buffers } from '../editors/editor-buffers.ts'
import { hashOf } from '../files/content-source.ts'
import { quote } from '../files/errno.ts'
import { FileReader } from '../files/file-reader.ts'
import { isFresh, stampOf } from '../files/fingerprint.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Effects, Workspace } from '../host.ts'

/** No server makes good use of more. */
const MOST_BYTES = 8 * 1024 * 1024

export interface Source {
  /** Without a byte order mark. */
  text: string
  hash: string
  /** An editor holds it. */
  unsaved?: true
  /** Tells cheaply whether the file on the disk is still that; undefined where it may not tell. */
  stamp?: string | undefined
}

export class Sources {
  readonly #workspace: Workspace
  readonly #buffers: Buffers
  readonly #files: FileReader

  constructor(workspace: Workspace, guard: Guard, buffers: Buffers) {
    this.#workspace = workspace
    this.#buffers = buffers
    this.#files = new FileReader(workspace, guard, NO_EFFECTS)
  }

  /** Throws as opening the file would where there is none. The path is canonical. */
  async read(path: string): Promise<Source> {
    const held = this.#buffers.held(this.#workspace.name, path)
    if (held) return { text: withoutMark(held.text), hash: held.hash, unsaved: true }
    const file = this.#files.open(path)
    try {
      if (file.size > MOST_BYTES)
        throw new ToolError('TOO_LARGE', `${quote(path)} has ${file.size} bytes; language servers get ${MOST_BYTES}.`, {
          path,
          bytes: file.size,
          limit: MOST_BYTES
        })
      const bytes = await file.bytes()
      const text = decode(bytes)?.text
      if (text === undefined) throw new ToolError('BINARY_FILE', `${quote(path)} is not text.`, { path })
      return { text, hash: hashOf(bytes), stamp: isFresh(file.stat) ? undefined : stampOf(file.stat) }
    } finally {
      file.close()
    }
  }

  /** Whether what was read is still so, as far as a look tells. */
  isCurrent(path: string, { hash, unsaved, stamp }: Source): boolean {
    const held = this.#buffers.held(this.#workspace.name, path)
    if (held || unsaved) return held?.hash === hash
    if (stamp === undefined) return false
    const stat = lstatSync(`${this.#workspace.root}/${path}`, { bigint: true, throwIfNoEntry: false })
    return stat !== undefined && stampOf(stat) === stamp
  }
}

const withoutMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** It is only looked at. */
const NO_EFFECTS: Effects = {
  signal: new AbortController().signal,
  committed: () => Promise.reject(new Error('Nothing is changed here.')),
  changed: () => {}
}
