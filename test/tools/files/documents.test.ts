// Tests of PDFs and notebooks, made by hand.
// tier: full
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { notebookCells } from '../../../src/text/notebook.ts'
import readFile from '../../../src/tools/files/read_file.ts'
import { createPdf } from '../../pdf.ts'
import { catchErrorCode, catchToolError, countOpenDescriptors, createToolFixture, runTool } from '../fixture.ts'

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

t.test('returns long pages of a PDF as far as the limit permits', async t => {
  const long = Array.from({ length: 300 }, () => 'words '.repeat(20)).join('\n')
  const { ctx } = createToolFixture(t, { 'a.pdf': createPdf([long, long, `${long}\n${long}`]) })
  const shown = async (pages: string) => {
    const input = { path: 'a.pdf', pages }
    const output = await runTool(readFile, input, ctx)
    return { ...output, shown: readFile.present(output, input).content }
  }
  t.match(await shown('1-3'), { pages: [1], truncated: true, shown: /\(Pages 1 to 1 of 3\. Go on with pages 2-\.\)$/ })
  const cut = await shown('3')
  t.same([cut.pages, cut.truncated, cut.content.length], [[3], true, 50 * 1024])
  t.match(cut.shown, /\(Page 3 is longer than one answer holds: the rest is left out\.\)$/)
})

t.test('stops reading a PDF when cancelled', async t => {
  const world = createToolFixture(t, { 'a.pdf': createPdf(PAGES), 'b.pdf': createPdf(PAGES) })
  const before = countOpenDescriptors(world)
  const both = ['a.pdf', 'b.pdf'].map(path => catchErrorCode(() => runTool(readFile, { path }, world.ctx)))
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.same(await Promise.all(both), ['CANCELLED', 'CANCELLED'], 'the one that is read, and the one that waits')
  t.equal(countOpenDescriptors(world), before)
})

t.test('rejects a PDF over 50 MB', async t => {
  const { ctx, root } = createToolFixture(t)
  writeFileSync(join(root, 'a.pdf'), Buffer.concat([createPdf(['x']), Buffer.alloc(50 * 1024 * 1024)]))
  t.match(await catchToolError(() => runTool(readFile, { path: 'a.pdf' }, ctx)), {
    code: 'TOO_LARGE',
    details: { limit: 52428800 }
  })
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

t.test('parses a large notebook off the main thread, and reads a larger one as text', async t => {
  const { ctx } = createToolFixture(t, {
    'a.ipynb': notebook([
      { cell_type: 'markdown', source: 'x'.repeat(2_000_000) },
      { cell_type: 'raw', source: 'end' }
    ]),
    'b.ipynb': notebook([{ cell_type: 'markdown', source: 'x'.repeat(11_000_000) }])
  })
  t.match(await runTool(readFile, { path: 'a.ipynb', offset: 2 }, ctx), { cells: [{ index: 2, source: 'end' }] })
  const input = { path: 'a.ipynb' }
  t.match(readFile.present(await runTool(readFile, input, ctx), input).content, /Cell 1 may be longer than one answer/)
  t.match(await runTool(readFile, { path: 'b.ipynb' }, ctx), {
    media_type: undefined,
    lines: 1,
    truncated: true,
    notes: ['A notebook over 10 MB is shown as text.']
  })
})
