// A document that takes all memory of its reader.
// tier: full
import t from 'tap'
import { createGreedyPdf, createPdf } from '../../pdf.ts'
import { startApp } from '../../start-app.ts'

t.test('a document that exhausts the memory of its reader fails its call, and not the server', async t => {
  const { call, write } = await startApp(t)
  write('greedy.pdf', createGreedyPdf())
  write('small.pdf', createPdf(['Some text']))
  const [greedy, small] = await Promise.all(
    ['greedy.pdf', 'small.pdf'].map(path => call('read_file', { path }, { timeout_ms: 600_000 }))
  )
  t.match(greedy, {
    status: 'error',
    error: { code: 'TOO_LARGE', message: 'Reading the PDF document requires more than 512 MB of memory.' }
  })
  t.match(small, { status: 'success', result: { data: { content: 'Some text' } } })
})
