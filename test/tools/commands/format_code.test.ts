// tier: full
import { chmodSync, existsSync, readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Host } from '../../../src/host/host.ts'
import type { RunContext } from '../../../src/tool/contexts.ts'
import formatCode from '../../../src/tools/commands/format_code.ts'
import { selectFormatter } from '../../../src/tools/commands/lib/format-plan.ts'
import type { FORMATTERS } from '../../../src/tools/commands/lib/formatters.ts'
import { type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { catchToolError, createToolFixture, effectOf, previewOf, reviewOf } from '../fixture.ts'

/** Prints its name and arguments; a line `bad` is an error to it. */
const FORMATTER = `#!/bin/bash
input=$(cat; echo x); input=\${input%x}
if grep -q '^bad$' <<< "$input"; then echo "line 1: bad" >&2; exit 2; fi
printf '%s' "$input" | sed 's/  */ /g'
echo ran >> "\${0%/*}/ran.txt" 2> /dev/null || true
`
const PROJECT = { '.prettierrc': '{}', 'node_modules/.bin/prettier': FORMATTER }
const DIFF = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-let  a =  1\n+let a = 1\n let b\n'

async function start(t: Test, files: Record<string, string>) {
  const app = await startApp(t, files)
  for (const [name, text] of Object.entries(files))
    if (text.startsWith('#!')) chmodSync(path.join(app.root, name), 0o755)
  const approve = ({ tool_call_id, approval }: Json) =>
    app.post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest, confirm: true })
  return { ...app, approve, ran: () => existsSync(path.join(app.root, 'node_modules/.bin/ran.txt')) }
}

t.test('formats files, reports the diff of each, and can be undone', needs('sandbox'), async t => {
  const { call, approve, post, read } = await start(t, {
    ...PROJECT,
    'a.ts': 'let  a =  1\nlet b\n',
    'b.ts': 'fine\n',
    'c.ts': 'bad\n',
    'd.txt': 'x'
  })
  const paths = ['a.ts', 'b.ts', 'c.ts', 'd.txt', 'gone.ts', 'a.ts']
  const asked = await call('format_code', { paths })
  const notes = [
    'c.ts: prettier ended with exit code 2: line 1: bad',
    'd.txt: No formatter of the project is known for this file.',
    'gone.ts: The file does not exist.'
  ]
  t.match(asked.approval, { level: 'ask', preview: { title: 'Format 6 files', diff: DIFF, notes } })
  const done = await approve(asked)
  t.strictSame(done.result.data, {
    changed: [{ path: 'a.ts', formatter: 'prettier', diff: DIFF, added: 1, removed: 1 }],
    unchanged: ['b.ts'],
    failed: [
      { path: 'c.ts', message: 'prettier ended with exit code 2: line 1: bad' },
      { path: 'd.txt', message: 'No formatter of the project is known for this file.' },
      { path: 'gone.ts', message: 'The file does not exist.' }
    ],
    check: false,
    isolation: 'read-only'
  })
  t.match(done.changes, [{ path: 'a.ts', operation: 'modified', added: 1, removed: 1 }])
  t.equal(read('a.ts'), 'let a = 1\nlet b\n')
  await post(`/calls/${done.tool_call_id}/undo`, {})
  const undone = await call('undo', { tool_call_id: done.tool_call_id })
  if (undone.status === 'awaiting_approval') await approve(undone)
  t.equal(read('a.ts'), 'let  a =  1\nlet b\n')
})

t.test('unsandboxed, never runs before approval, and no rule auto-approves it', async t => {
  const { ctx } = createToolFixture(t, { '.prettierrc': '{}', 'a.ts': 'let  a\n' })
  const processes = { hasLevel: async () => false, find: ([name]: readonly string[]) => name }
  const unkept: RunContext = { ...ctx, host: { ...ctx.host, processes } as unknown as Host }
  const nothing = 'The formatter runs without a sandbox, with all rights of the user.'
  const input = { paths: ['a.ts'] }
  t.equal(await reviewOf(formatCode, input, unkept), nothing)
  t.strictSame(
    [await effectOf(formatCode, input, unkept), await effectOf(formatCode, { ...input, check: true }, unkept)],
    ['write', 'execute']
  )
  t.strictSame(await previewOf(formatCode, input, unkept), {
    title: 'Format a.ts',
    text: 'prettier --stdin-filepath a.ts  (in ., for a.ts)',
    notes: [nothing]
  })
})

t.test('sandboxed, previews the diff, and writes exactly that', needs('sandbox'), async t => {
  const { call, get, approve, read, write, root, ran } = await start(t, { ...PROJECT, 'a.ts': 'let  a =  1\nlet b\n' })
  const check = await call('format_code', { paths: ['a.ts'], check: true })
  t.match(check, {
    status: 'success',
    result: { data: { changed: [{ diff: DIFF }], check: true, isolation: 'read-only' } }
  })
  const asked = await call('format_code', { paths: ['a.ts'] })
  t.strictSame(asked.approval.preview, { title: 'Format a.ts', diff: DIFF })
  t.notOk(ran(), 'it can write nothing')
  utimesSync(path.join(root, 'a.ts'), 1, 1)
  const prettier = read('node_modules/.bin/prettier')
  write('node_modules/.bin/prettier', '#!/bin/sh\necho something else\n')
  t.match(await approve(asked), {
    code: 'PREVIEW_CHANGED',
    details: { approval: { preview: { diff: /\+something else/ } } }
  })
  t.equal(read('a.ts'), 'let  a =  1\nlet b\n', 'another output is shown before it is written')
  write('node_modules/.bin/prettier', prettier)
  t.match(await approve(await get(`/calls/${asked.tool_call_id}`)), { code: 'PREVIEW_CHANGED' })
  t.match((await approve(asked)).result.data, { changed: [{ diff: DIFF }], isolation: 'read-only' })
  t.equal(read('a.ts'), 'let a = 1\nlet b\n')
})

t.test('does not overwrite a file that changed after the preview', needs('sandbox'), async t => {
  const { call, approve, read, write } = await start(t, { ...PROJECT, 'a.ts': 'let  a\n' })
  const asked = await call('format_code', { paths: ['a.ts'] })
  write('a.ts', 'let  other\n')
  t.equal((await approve(asked)).code, 'PREVIEW_CHANGED')
  t.equal(read('a.ts'), 'let  other\n')
})

t.test('preserves a secret in a file', async t => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40)
  const { call, approve, read } = await start(t, { ...PROJECT, 'a.ts': `let  token = '${secret}'\n` })
  await approve(await call('format_code', { paths: ['a.ts'] }))
  t.equal(read('a.ts'), `let token = '${secret}'\n`)
})

t.test('preserves encoding and byte order mark', async t => {
  const { call, approve, write, root } = await start(t, { ...PROJECT })
  write('a.ts', Buffer.from('\ufefflet  ä\n', 'utf16le'))
  await approve(await call('format_code', { paths: ['a.ts'] }))
  t.ok(readFileSync(path.join(root, 'a.ts')).equals(Buffer.from('\ufefflet ä\n', 'utf16le')))
})

t.test('rustfmt', needs('rustfmt'), async t => {
  const { call, approve, read } = await start(t, { 'src/a.rs': 'fn  main( ){let x=1;}\n', 'src/b.rs': 'fn main( {\n' })
  const { data } = (await approve(await call('format_code', { paths: ['src/a.rs', 'src/b.rs'] }))).result
  t.match(data, {
    changed: [{ path: 'src/a.rs', formatter: 'rustfmt' }],
    failed: [{ path: 'src/b.rs', message: /^rustfmt ended/ }]
  })
  t.equal(read('src/a.rs'), 'fn main() {\n    let x = 1;\n}\n')
})

t.test('selects the formatter of a file', async t => {
  const { ctx } = createToolFixture(t, {
    node_modules: { '.bin': { prettier: '', biome: '' } },
    '.venv': { bin: { ruff: '', black: '' } },
    web: { '.prettierrc': '' },
    both: { 'biome.json': '{}', '.prettierrc': '' },
    py: { 'pyproject.toml': '[tool.black]\nline-length = 100\n', sub: { 'ruff.toml': 'line-length = 100\n' } }
  })
  const processes = { find: ([name]: readonly string[]) => (name === 'shfmt' ? name : undefined) }
  const here: RunContext = { ...ctx, host: { ...ctx.host, processes } as unknown as Host }
  const chosen = async (path: string, asked?: keyof typeof FORMATTERS) => {
    const { cwd, argv } = await selectFormatter(path, asked, here)
    return `${cwd}: ${argv.join(' ')}`
  }
  t.equal(await chosen('web/a.ts'), 'web: ../node_modules/.bin/prettier --stdin-filepath a.ts')
  t.equal(await chosen('both/-a.ts'), 'both: ../node_modules/.bin/biome format --stdin-file-path=./-a.ts')
  t.equal(await chosen('both/a.md'), 'both: ../node_modules/.bin/prettier --stdin-filepath a.md')
  t.equal(await chosen('py/a.py'), 'py: ../.venv/bin/black --quiet --stdin-filename=a.py -')
  t.equal(await chosen('py/sub/a.py'), 'py/sub: ../../.venv/bin/ruff format --stdin-filename=a.py -')
  t.equal(await chosen('a.ts', 'biome'), '.: node_modules/.bin/biome format --stdin-file-path=a.ts')
  t.equal(await chosen('a.sh'), '.: shfmt -filename a.sh')
  t.equal(await chosen('a.ts'), '.: node_modules/.bin/biome format --stdin-file-path=a.ts', 'it is installed')
  t.match(await catchToolError(() => chosen('a.txt')), { message: /^No formatter of the project is known/ })
  t.match(await catchToolError(() => chosen('a.go')), { message: 'gofmt is not installed.' })
})

t.test('requires no approval without a change', needs('sandbox'), async t => {
  const { call } = await start(t, { ...PROJECT, 'b.ts': 'fine\n', 'c/d.ts': 'fine\n' })
  t.match(await call('format_code', { paths: ['b.ts'] }), {
    status: 'success',
    result: { data: { unchanged: ['b.ts'] } }
  })
  t.match(await call('format_code', { paths: ['gone.ts'] }), { status: 'error', error: { code: 'FILE_NOT_FOUND' } })
  const { result } = await call('format_code', { paths: ['c'] })
  t.match(result.data.failed, [{ path: 'c', message: 'c is a folder. Give the paths of the files in the folder.' }])
})

t.test('a formatter installed or declared by the project belongs to it', async t => {
  const { ctx } = createToolFixture(t, {
    installed: { src: {}, node_modules: { '.bin': { prettier: '' } } },
    named: { 'package.json': '{"devDependencies":{"prettier":"3"}}' }
  })
  const processes = { find: () => undefined }
  const here: RunContext = { ...ctx, host: { ...ctx.host, processes } as unknown as Host }
  const { argv, formatter } = await selectFormatter('installed/src/a.ts', undefined, here)
  t.match({ argv, formatter }, { formatter: 'prettier', argv: ['../node_modules/.bin/prettier'] })
  t.match(await catchToolError(() => selectFormatter('named/a.ts', undefined, here)), {
    message: 'prettier is not installed.'
  })
  t.match(await catchToolError(() => selectFormatter('a.py', undefined, here)), {
    message: 'Neither ruff nor black is installed.'
  })
})
