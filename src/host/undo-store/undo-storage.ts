// What a change of files needs besides the files: where contents are kept, and where it is written down beforehand.
import path from 'node:path'
import { type ImageLimits, Images } from './blob-store.ts'
import { type ChangeLog, changeLogOf } from './write-ahead-log.ts'

export interface Keeping {
  images: Images
  log: ChangeLog
  /** The call that the changes are made for. */
  call?: string
}

const UNLIMITED: ImageLimits = { max_age_days: Infinity, max_bytes: Infinity, max_file_bytes: Infinity }

export const imagesFolder = (stateDir: string) => path.join(stateDir, 'images')

/** That of a state folder. */
export const keepingIn = (stateDir: string, limits: ImageLimits = UNLIMITED): Keeping => ({
  images: new Images(imagesFolder(stateDir), limits),
  log: changeLogOf(stateDir)
})
