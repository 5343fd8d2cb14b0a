// The steps of a change over several files, which happens whole or not at all.

import type { StoredBlob } from '../../undo-store/stored-blob.ts'
import type { LineChangeCounter } from '../content-source.ts'
import type { FileSnapshot } from '../file-reader.ts'

/** One step. What a step finds must still be what its maker found (`was`), or nothing of the whole change happens. */
export type TransactionStep =
  /** Replaces a file (`was`), or makes one where nothing is. A file keeps its permission bits unless `mode` gives others. */
  | {
      do: 'write'
      path: string
      was?: FileSnapshot
      content: Uint8Array | StoredBlob
      mode?: number
      lines?: LineChangeCounter
    }
  /** Moves a file (`was`) to where nothing is, with new content or mode if given. Without `was`, a folder with all it
   * holds: then no other step is about anything beneath either place. */
  | {
      do: 'move'
      path: string
      to: string
      was?: FileSnapshot
      content?: Uint8Array | StoredBlob
      mode?: number
      lines?: LineChangeCounter
    }
  /** Removes a file (`was`), a symbolic link, or an empty folder. */
  | { do: 'remove'; path: string; was?: FileSnapshot }
  /** Makes a symbolic link where nothing is. It is never followed on the way. */
  | { do: 'link'; path: string; target: string }
  /** Makes a folder, with these permission bits if given; one that is there already stays as it is. */
  | { do: 'folder'; path: string; mode?: number }
