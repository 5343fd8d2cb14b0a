// Encodes the new text of a file, with what a review needs.
import { binaryDiff } from '../diff/binary-diff.ts'
import { type Diff, unifiedDiff } from '../diff/unified-diff.ts'
import { type EditableText, type Encoding, encode, toDisplayText } from '../encoding.ts'
import { findHiddenAscii } from '../hidden-ascii.ts'

/** The new content of a file, with the information for a review. */
export interface ChangedText {
  bytes: Uint8Array
  diff: Diff
  encoding: Encoding
  guessed?: true
  /** As `findHiddenAscii` returns it. */
  hiddenAscii?: string
  /** For git, if the file is not in valid UTF-8, so that a diff of its text does not match its bytes. */
  git_patch?: string
}

interface TextChange {
  path: string
  bytes: Uint8Array
  before: EditableText
  text: string
  /** That of the texts, if there is no better one. */
  diff: Diff | undefined
}

/** Encodes a new text like the file's. The encoding has all of its characters. */
export function changeText({ path, bytes, before, text, diff }: TextChange): ChangedText {
  const after = encode(text, before.encoding)!
  const mark = before.encoding === 'utf-8-bom' ? '\ufeff' : ''
  const shown = diff ?? unifiedDiff(path, mark + toDisplayText(before.text), mark + toDisplayText(text))
  const plain = before.encoding.startsWith('utf-8') && before.text.isWellFormed()
  const hiddenAscii = findHiddenAscii(before, { text, encoding: before.encoding })
  return {
    bytes: after,
    diff: shown,
    encoding: before.encoding,
    ...(before.guessed && { guessed: true }),
    ...(hiddenAscii !== undefined && { hiddenAscii }),
    ...(!plain && { git_patch: binaryDiff({ path, bytes }, { path, bytes: after }) })
  }
}
