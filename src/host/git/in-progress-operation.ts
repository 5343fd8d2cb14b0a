// Detects operations in progress in a working tree, such as a merge or a rebase.
import { existsSync } from 'node:fs'
import path from 'node:path'

export const IN_PROGRESS_OPERATIONS = ['merge', 'rebase', 'am', 'cherry-pick', 'revert', 'bisect'] as const
export type InProgressOperation = (typeof IN_PROGRESS_OPERATIONS)[number]

/** By the first file that git creates for it. */
const STATE_FILES: readonly [file: string, operation: InProgressOperation][] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'cherry-pick'],
  ['BISECT_LOG', 'bisect']
]

export const detectOperation = (git_dir: string): InProgressOperation | undefined =>
  STATE_FILES.find(([file]) => existsSync(path.join(git_dir, file)))?.[1]
