// What a call must know of editors: which files they hold unsaved, and how a change of one gets there.
import { decode, encode, withEol } from '../text/encoding.ts'
import type { HeldBuffer } from './buffers.ts'

/** A change of a buffer, for the editor that holds it. */
export interface EditorEdit {
  /** The text it is made for; an editor that holds another one by now must refuse. */
  was: HeldBuffer
  /** The whole new text, with line endings as the editor sent them. */
  content: string
}

/** What editors hold of the call's workspace. */
export interface Editors {
  /** Where the change of a file goes that is held: beneath the editor onto the disk, or to the editor. */
  readonly writes: 'disk' | 'editor'
  /** Whether anything is held at all. */
  readonly any: boolean
  /** By canonical path. */
  held(path: string): HeldBuffer | undefined
  beneath(folder: string): HeldBuffer[]
  /** Resolves once the editor has done it; throws where it has not. */
  apply(edit: EditorEdit): Promise<void>
}

/** A buffer that differs from the file on the disk. */
export interface Unsaved {
  buffer: HeldBuffer
  /** What saving it would write, as far as that can be told: in the encoding and the line endings of the file. */
  bytes: Buffer
}

/** Undefined where the buffer is as the file is. */
export function unsavedOf(buffer: HeldBuffer, disk: Buffer | undefined): Unsaved | undefined {
  const bytes = asSaved(buffer.text, disk)
  return disk && bytes.equals(disk) ? undefined : { buffer, bytes }
}

function asSaved(text: string, disk: Buffer | undefined): Buffer {
  const old = disk && decode(disk)
  if (!old) return Buffer.from(text)
  return encode(text.includes('\r\n') ? text : withEol(text, old.eol), old.encoding) ?? Buffer.from(text)
}

/** The text of new content in the line endings that the editor uses for it; undefined where it is no text. */
export function asHeld(content: Buffer, { text }: HeldBuffer): string | undefined {
  const after = content.length === 0 ? '' : decode(content)?.text
  return text.includes('\r\n') ? after : after?.replaceAll('\r\n', '\n')
}
