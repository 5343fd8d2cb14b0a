// What was begun in a working tree and waits there to be ended.
import { existsSync } from 'node:fs'
import path from 'node:path'

export const OPERATIONS = ['merge', 'rebase', 'am', 'cherry-pick', 'revert', 'bisect'] as const
export type Operation = (typeof OPERATIONS)[number]

/** By the first file that git keeps for it. */
const MARKS: readonly [file: string, operation: Operation][] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'cherry-pick'],
  ['BISECT_LOG', 'bisect']
]

export const operationIn = (git_dir: string): Operation | undefined =>
  MARKS.find(([file]) => existsSync(path.join(git_dir, file)))?.[1]
