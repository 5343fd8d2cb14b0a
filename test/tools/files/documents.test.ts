// Tests of PDFs and notebooks, made by hand.
// tier: quick
import t from 'tap'
import { notebookCells } from '../../../src/text/notebook/read-cells.ts'
import readFile from '../../../src/tools/files/read_file.ts'
import { createPdf } from '../../pdf.ts'
import { catchToolError, createToolFixture, runTool } from '../fixture.ts'

const PAGES = Array.from({ length: 30 }, (_, i) => `Page number ${i + 1}`)

t.test('reads a PDF by pages', async t => {
  const { ctx } = createToolFixture(t, {
    'a.pdf': createPdf(PAGES),
    'note.txt': Buffer.concat([Buffer.from('junk\0\n'), createPdf(['Late'])])
  })
  const pages = async (input: object) => (await runTool(readFile, { path: 'a.pdf', ...input }, ctx)).pages
  const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
  t.same(await pages({}), numbers(1, 20))
  t.same(await pages({ offset: 25, limit: 2 }), [25, 26])
  t.same(await pages({ offset: -2 }), [29, 30])
  t.same(await pages({ pages: '5-7', offset: 9 }), [5, 6, 7])
  t.match(await runTool(readFile, { path: 'note.txt' }, ctx), { content: 'Late', media_type: 'application/pdf' })
  t.match(await runTool(readFile, { path: 'a.pdf', encoding: 'base64' }, ctx), {
    encoding: 'base64',
    media_type: undefined
  })
})

t.test('text about PDFs is text, and a PDF can be read as text', async t => {
  const spoken = 'A PDF begins with %PDF-1.7, as readers know.\n'
  const { ctx } = createToolFixture(t, {
    'note.md': spoken,
    'small.pdf': createPdf(['One']),
    'late.pdf': `\ufeff\n%PDF-1.4\n`
  })
  t.match(await runTool(readFile, { path: 'note.md' }, ctx), {
    content: spoken,
    encoding: 'utf-8',
    media_type: undefined
  })
  t.match(await runTool(readFile, { path: 'small.pdf', encoding: 'utf-8', limit: 1 }, ctx), { content: '%PDF-1.4\n' })
  t.match(await catchToolError(() => runTool(readFile, { path: 'late.pdf' }, ctx)), { code: 'BINARY_FILE' })
})

const notebook = (cells: object[]) => JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })
const ROOM = { first: 1, limit: 100, characters: 1_000, image_characters: 10 }

t.test('reads a notebook by cells, as far as the limit permits', async t => {
  const words = (n: number) => ({ cell_type: 'markdown', source: [`cell ${n}\n`, 'x'.repeat(390)] })
  const text = notebook([words(1), words(2), words(3)])
  const indexes = (query: object) => {
    const found = notebookCells({ text, ...ROOM, ...query })!
    return [found.cells.map(({ index }) => index), found.total, found.cut]
  }
  t.same(indexes({}), [[1, 2], 3, true])
  t.same(indexes({ first: 2 }), [[2, 3], 3, false])
  t.same(indexes({ first: -1 }), [[3], 3, false])
  t.same(indexes({ first: -9, limit: 1 }), [[1], 3, false])
  t.same(indexes({ first: 4 }), [[], 3, false])
  t.same(notebookCells({ text, ...ROOM, characters: 6 }), {
    cells: [{ index: 1, type: 'markdown', source: 'cell 1', outputs: [] }],
    total: 3,
    cut: true
  })
})

t.test('truncates outputs of a notebook, and includes images while there is room', async t => {
  const outputs = [
    { output_type: 'display_data', data: { 'image/png': 'AAAA\nBBBB\n', 'text/plain': 'one' } },
    { output_type: 'display_data', data: { 'image/png': 'CCCC' } },
    { output_type: 'display_data', data: { 'application/json': {}, 'text/html': '<p>' } },
    { output_type: 'stream', text: `${'y'.repeat(600)}\r\n1 %\r2 %\r\n` },
    { output_type: 'error', ename: 'Fault', evalue: 'bad', traceback: [] },
    { output_type: 'unheard of' },
    null
  ]
  const text = notebook([{ cell_type: 'code', source: 'x', execution_count: 1, outputs }, { cell_type: 'raw' }])
  t.same(notebookCells({ text, ...ROOM })?.cells, [
    {
      index: 1,
      type: 'code',
      source: 'x',
      execution_count: 1,
      outputs: [
        { type: 'display', text: 'one', media_type: 'image/png', base64: 'AAAABBBB' },
        { type: 'display', media_type: 'image/png' },
        { type: 'display', media_type: 'application/json, text/html' },
        { type: 'stream', text: `${'y'.repeat(500)}…\n2 %` },
        { type: 'error', text: '\nFault: bad' }
      ]
    },
    { index: 2, type: 'raw', source: '' }
  ])
  for (const broken of ['', '[]', 'null', '{}', '{"nbformat":3,"cells":[]}', '{"nbformat":4,"cells":[1]}'])
    t.equal(notebookCells({ text: broken, ...ROOM }), undefined, broken)
})
