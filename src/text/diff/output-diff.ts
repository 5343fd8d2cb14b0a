// Diffs in the outputs of tools: long lines are shortened, and what exceeds the size of an answer is left out.
import { cutDiff } from './cut-diff.ts'
import { shortenLongLines } from './long-lines.ts'

/** Maximum number of bytes of the diffs of an output as JSON: an answer has them twice, for programs and in its text. */
const MAX_BYTES = 20 * 1024

interface DiffFields {
  diff?: string | undefined
  git_patch?: string | undefined
}

interface LimitedDiff {
  diff_truncated?: true
}

/** Limits the diff of an output. */
export const limitOutputDiff = <F extends DiffFields>(output: F): F & LimitedDiff => limitOutputDiffs([output])[0]!

/** Limits the diffs of several files: the first ones get the room. A patch for git is left out where it does not fit. */
export function limitOutputDiffs<F extends DiffFields>(files: readonly F[]): (F & LimitedDiff)[] {
  let room = MAX_BYTES
  return files.map(({ git_patch, ...file }) => {
    const shown = file.diff === undefined ? undefined : cutDiff(shortenLongLines(file.diff), Math.max(0, room))
    room -= countJsonBytes(shown?.diff)
    const patch = git_patch !== undefined && countJsonBytes(git_patch) <= room ? { git_patch } : {}
    room -= countJsonBytes(patch.git_patch)
    const isWhole = (shown?.missing ?? 0) === 0 && patch.git_patch === git_patch
    return {
      ...file,
      ...(shown && { diff: shown.diff }),
      ...patch,
      ...(!isWhole && { diff_truncated: true as const })
    } as F & LimitedDiff
  })
}

const countJsonBytes = (text = '') => Buffer.byteLength(JSON.stringify(text)) - 2
