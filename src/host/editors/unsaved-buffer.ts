// Unsaved buffers of editors compared with the file on disk, and edits applied in them.
import { ToolError } from '../../errors.ts'
import { decode, type Encoding, encode, withEol } from '../../text/encoding.ts'
import { isLegacyEncoding } from '../../text/legacy-encodings.ts'
import type { Effects } from '../effects.ts'
import { type ContentSource, hashBytes } from '../files/content-source.ts'
import { quotePath } from '../files/errno.ts'
import type { EditorBuffer } from './editor-buffers.ts'

/** A buffer that differs from the file on disk. */
export interface UnsavedBuffer {
  buffer: EditorBuffer
  /** Content that saving would write, as far as it can be determined: in the encoding and the line endings of the file. */
  bytes: Buffer
  encoding: Encoding
  /** Hash of the file on disk, if there is one. */
  diskHash: string | undefined
}

/** Returns undefined if the buffer equals the file. */
export function compareWithDisk(buffer: EditorBuffer, disk: Buffer | undefined): UnsavedBuffer | undefined {
  const { bytes, encoding } = encodeAsSaved(buffer.text, disk)
  return disk && bytes.equals(disk) ? undefined : { buffer, bytes, encoding, diskHash: disk && hashBytes(disk) }
}

function encodeAsSaved(text: string, disk: Buffer | undefined): { bytes: Buffer; encoding: Encoding } {
  const old = disk && decode(disk)
  const bytes = old && encode(text.includes('\r\n') ? text : withEol(text, old.eol), old.encoding)
  return bytes ? { bytes, encoding: old.encoding } : { bytes: Buffer.from(text), encoding: 'utf-8' }
}

/** Sends new content to the editor that has the file open. Nothing changes on disk, so no change is reported. */
export async function applyInEditorBuffer(
  { editors, commitIntent, signal }: Effects,
  was: UnsavedBuffer,
  content: ContentSource
) {
  const { buffer } = was
  const { path, client } = buffer
  const bytes = content instanceof Uint8Array ? Buffer.from(content) : await content.bytes(signal)
  const text = bytes && decodeForEditor(bytes, was)
  if (bytes === undefined || text === undefined)
    throw new ToolError(
      'BINARY_FILE',
      `${quotePath(path)} has unsaved changes in ${client}, and its new content is not text.`,
      {
        path,
        client
      }
    )
  await commitIntent()
  signal.throwIfAborted()
  if (editors?.bufferAt(path)?.hash !== buffer.hash)
    throw new ToolError('STALE_FILE', `${quotePath(path)} changed in ${client} during the edit. Send the call again.`, {
      path,
      client
    })
  await editors.apply({ base: buffer, content: text })
  return { path, size: bytes.length, hash: hashBytes(bytes) }
}

/** Decodes new content with the editor's line endings; undefined for binary content. */
function decodeForEditor(bytes: Buffer, { buffer, encoding }: UnsavedBuffer): string | undefined {
  // A guess by the new bytes might differ.
  const after = bytes.length === 0 ? '' : decode(bytes, isLegacyEncoding(encoding) ? encoding : undefined)?.text
  return buffer.text.includes('\r\n') ? after : after?.replaceAll('\r\n', '\n')
}
