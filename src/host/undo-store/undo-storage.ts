// The blob store and write-ahead log used by file mutations.
import path from 'node:path'
import { type BlobLimits, BlobStore } from './blob-store.ts'
import { type WriteAheadLog, writeAheadLogFor } from './write-ahead-log.ts'

export interface UndoStorage {
  blobs: BlobStore
  log: WriteAheadLog
  /** The call for which the changes are made. */
  call?: string
}

const NO_LIMITS: BlobLimits = { max_age_days: Infinity, max_bytes: Infinity, max_file_bytes: Infinity }

export const blobsFolder = (stateDir: string) => path.join(stateDir, 'images')

/** Opens the undo storage of a state folder. */
export const openUndoStorage = (stateDir: string, limits: BlobLimits = NO_LIMITS): UndoStorage => ({
  blobs: new BlobStore(blobsFolder(stateDir), limits),
  log: writeAheadLogFor(stateDir)
})
