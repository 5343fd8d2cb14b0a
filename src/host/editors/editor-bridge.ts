// What a call must know of editors: which files they hold unsaved, and how a change of one gets there.
import type { EditorBuffer } from './editor-buffers.ts'

/** A change of a buffer, for the editor that holds it. */
export interface EditorEdit {
  /** The text it is made for; an editor that holds another one by now must refuse. */
  base: EditorBuffer
  /** The whole new text, with line endings as the editor sent them. */
  content: string
}

/** What editors hold of the call's workspace. */
export interface EditorBridge {
  /** Where the change of a file goes that is held: beneath the editor onto the disk, or to the editor. */
  readonly writesTo: 'disk' | 'editor'
  /** Whether anything is held at all. */
  readonly hasBuffers: boolean
  /** By canonical path. */
  bufferAt(path: string): EditorBuffer | undefined
  buffersUnder(folder: string): EditorBuffer[]
  /** Resolves once the editor has done it; throws where it has not. */
  apply(edit: EditorEdit): Promise<void>
}
