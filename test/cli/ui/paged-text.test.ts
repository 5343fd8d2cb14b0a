// Tests of pages of text: nothing on a page has left the screen before its prompt is shown.
// tier: quick
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { PagedText } from '../../../src/cli/ui/paged-text.ts'

const SIZE = { rows: 13, columns: 41 }
/** Rows that are left for the text. */
const ROWS = 10

/** Returns all pages of a text. */
function listPages(text: string): string[] {
  const paged = new PagedText(text)
  const pages: string[] = []
  while (!paged.isComplete) pages.push(paged.takePage(SIZE))
  return pages
}

t.test('lines that fit share a page', async t => {
  t.same(
    listPages(Array.from({ length: 25 }, (_, i) => `line ${i}`).join('\n')).map(page => page.split('\n').length),
    [10, 10, 5]
  )
  t.same(listPages(''), [''])
})

t.test('wide characters and tabs count as the columns that they take', async t => {
  t.same(listPages(Array(12).fill('漢'.repeat(40)).join('\n')).length, 3)
  t.same(listPages(Array(12).fill('\t\t\tx'.repeat(2)).join('\n')).length, 3)
})

t.test('a line that is longer than a page is shown in parts', async t => {
  const long = Array.from({ length: 1_000 }, (_, i) => `${i} `).join('')
  for (const line of [long, `\u001b[32m${long}\u001b[39m`, long.replaceAll(' ', '漢')]) {
    const pages = listPages(`before\n${line}\nafter`)
    t.equal(pages[0], 'before')
    t.ok(pages.length >= long.length / (ROWS * 41))
    t.equal(pages.slice(1).join(''), `${stripVTControlCharacters(line)}\nafter`)
  }
})

t.test('says how many lines have been shown', async t => {
  const paged = new PagedText(`a\n${'x'.repeat(1_000)}\nb`)
  const positions: string[] = []
  while (!paged.isComplete) {
    paged.takePage(SIZE)
    positions.push(paged.position)
  }
  t.same(positions, ['line 1 of 3', 'line 1 of 3', 'line 1 of 3', 'line 3 of 3'])
})
