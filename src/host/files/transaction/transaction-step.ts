// Steps of an atomic multi-file transaction.

import type { StoredBlob } from '../../undo-store/stored-blob.ts'
import type { LineChangeCounter } from '../content-source.ts'
import type { FileSnapshot } from '../file-snapshot.ts'

/** One step. The entries it finds must still match their preconditions (`was`), or nothing of the transaction is applied. */
export type TransactionStep =
  /** Replaces a file (`was`), or creates one at a free path. A file retains its permission bits unless `mode` is given. */
  | {
      do: 'write'
      path: string
      was?: FileSnapshot
      content: Uint8Array | StoredBlob
      mode?: number
      /** Extended attributes of a new file, as they were stored. */
      attributes?: Buffer
      lines?: LineChangeCounter
    }
  /**
   * Moves a file (`was`) to a free path, with new content or mode if given. Without `was`, moves a folder recursively: no other
   * step may then concern a descendant of either path.
   */
  | {
      do: 'move'
      path: string
      to: string
      was?: FileSnapshot
      content?: Uint8Array | StoredBlob
      mode?: number
      lines?: LineChangeCounter
    }
  /** Removes a file (`was`), a symbolic link, an empty folder, a pipe, a socket or a device. */
  | { do: 'remove'; path: string; was?: FileSnapshot }
  /** Creates a symbolic link at a free path. It is never followed during path resolution. */
  | { do: 'link'; path: string; target: string }
  /** Creates a folder, with these permission bits if given; an existing one is left unchanged. */
  | { do: 'folder'; path: string; mode?: number }
  /** Changes the permission bits of a folder that stays where it is. */
  | { do: 'chmod'; path: string; mode: number }
