// Provides the text of a file for a language server: an editor's unsaved buffer, or the content on disk.
import { isUtf8 } from 'node:buffer'
import { lstatSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { decode, type Encoding } from '../../text/encoding.ts'
import type { EditorBuffers } from '../editors/editor-buffers.ts'
import { hashBytes } from '../files/content-source.ts'
import { quotePath } from '../files/errno.ts'
import { isRacyStat, statFingerprint } from '../files/fingerprint.ts'
import { openReadable } from '../files/open-entry.ts'
import { resolveWorkspacePath } from '../files/paths.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../workspace.ts'

/** Maximum document size; larger ones are of no use to servers. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024

export interface DocumentText {
  /** Without a byte order mark. */
  text: string
  hash: string
  /** The text is an editor's unsaved buffer. */
  unsaved?: true
  /** Encoding of a file that is not valid UTF-8: a server that reads it from disk reads another text. */
  foreign?: Encoding
  /** Cheap fingerprint of the file on disk; undefined if a change might go unnoticed. */
  fingerprint?: string | undefined
}

export class DocumentTextProvider {
  readonly #workspace: Workspace
  readonly #buffers: EditorBuffers
  readonly #guard: PathGuard

  constructor(workspace: Workspace, guard: PathGuard, buffers: EditorBuffers) {
    this.#workspace = workspace
    this.#buffers = buffers
    this.#guard = guard
  }

  /** Reads a text. Throws as opening the file would if there is none. The path is canonical. */
  async read(path: string): Promise<DocumentText> {
    const held = this.#buffers.get(this.#workspace.name, path)
    if (held) return { text: stripByteOrderMark(held.text), hash: held.hash, unsaved: true }
    const file = openReadable(this.#workspace, this.#guard, resolveWorkspacePath(this.#workspace, path), path)
    try {
      if (file.size > MAX_DOCUMENT_BYTES)
        throw new ToolError(
          'TOO_LARGE',
          `${quotePath(path)} has ${file.size} bytes; the limit for language servers is ${MAX_DOCUMENT_BYTES}.`,
          {
            path,
            bytes: file.size,
            limit: MAX_DOCUMENT_BYTES
          }
        )
      const bytes = await file.bytes()
      const content = decode(bytes)
      if (content === undefined) throw new ToolError('BINARY_FILE', `${quotePath(path)} is not text.`, { path })
      return {
        text: content.text,
        hash: hashBytes(bytes),
        ...(!isUtf8(bytes) && { foreign: content.encoding }),
        fingerprint: isRacyStat(file.stat) ? undefined : statFingerprint(file.stat)
      }
    } finally {
      file.close()
    }
  }

  /** Checks if the text is still current, as far as the fingerprint reveals. */
  isCurrent(path: string, { hash, unsaved, fingerprint }: DocumentText): boolean {
    const held = this.#buffers.get(this.#workspace.name, path)
    if (held || unsaved) return held?.hash === hash
    if (fingerprint === undefined) return false
    const stat = lstatSync(`${this.#workspace.root}/${path}`, { bigint: true, throwIfNoEntry: false })
    return stat !== undefined && statFingerprint(stat) === fingerprint
  }
}

const stripByteOrderMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text)
