// Patches of either form: V4A, which finds its places by their text, and unified diffs, which also name line numbers.
import { PatchLines, PatchSyntaxError } from './patch-lines.ts'
import type { Patch } from './patch-model.ts'
import { isUnified, parseUnified } from './unified.ts'
import { isV4a, parseV4a } from './v4a.ts'

/** What is worked out at once has its limits. */
const MAX_PATCH = { sections: 2_000, hunks: 20_000 }

/** Reads a patch. `strip` is how many folders are left off the names of a unified diff; undefined finds out. */
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
