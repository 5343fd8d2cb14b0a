// Indents new text by tabs where the file is, and the quote does not show it.
import { leadingWhitespace } from './indent.ts'
import type { Quote } from './quote.ts'

const SPACES_PER_TAB = 4
const FILE_BY_TABS = /^\t/m
const FILE_BY_SPACES = /^ {2}/m

/** Lines that are aligned by spaces behind their tabs. */
const FILE_ALIGNS = /^\t+ {4}/m

interface TabIndent {
  new: string
  /** The spaces of the new text may be meant: the file aligns lines by spaces behind its tabs. */
  isUncertain?: true
}

/**
 * Returns the new text indented by tabs if the file is indented by tabs alone, the new text by multiples of four spaces alone, and
 * the old text not at all; undefined otherwise.
 */
export function indentByTabs(text: string, { old, new: now }: Quote): TabIndent | undefined {
  const indents = indentsOf(now)
  if (indents.length === 0 || !indents.every(isTabWide) || indentsOf(old).length > 0) return undefined
  if (!FILE_BY_TABS.test(text) || FILE_BY_SPACES.test(text)) return undefined
  const tabbed = now.replace(/^(?: {4})+/gm, spaces => '\t'.repeat(spaces.length / SPACES_PER_TAB))
  return { new: tabbed, ...(FILE_ALIGNS.test(text) && { isUncertain: true }) }
}

interface Indent {
  white: string
  /** The first character after it. */
  next: string | undefined
}

function indentsOf(text: string): Indent[] {
  return text.split('\n').flatMap(line => {
    const white = leadingWhitespace(line)
    return white === '' || white.length === line.length ? [] : [{ white, next: line[white.length] }]
  })
}

/** Lines of a block comment stand one space deeper than its beginning. */
function isTabWide({ white, next }: Indent): boolean {
  const rest = white.length % SPACES_PER_TAB
  return /^ +$/.test(white) && (rest === 0 || (rest === 1 && next === '*'))
}
