// Unsaved editor buffers as seen by a call, and the way to apply changes to them.
import type { EditorBuffer } from './editor-buffers.ts'

/** A change of a buffer, sent to its editor. */
export interface EditorEdit {
  /** The text that the change is based on; an editor with a different one must refuse. */
  base: EditorBuffer
  /** The complete new text, with line endings as sent by the editor. */
  content: string
}

/** The editor buffers of the call's workspace. */
export interface EditorBridge {
  /** Destination of changes to a file with an unsaved buffer: the disk, or the editor. */
  readonly writesTo: 'disk' | 'editor'
  /** Returns true if there are any buffers. A function: an object with a getter that is made for each call lives until a major collection. */
  hasBuffers(): boolean
  /** Returns a buffer by canonical path. */
  bufferAt(path: string): EditorBuffer | undefined
  buffersUnder(folder: string): EditorBuffer[]
  /** Resolves once the editor has applied it; throws if it has not. */
  apply(edit: EditorEdit): Promise<void>
}
