// Parses patches in two formats: V4A, whose hunks are located by their text, and unified diffs, which also have line numbers.
import { PatchLines, PatchSyntaxError } from './patch-lines.ts'
import type { Patch } from './patch-model.ts'
import { isUnified, parseUnified } from './unified.ts'
import { isV4a, parseV4a } from './v4a.ts'

/** Limits on the size of one patch. */
const MAX_PATCH = { sections: 2_000, hunks: 20_000 }

/** Parses a patch. `strip` is the number of folders removed from the names of a unified diff; undefined detects it. */
export function parsePatch(text: string, strip?: number): Patch {
  const lines = PatchLines.unwrapped(text)
  if (isV4a(lines)) return assertWithinLimits({ form: 'v4a', ...parseV4a(lines) })
  if (isUnified(lines)) return assertWithinLimits({ form: 'unified', sections: parseUnified(lines, strip), notes: [] })
  throw lines.syntaxError('a patch: "*** Begin Patch", or a unified diff with "--- " and "+++ " lines')
}

function assertWithinLimits(patch: Patch): Patch {
  const { sections } = patch
  const over = sections[MAX_PATCH.sections]
  if (over) throw new PatchSyntaxError(over.line, `expected no more than ${MAX_PATCH.sections} files in one patch.`)
  const hunk = sections.flatMap(({ hunks }) => hunks)[MAX_PATCH.hunks]
  if (hunk) throw new PatchSyntaxError(hunk.line, `expected no more than ${MAX_PATCH.hunks} hunks in one patch.`)
  return patch
}
