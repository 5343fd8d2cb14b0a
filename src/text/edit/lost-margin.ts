// Quotes that lack the indentation of their line, as they are found in its middle: what replaces them gets that indentation, on each
// of its lines.
import { type Eol, withEol } from '../encoding.ts'
import { leadingWhitespace, reindent } from './indent.ts'
import type { Quote, Replacement } from './quote.ts'

/** Ends of lines whose next line is indented, if a comment does not follow. */
const OPENS_BLOCK = /(?:[:{([,=]|[=-]>|\b(?:then|do|else|begin))\s*(?:(?:\/\/|#).*)?$/
/** Begin lines that continue the one before. */
const CONTINUES_LINE = /^\s*[.?&|+*/]/

/**
 * Returns the replacement at `start` of a quote of one whole line, or of one that is deleted, which follows nothing but white space;
 * undefined if a literal replacement is right.
 */
export function replaceAtMargin(text: string, start: number, eol: Eol, quote: Quote): Replacement | undefined {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const margin = text.slice(lineStart, start)
  const end = start + quote.old.length
  if (start === 0 || margin === '' || margin.trim() !== '') return undefined
  if (quote.new === '' && quote.old.endsWith('\n')) return { start: lineStart, end, text: '', match: 'indentation' }
  const [line = '', ...others] = quote.old.replace(/\r?\n$/, '').split('\n')
  if (others.some(other => other.trim() !== '') || !isLineEnd(text, end, quote.old)) return undefined
  const indent = margin + leadingWhitespace(line)
  const lines = withEol(quote.new, 'lf').split('\n')
  if (continuesLiterally(lines, indent))
    return isSurelyLiteral(lines, indent) ? undefined : { start, end, text: withEol(quote.new, eol), isUncertain: true }
  const indented = reindent(lines, new Map([[leadingWhitespace(line), indent]])).join('\n')
  return { start: lineStart, end, text: withEol(indented, eol), match: 'indentation' }
}

const isLineEnd = (text: string, at: number, old: string) =>
  old.endsWith('\n') || at === text.length || text[at] === '\n' || text.startsWith('\r\n', at)

/** Checks if a further line has the indentation of the first: if all lacked that, it would be one level deeper, and so the others. */
function isSurelyLiteral([, ...rest]: readonly string[], indent: string): boolean {
  const later = rest.filter(line => line.trim() !== '')
  return later.length === 0 || later.some(line => leadingWhitespace(line) === indent)
}

/** Checks if only the first line lacks its indentation, or there is no other line. */
function continuesLiterally([first = '', ...rest]: readonly string[], indent: string): boolean {
  const later = rest.filter(line => line.trim() !== '')
  const [next] = later
  if (next === undefined) return true
  if (!later.every(line => line.startsWith(indent))) return false
  // Literally, the next line would stand exactly below the first.
  return leadingWhitespace(next) !== indent || !(OPENS_BLOCK.test(first) || CONTINUES_LINE.test(next))
}
