// Tests of long PDFs and notebooks.
// tier: quick
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import readFile from '../../../src/tools/files/read_file.ts'
import { createPdf } from '../../pdf.ts'
import { catchErrorCode, catchToolError, countOpenDescriptors, createToolFixture, runTool } from '../fixture.ts'

const PAGES = Array.from({ length: 30 }, (_, i) => `Page number ${i + 1}`)

const notebook = (cells: object[]) => JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })

t.test('returns long pages of a PDF as far as the limit permits', async t => {
  const long = Array.from({ length: 300 }, () => 'words '.repeat(20)).join('\n')
  const { ctx } = createToolFixture(t, { 'a.pdf': createPdf([long, long, `${long}\n${long}`]) })
  const shown = async (pages: string) => {
    const input = { path: 'a.pdf', pages }
    const output = await runTool(readFile, input, ctx)
    return { ...output, shown: readFile.present(output, input).content }
  }
  t.match(await shown('1-3'), {
    pages: [1],
    truncated: true,
    shown: /\(Pages 1 to 1 of 3\. Continue with pages 2-\.\)$/
  })
  const cut = await shown('3')
  t.same([cut.pages, cut.truncated, cut.content.length], [[3], true, 50 * 1024])
  t.match(cut.shown, /\(Page 3 is too long for one result: the rest is omitted\.\)$/)
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
  t.match(readFile.present(await runTool(readFile, input, ctx), input).content, /Cell 1 may be too long for one result/)
  t.match(await runTool(readFile, { path: 'b.ipynb' }, ctx), {
    media_type: undefined,
    lines: 1,
    truncated: true,
    notes: ['The notebook is over 10 MB, so it is shown as text.']
  })
})
