// Tests of the tools that docs/architecture.md shows: they are those of examples/built-in-tools, and work.
// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import countLines from '../../examples/built-in-tools/count_lines.ts'
import diskUsage from '../../examples/built-in-tools/disk_usage.ts'
import sortLines from '../../examples/built-in-tools/sort_lines.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { startApp, toApproval } from '../start-app.ts'

const TOOLS: readonly Tool[] = [countLines, sortLines, diskUsage]
const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

t.test('the document shows the examples as they are', async t => {
  const shown = [...read('docs/architecture.md').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
  const files = TOOLS.map(({ name }) => read(`examples/built-in-tools/${name}.ts`))
  t.strictSame(
    shown,
    files.map(code => code.replaceAll("from '../../src/", "from '../../"))
  )
})

t.test('reads, writes as previewed, and runs a program', async t => {
  const app = await startApp(t, { 'a.txt': 'b\na\n', '.env': 'B=1\nA=2\n' }, { tools: [...TOOLS] })
  t.match(await app.call('count_lines', { path: 'a.txt' }), {
    status: 'success',
    result: { content: 'a.txt has 2 lines.' }
  })
  const approve = (call: object) => app.post('/approve?wait_ms=120000', { ...toApproval(call), confirm: true })
  const sort = await app.call('sort_lines', { path: 'a.txt' })
  t.match(sort.approval.preview, {
    title: 'Sort a.txt',
    diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-b\n a\n+b\n'
  })
  t.match(await approve(sort), { status: 'success' })
  t.equal(app.read('a.txt'), 'a\nb\n')
  const secret = await app.call('sort_lines', { path: '.env' })
  t.strictSame(secret.approval.preview, { title: 'Sort .env' }, 'nothing of what may not be read is shown')
  const usage = await app.call('disk_usage', { path: '.' })
  t.match(usage.approval.preview, { title: 'Measure .', text: /du -sk \.$/ })
  t.match(await approve(usage), { status: 'success', result: { data: { output: /^\d+\t\.\n$/ } } })
})
