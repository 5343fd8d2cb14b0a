// Tests of tables: they fit the width of the terminal.
// tier: full
import fc from 'fast-check'
import stringWidth from 'string-width'
import t from 'tap'
import { formatTable } from '../../src/cli/table.ts'
import { needs } from '../support/needs.ts'
import { runs } from '../support/property.ts'
import { runInPty } from './pty.ts'
import { serveProject } from './toolgate.ts'

const ROWS = [
  ['CALL', 'LEVEL', 'WOULD'],
  ['tc_01M83ZAZG3E2TQ6CJ5V42RXE6F', '\u001b[31mstrict\u001b[39m', 'Delete the whole folder of 漢字 at once'],
  ['tc_01M83ZAZG3E2TQ6CJ5V42RXE6G', 'ask', 'Edit a.txt']
]

t.test('cuts nothing if it fits; else the widest columns, and never ids', async t => {
  t.equal(
    await formatTable(ROWS, Number.POSITIVE_INFINITY),
    `CALL                           LEVEL   WOULD
tc_01M83ZAZG3E2TQ6CJ5V42RXE6F  \u001b[31mstrict\u001b[39m  Delete the whole folder of 漢字 at once
tc_01M83ZAZG3E2TQ6CJ5V42RXE6G  ask     Edit a.txt`
  )
  t.equal(
    await formatTable(ROWS, 70),
    `CALL                           LEVEL   WOULD
tc_01M83ZAZG3E2TQ6CJ5V42RXE6F  \u001b[31mstrict\u001b[39m  Delete the whole folder of 漢…
tc_01M83ZAZG3E2TQ6CJ5V42RXE6G  ask     Edit a.txt`
  )
  t.match(await formatTable(ROWS, 20), /^tc_01M83ZAZG3E2TQ6CJ5V42RXE6F {2}\S+ {2}Delete …$/m, 'as narrow as it can be')
})

t.test('a title that is cut keeps its number of further lines', async t => {
  const rows = [['tc_01M83ZAZG3E2TQ6CJ5V42RXE6F', 'npm test -- one two three ⏎ touch x (+1 line)']]
  t.match(await formatTable(rows, 66), / {2}npm test -- one two thre… \(\+1 line\)$/)
  t.match(await formatTable(rows, 45), / {2}npm test -- o…$/, 'unless too little is left of it')
})

const toRows = (cell: fc.Arbitrary<string>) => fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 })
const CELL = fc.string({ unit: 'grapheme', maxLength: 60 }).map(text => text.replaceAll(/[\p{C}\s]/gu, ' '))
const ASCII_CELL = fc
  .tuple(fc.string({ unit: 'grapheme-ascii', maxLength: 60 }), fc.boolean())
  .map(([text, isRed]) => (isRed ? `\u001b[31m${text}\u001b[39m` : text))

t.test('no line is wider than the terminal, for any cells', async t => {
  await fc.assert(
    fc.asyncProperty(toRows(fc.oneof(CELL, ASCII_CELL)), fc.integer({ min: 40, max: 200 }), async (rows, width) => {
      for (const line of (await formatTable(rows, width)).split('\n'))
        if (stringWidth(line) > width) throw new Error(`${stringWidth(line)} of ${width}: ${line}`)
    }),
    runs(300)
  )
  t.pass()
})

t.test('formats ASCII the same with and without wide characters in another row', async t => {
  await fc.assert(
    fc.asyncProperty(toRows(ASCII_CELL), fc.integer({ min: 40, max: 200 }), async (cells, width) => {
      const rows = cells.map(row => ['--', ...row])
      const alone = await formatTable(rows, width)
      const beside = (await formatTable([...rows, ['漢', '', '', '']], width)).split('\n').slice(0, -1).join('\n')
      if (beside !== alone) throw new Error(`${alone}\n\n${beside}`)
    }),
    runs(100)
  )
  t.pass()
})

t.test('fits a terminal of 80 columns; prints whole cells to a pipe', needs('node-pty'), async t => {
  const { commandOf, toolgate } = await serveProject(t)
  const person = await runInPty(t, commandOf(['tools']), { cols: 80 })
  const { rest } = await person.ended()
  const lines = rest.trimEnd().split('\n')
  t.match(lines, [/^TOOL +CATEGORY +EFFECT +DESCRIPTION$/, /^read_file +files +read +\S.*…$/])
  t.same(
    lines.filter(line => stringWidth(line) > 80),
    []
  )
  t.notMatch((await toolgate(['tools'])).stdout, '…')
})
