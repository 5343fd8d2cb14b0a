// Errors of patches that cannot be applied.
import { invalidParam, ToolError } from '../../../errors.ts'
import { MAX_HASHED_FILE_BYTES } from '../../../host/files/file-snapshot.ts'
import { toPercent } from '../../../text/edit/format-similarity.ts'
import type { DetectedEncoding } from '../../../text/encoding.ts'
import type { PatchNotApplied, UncertainHunk } from '../../../text/patch/apply.ts'
import { PatchSyntaxError } from '../../../text/patch/patch-lines.ts'
import type { PatchSection } from '../../../text/patch/patch-model.ts'
import { describeUncertain, encodingHint, wrongGuessHint } from '../text-errors.ts'
import type { PatchedFile } from './patched-files.ts'

/** Converts a syntax error of the patch, with its line. */
export function toInvalidPatchError(error: unknown): unknown {
  if (!(error instanceof PatchSyntaxError)) return error
  const { details, message } = invalidParam('patch', error.message)
  return new ToolError('INVALID_PARAMS', message, { ...details, patch_line: error.line })
}

export function notTextError({ path, requestedPath, was }: PatchedFile) {
  if (was && !was.bytes)
    return new ToolError(
      'TOO_LARGE',
      `${requestedPath} has ${was.size} bytes; files over ${MAX_HASHED_FILE_BYTES} cannot be patched.`,
      {
        path
      }
    )
  return new ToolError('BINARY_FILE', `${requestedPath} is not a text file.${was ? encodingHint(was.bytes!) : ''}`, {
    path
  })
}

/** Names the failed hunk, and shows the text at its probable location. */
export function hunkNotAppliedError(
  { path, hunks }: PatchSection,
  content: DetectedEncoding,
  { outcome, hunk: at, candidates, places, already }: PatchNotApplied
) {
  const hunk = hunks[at]!
  const name = `Hunk ${at + 1} of ${path} (line ${hunk.line} of the patch)`
  const where = candidates.map(({ start_line, end_line, similarity }) => {
    const lines = start_line === end_line ? `line ${start_line}` : `lines ${start_line} to ${end_line}`
    return `${lines} (${toPercent(similarity)} %)`
  })
  const details = {
    path,
    hunk: at + 1,
    patch_line: hunk.line,
    places,
    already_there: already,
    candidates: candidates.map(candidate => ({ path, ...candidate }))
  }
  if (outcome === 'ambiguous') {
    const text = hunk.lines.every(({ sign }) => sign === '+')
      ? 'adds lines without a position: include some context lines, or write a line from above the position after "@@".'
      : `matches ${places} places: ${where.join(', ')}${places > where.length ? ' …' : ''}. Include more context${hunk.at === undefined ? ', or write a line from above the position after "@@"' : ''}.`
    return new ToolError('AMBIGUOUS_MATCH', `${name} ${text} Nothing was changed.`, details)
  }
  const known = already ? ' The file already contains the result of the hunk.' : ''
  const nearest = where.length > 0 ? ` Nearest: ${where.join(', ')}.` : ''
  const wanted = hunk.lines.map(({ sign, text }) => (sign === '+' ? '' : text)).join('')
  const guess = wrongGuessHint(content, wanted)
  return new ToolError(
    'OLD_TEXT_NOT_FOUND',
    `${name} does not match.${known}${nearest}${guess} Nothing was changed.`,
    details
  )
}

export function uncertainHunkError({ path, hunks }: PatchSection, uncertain: UncertainHunk): ToolError {
  const { hunk: at } = uncertain
  const { line } = hunks[at]!
  const { details, message } = invalidParam(
    'patch',
    `hunk ${at + 1} of ${path} (line ${line} of the patch) ${describeUncertain(uncertain)}`
  )
  return new ToolError('INVALID_PARAMS', message, { ...details, path, hunk: at + 1, patch_line: line })
}
