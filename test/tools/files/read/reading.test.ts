// tier: full
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Value } from 'typebox/value'
import { ToolError } from '../../../../src/errors.ts'
import { hashBytes } from '../../../../src/host/files/content-source.ts'
import { Spawner } from '../../../../src/host/processes/spawner/spawner.ts'
import { encode } from '../../../../src/text/encoding.ts'
import listedTools, { transferTools } from '../../../../src/tools/files/index.ts'
import listDirectory from '../../../../src/tools/files/list_directory.ts'
import readFile from '../../../../src/tools/files/read_file.ts'
import { waitUntil } from '../../../support/wait.ts'
import {
  catchErrorCode,
  catchToolError,
  countOpenDescriptors,
  createToolFixture,
  requestOf,
  runTool,
  snapshotTree
} from '../../fixture.ts'
import { createHostFixture } from '../../host-fixture.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAC0lEQVR4nGNgwAQAABQAAcX2ZFIAAAAASUVORK5CYII=',
  'base64'
)

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

t.test('every tool of the folder has a complete description', async t => {
  const tools = [...listedTools, ...transferTools]
  const here = readdirSync(join(import.meta.dirname, '../../../../src/tools/files'))
  // Files with two-word names are tools; those with one word, or with hyphens, are helpers.
  const named = here.filter(name => name.includes('_') || name === 'undo.ts')
  t.same(tools.map(({ name }) => `${name}.ts`).sort(), named.sort())
  for (const tool of tools) {
    const schemas = [tool.input, tool.output] as { properties: Record<string, { description?: string }> }[]
    for (const { properties } of schemas)
      for (const [field, { description }] of Object.entries(properties))
        t.ok(description, `${tool.name}.${field} has a description`)
    t.notOk(
      Value.Check(tool.input, {
        path: 'a',
        from: 'a',
        to: 'b',
        source: 'a',
        dest: 'b',
        content: '',
        old: 'a',
        new: 'b',
        extra: 1
      })
    )
  }
})

t.test('read_file numbers the lines and describes the file', async t => {
  const { ctx, root } = createToolFixture(t, { 'a.txt': 'one\r\ntwo\r\nthree' })
  const output = await runTool(readFile, { path: 'a.txt' }, ctx)
  const { modified, ...rest } = output
  t.same(rest, {
    content: 'one\r\ntwo\r\nthree',
    size: 15,
    hash: hashBytes(readFileSync(join(root, 'a.txt'))),
    lines: 3,
    total_lines: 3,
    encoding: 'utf-8',
    eol: 'crlf'
  })
  t.match(modified, /^\d{4}-.*Z$/)
  t.same(readFile.present(output, { path: 'a.txt' }), {
    title: 'a.txt',
    content: '     1\tone\n     2\ttwo\n     3\tthree',
    metadata: { hash: rest.hash, total_lines: 3, encoding: 'utf-8', eol: 'crlf' }
  })
})

t.test('read_file returns parts, and how to continue', async t => {
  const text = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}\n`).join('')
  const { ctx } = createToolFixture(t, {
    'a.txt': text,
    empty: '',
    wide: `${'x'.repeat(3000)}\nshort\n`,
    huge: 'y'.repeat(60_000)
  })
  const shown = async (input: Parameters<typeof readFile.present>[1]) => {
    const output = await runTool(readFile, input, ctx)
    return { output, ...readFile.present(output, input) }
  }
  const first = await shown({ path: 'a.txt' })
  t.equal(first.output.content, text.slice(0, text.indexOf('line 2001\n')))
  t.match(first.content, /\n {2}2000\tline 2000\n\(Lines 1 to 2000 of 5000\. Continue with offset 2001\.\)$/)
  const part = await shown({ path: 'a.txt', offset: 4999, limit: 5 })
  t.equal(part.content, '  4999\tline 4999\n  5000\tline 5000')
  const all = await shown({ path: 'a.txt', limit: 5000 })
  t.same([all.truncated, all.output.lines], [true, 2905])
  t.ok(all.content.length < 51_300)
  t.match(all.content, /Lines 1 to 2905 of 5000\. Continue with offset 2906/)
  t.equal((await shown({ path: 'a.txt', offset: 6000 })).content, '(The file has only 5000 lines.)')
  t.equal((await shown({ path: 'empty' })).content, '(The file is empty.)')
  const wide = await shown({ path: 'wide' })
  t.equal(
    wide.content,
    `     1	${'x'.repeat(2000)}… (3000 characters)\n     2	short\n(Long lines are shortened: use offset and column to read the rest.)`
  )
  t.equal(wide.output.content, `${'x'.repeat(3000)}\nshort\n`, 'the data is not cut')
  const huge = await shown({ path: 'huge' })
  t.same([huge.truncated, huge.output.content.length, huge.output.total_lines], [true, 51_192, 1])
  t.match(huge.content, /y\n\(Line 1 continues: read it with offset 1 and column 51193\. The next line is 2\.\)$/)
  const rest = await shown({ path: 'huge', column: 51_193 })
  t.equal(rest.content, `     1\t${'y'.repeat(60_000 - 51_192)}`)
})

/** Returns the number of bytes that this process has read so far. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'latin1'))![1])

/** Creates a sparse file of that size with text at its start and its end. */
function makeHuge(file: string, size: number, start: string, end: string) {
  const fd = openSync(file, 'w')
  writeSync(fd, start)
  writeSync(fd, end, size - Buffer.byteLength(end))
  closeSync(fd)
  // A file changed just now is not cached.
  utimesSync(file, 1, 1)
}

const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1} äöü\n`).join('')

t.test('read_file reads parts of files too large for memory', async t => {
  const { ctx, root } = createToolFixture(t)
  const lines = 400_000
  const bytes = Buffer.from(`\ufeff${numbered(lines, 'a line of a large file, number')}`)
  writeFileSync(join(root, 'large.txt'), bytes)
  const read = (input: object) => runTool(readFile, { path: 'large.txt', ...input }, ctx)
  const line = (n: number) => `a line of a large file, number ${n} äöü\n`
  const output = await read({ offset: 300_000, limit: 2 })
  t.same(output.content, line(300_000) + line(300_001))
  t.same(
    [output.hash, output.lines, output.total_lines, output.encoding, output.size],
    [hashBytes(bytes), 2, lines, 'utf-8-bom', bytes.length]
  )
  t.equal((await read({ limit: 1 })).content, line(1))
  t.match(await read({ offset: -2, limit: 1 }), { content: line(lines - 1), first_line: lines - 1, lines: 1 })
  t.match(await read({ offset: -lines - 5, limit: 1 }), { content: line(1), first_line: 1 })
  t.match(await read({ offset: lines + 1 }), { content: '', lines: 0, total_lines: lines })
  t.equal((await read({ offset: 7, limit: 1, column: 35 })).content, 'öü\n')
  t.equal((await read({ offset: 7, limit: 2, column: 99 })).content, `\n${line(8)}`)
  for (const encoding of ['utf-16le', 'utf-16be'] as const) {
    writeFileSync(join(root, 'large.txt'), encode(bytes.toString().slice(1), encoding)!)
    t.match(await read({ offset: 300_000, limit: 1, column: 35 }), {
      content: '00 äöü\n',
      encoding,
      total_lines: lines
    })
    t.match(await read({ offset: -1 }), { content: line(lines), encoding })
  }
  const latin1 = Buffer.concat([Buffer.alloc(11_000_000, 'plain\n'), Buffer.from('gr\xfcn\n', 'latin1')])
  writeFileSync(join(root, 'large.txt'), latin1)
  t.match(await read({ limit: 1 }), { content: 'plain\n', encoding: 'utf-8' })
  t.match(await read({ offset: -1 }), { content: 'grün\n', encoding: 'latin1' })
  writeFileSync(join(root, 'large.txt'), Buffer.concat([Buffer.alloc(11_000_000, 'plain\n'), Buffer.from([10, 0, 1])]))
  t.equal(await catchErrorCode(() => read({ offset: -1 })), 'BINARY_FILE')
})

t.test('read_file rejects large binary files', async t => {
  const { ctx, root } = createToolFixture(t)
  const large = Buffer.alloc(11_000_000)
  const refused = async (name: string, content: Buffer, input: object = {}) => {
    writeFileSync(join(root, name), content)
    return catchToolError(() => runTool(readFile, { path: name, ...input }, ctx))
  }
  t.match(await refused('a', large), { code: 'BINARY_FILE' })
  t.match(await refused('b', large, { encoding: 'base64' }), { code: 'TOO_LARGE' })
  t.match(await refused('c', Buffer.concat([PNG, large])), {
    code: 'TOO_LARGE',
    message: 'The image (image/png, 3 × 2 pixels) c has 11000068 bytes; the limit is 5242880.'
  })
})

t.test('read_file finds a line in a gigabyte with little memory, and the next one at once', async t => {
  const { ctx, root } = createToolFixture(t)
  const size = 2 ** 30
  makeHuge(join(root, 'huge.log'), size, numbered(450_000, 'early'), numbered(450_000, 'late'))
  const read = (input: object) => runTool(readFile, { path: 'huge.log', ...input }, ctx)
  const shown = async (input: object) => readFile.present(await read(input), { path: 'huge.log', ...input }).content
  t.match(await read({ offset: -2 }), { content: 'late 449999 äöü\nlate 450000 äöü\n', first_line: -2 })
  t.equal(
    await shown({ offset: -2, limit: 1 }),
    [
      '(The file has 1073741824 bytes. Files over 268435456 bytes are not hashed.)',
      '    -2\tlate 449999 äöü',
      '(Lines -2 to -2 of a file with 1073741824 bytes. Continue with offset -1.)'
    ].join('\n')
  )
  const before = process.memoryUsage()
  let peak = 0
  const watching = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 5)
  const found = await read({ offset: 899_999, limit: 1 })
  clearInterval(watching)
  t.match(found, { content: 'late 449999 äöü\n', lines: 1, size })
  t.notOk('hash' in found)
  t.ok(Math.max(peak, process.memoryUsage().rss) - before.rss < 64 * 2 ** 20, 'memory stays flat')
  // The file has not changed for a while, so that the result is cached.
  await read({ offset: 899_999, limit: 1 })
  const readSoFar = bytesRead()
  t.match(await read({ offset: 899_998, limit: 1 }), { content: 'late 449998 äöü\n' })
  t.ok(bytesRead() - readSoFar < 4 * 2 ** 20, 'the rest is not read again')
  t.match(await read({ offset: 900_001 }), { lines: 0, total_lines: 900_000 })
  t.match(await read({ offset: -1 }), { content: 'late 450000 äöü\n', first_line: 900_000 })
})

t.test('read_file shows images and returns the bytes of any file', async t => {
  const { ctx, root } = createToolFixture(t, {
    'a.png': PNG,
    'a.bin': Buffer.from([0, 1, 2]),
    'zeros.bin': Buffer.alloc(60_000)
  })
  const output = await runTool(readFile, { path: 'a.png' }, ctx)
  t.match(output, {
    content: PNG.toString('base64'),
    media_type: 'image/png',
    width: 3,
    height: 2,
    encoding: 'base64',
    size: PNG.length
  })
  t.match(readFile.present(output, { path: 'a.png' }), {
    content: `Image a.png: image/png, 3 × 2 pixels, ${PNG.length} bytes.`,
    attachments: [
      { media_type: 'image/png', data_url: `data:image/png;base64,${PNG.toString('base64')}`, width: 3, height: 2 }
    ]
  })
  const bin = await runTool(readFile, { path: 'a.bin', encoding: 'base64' }, ctx)
  t.match(readFile.present(bin, { path: 'a.bin' }), { content: '3 bytes, base64:\nAAEC' })
  const zeros = await runTool(readFile, { path: 'zeros.bin', encoding: 'base64' }, ctx)
  t.equal(zeros.content, 'A'.repeat(80_000), 'the data is not cut')
  t.match(readFile.present(zeros, { path: 'zeros.bin' }), {
    content:
      /^60000 bytes, base64:\nA{51200}\n\(The first 51200 of 80000 characters; the call's data has all characters\.\)$/,
    truncated: true
  })
  t.equal(await catchErrorCode(() => runTool(readFile, { path: 'a.bin' }, ctx)), 'BINARY_FILE')
  writeFileSync(join(root, 'big.png'), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]))
  t.match(await catchToolError(() => runTool(readFile, { path: 'big.png' }, ctx)), {
    code: 'TOO_LARGE',
    details: { size: PNG.length + 5 * 1024 * 1024, media_type: 'image/png', width: 3, height: 2 }
  })
})

t.test('read_file rejects unreadable files, and closes what it opened', async t => {
  const world = createHostFixture(t, spawner, { d: {}, 'a.txt': 'a' })
  const before = countOpenDescriptors(world)
  for (const [path, expected] of Object.entries({
    none: 'FILE_NOT_FOUND',
    d: 'NOT_A_FILE',
    '../x': 'INVALID_PATH',
    '': 'INVALID_PATH'
  }))
    t.equal(await catchErrorCode(() => runTool(readFile, { path }, world.ctx)), expected)
  writeFileSync(join(world.root, 'large'), Buffer.alloc(11_000_000, 'a\n'))
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await catchErrorCode(() => runTool(readFile, { path: 'large' }, world.ctx)), 'CANCELLED')
  // The list of files, in which a missing one was looked for, may be read again meanwhile.
  await waitUntil('all to be closed', () => countOpenDescriptors(world) === before)
})

t.test('list_directory lists a folder, or a tree level by level', async t => {
  const world = createToolFixture(t, {
    b: { 'c.txt': 'cc', d: { 'e.txt': '' } },
    'a.txt': 'a',
    '.git': { HEAD: 'x' },
    '.env': 'SECRET'
  })
  symlinkSync('b', join(world.root, 'link'))
  const before = snapshotTree(world.root)
  const paths = async (input: Parameters<typeof listDirectory.present>[1]) =>
    (await runTool(listDirectory, input, world.ctx)).entries.map(({ path }) => path)
  t.same(await paths({ path: '.' }), ['a.txt', 'b', 'link'])
  t.same(await paths({ path: 'link' }), ['b/c.txt', 'b/d'])
  t.same(await paths({ path: '.', recursive: true }), ['a.txt', 'b', 'b/c.txt', 'b/d', 'b/d/e.txt', 'link'])
  t.same(await paths({ path: '.', depth: 2 }), ['a.txt', 'b', 'b/c.txt', 'b/d', 'link'])
  t.same(await paths({ path: '.', recursive: true, include_hidden: true, depth: 2 }), [
    '.env',
    '.git',
    'a.txt',
    'b',
    'b/c.txt',
    'b/d',
    'link'
  ])
  const input = { path: '.', recursive: true, limit: 4 }
  const cut = await runTool(listDirectory, input, world.ctx)
  t.same([cut.truncated, cut.entries.map(({ path }) => path)], [true, ['a.txt', 'b', 'b/c.txt', 'link']])
  t.same(listDirectory.present(cut, input), {
    title: '.',
    content: `a.txt	1\nb/\nb/c.txt	2\nlink	symlink\n(Only the first 4 entries are listed. List a subfolder, or increase limit.)\n(Omitted: 2 hidden (include_hidden lists them).)`,
    metadata: { count: 4, left_out: { hidden: 2 } },
    truncated: true
  })
  const { modified, ...entry } = cut.entries[0]!
  t.same(entry, { name: 'a.txt', path: 'a.txt', type: 'file', size: 1 })
  t.match(modified, /Z$/)
  mkdirSync(join(world.root, 'empty'))
  t.equal(
    listDirectory.present(await runTool(listDirectory, { path: 'empty' }, world.ctx), { path: 'empty' }).content,
    '(No entries.)'
  )
  for (const [path, expected] of Object.entries({
    'a.txt': 'NOT_A_DIRECTORY',
    none: 'FILE_NOT_FOUND',
    '..': 'INVALID_PATH'
  }))
    t.equal(await catchErrorCode(() => runTool(listDirectory, { path }, world.ctx)), expected)
  t.equal(snapshotTree(world.root).replace(/^empty.*\n/m, ''), before)
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await catchErrorCode(() => runTool(listDirectory, { path: '.' }, world.ctx)), 'CANCELLED')
})

t.test('a request names every accessed path', async t => {
  const { ctx } = createToolFixture(t)
  t.same(await requestOf(readFile, { path: 'a' }, ctx), { paths: [{ path: 'a', access: 'read' }] })
  t.same(await requestOf(listDirectory, { path: 'a' }, ctx), { paths: [{ path: 'a', access: 'list' }] })
  t.same(await requestOf(listDirectory, { path: 'a', recursive: true }, ctx), {
    paths: [{ path: 'a', access: 'list', tree: true }]
  })
})
