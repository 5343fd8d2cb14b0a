// Tests of tables: they fit the width of the terminal.
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

t.test('cuts nothing if it fits; else the widest columns, and never ids', t => {
  t.equal(
    formatTable(ROWS, Number.POSITIVE_INFINITY),
    `CALL                           LEVEL   WOULD
tc_01M83ZAZG3E2TQ6CJ5V42RXE6F  \u001b[31mstrict\u001b[39m  Delete the whole folder of 漢字 at once
tc_01M83ZAZG3E2TQ6CJ5V42RXE6G  ask     Edit a.txt`
  )
  t.equal(
    formatTable(ROWS, 70),
    `CALL                           LEVEL   WOULD
tc_01M83ZAZG3E2TQ6CJ5V42RXE6F  \u001b[31mstrict\u001b[39m  Delete the whole folder of 漢…
tc_01M83ZAZG3E2TQ6CJ5V42RXE6G  ask     Edit a.txt`
  )
  t.match(formatTable(ROWS, 20), /^tc_01M83ZAZG3E2TQ6CJ5V42RXE6F {2}\S+ {2}Delete …$/m, 'as narrow as it can be')
  t.end()
})

t.test('a title that is cut keeps its number of further lines', t => {
  const rows = [['tc_01M83ZAZG3E2TQ6CJ5V42RXE6F', 'npm test -- one two three ⏎ touch x (+1 line)']]
  t.match(formatTable(rows, 66), / {2}npm test -- one two thre… \(\+1 line\)$/)
  t.match(formatTable(rows, 45), / {2}npm test -- o…$/, 'unless too little is left of it')
  t.end()
})

t.test('no line is wider than the terminal, for any cells', t => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 60 }).map(text => text.replaceAll(/[\p{C}\s]/gu, ' '))
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(rows, fc.integer({ min: 40, max: 200 }), (rows, width) => {
      for (const line of formatTable(rows, width).split('\n'))
        if (stringWidth(line) > width) throw new Error(`${stringWidth(line)} of ${width}: ${line}`)
    }),
    runs(300)
  )
  t.end()
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
