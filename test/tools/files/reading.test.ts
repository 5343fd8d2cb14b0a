import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Value } from 'typebox/value'
import { ToolError } from '../../../src/errors.ts'
import { hashOf } from '../../../src/host/files.ts'
import tools from '../../../src/tools/files/index.ts'
import listDirectory from '../../../src/tools/files/list_directory.ts'
import readFile from '../../../src/tools/files/read_file.ts'
import { code, failure, makeWorld, NO_HISTORY, openDescriptors, run, snapshot } from '../context.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAC0lEQVR4nGNgwAQAABQAAcX2ZFIAAAAASUVORK5CYII=',
  'base64'
)

t.test('every tool of the folder is described whole', async t => {
  t.same(
    tools.map(({ name }) => name),
    [
      'read_file',
      'write_file',
      'edit_file',
      'delete_file',
      'move_file',
      'copy_file',
      'create_directory',
      'list_directory'
    ]
  )
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

t.test('read_file numbers the lines and tells what the file is', async t => {
  const { ctx, root } = makeWorld(t, { 'a.txt': 'one\r\ntwo\r\nthree' })
  const output = await run(readFile, { path: 'a.txt' }, ctx)
  const { modified, ...rest } = output
  t.same(rest, {
    content: 'one\r\ntwo\r\nthree',
    size: 15,
    hash: hashOf(readFileSync(join(root, 'a.txt'))),
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

t.test('read_file gives parts, and says how to go on', async t => {
  const text = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}\n`).join('')
  const { ctx } = makeWorld(t, {
    'a.txt': text,
    empty: '',
    wide: `${'x'.repeat(3000)}\nshort\n`,
    huge: 'y'.repeat(60_000)
  })
  const shown = async (input: Parameters<typeof readFile.present>[1]) => {
    const output = await run(readFile, input, ctx)
    return { output, ...readFile.present(output, input) }
  }
  const first = await shown({ path: 'a.txt' })
  t.equal(first.output.content, text.slice(0, text.indexOf('line 2001\n')))
  t.match(first.content, /\n {2}2000\tline 2000\n\(Lines 1 to 2000 of 5000\. Go on with offset 2001\.\)$/)
  const part = await shown({ path: 'a.txt', offset: 4999, limit: 5 })
  t.equal(part.content, '  4999\tline 4999\n  5000\tline 5000')
  const all = await shown({ path: 'a.txt', limit: 5000 })
  t.same([all.truncated, all.output.lines], [true, 2905])
  t.ok(all.content.length < 51_300)
  t.match(all.content, /Lines 1 to 2905 of 5000\. Go on with offset 2906/)
  t.equal((await shown({ path: 'a.txt', offset: 6000 })).content, '(The file has only 5000 lines.)')
  t.equal((await shown({ path: 'empty' })).content, '(The file is empty.)')
  const wide = await shown({ path: 'wide' })
  t.equal(wide.content, `     1\t${'x'.repeat(2000)}… (3000 characters)\n     2\tshort`)
  t.equal(wide.output.content, `${'x'.repeat(3000)}\nshort\n`, 'the data is not cut')
  const huge = await shown({ path: 'huge' })
  t.same([huge.truncated, huge.output.content.length, huge.output.total_lines], [true, 51_192, 1])
  t.match(huge.content, /\n\(Line 1 is longer than one answer holds: the rest of it is left out\.\)$/)
})

t.test('read_file streams what is too large to hold', async t => {
  const { ctx, root } = makeWorld(t)
  const lines = 400_000
  const bytes = Buffer.from(
    `\ufeff${Array.from({ length: lines }, (_, i) => `line ${i + 1} of a large file äöü\n`).join('')}`
  )
  writeFileSync(join(root, 'large.txt'), bytes)
  const output = await run(readFile, { path: 'large.txt', offset: 300_000, limit: 2 }, ctx)
  t.same(output.content, 'line 300000 of a large file äöü\nline 300001 of a large file äöü\n')
  t.same(
    [output.hash, output.lines, output.total_lines, output.encoding, output.size],
    [hashOf(bytes), 2, lines, 'utf-8-bom', bytes.length]
  )
  t.equal((await run(readFile, { path: 'large.txt', limit: 1 }, ctx)).content, 'line 1 of a large file äöü\n')
  writeFileSync(join(root, 'large.bin'), Buffer.alloc(11_000_000))
  t.equal(await code(() => run(readFile, { path: 'large.bin' }, ctx)), 'BINARY_FILE')
  writeFileSync(join(root, 'large.utf16'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(11_000_000, 'a\0')]))
  t.equal(await code(() => run(readFile, { path: 'large.utf16' }, ctx)), 'TOO_LARGE')
  writeFileSync(join(root, 'large.png'), Buffer.concat([PNG, Buffer.alloc(11_000_000)]))
  t.equal(await code(() => run(readFile, { path: 'large.png' }, ctx)), 'TOO_LARGE')
  t.equal(await code(() => run(readFile, { path: 'large.bin', encoding: 'base64' }, ctx)), 'TOO_LARGE')
})

t.test('read_file shows images and gives the bytes of anything', async t => {
  const { ctx, root } = makeWorld(t, { 'a.png': PNG, 'a.pdf': '%PDF-1.7\n\0', 'a.bin': Buffer.from([0, 1, 2]) })
  const output = await run(readFile, { path: 'a.png' }, ctx)
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
  const bin = await run(readFile, { path: 'a.bin', encoding: 'base64' }, ctx)
  t.match(readFile.present(bin, { path: 'a.bin' }), { content: '3 bytes, base64:\nAAEC' })
  t.equal(
    (await failure(() => run(readFile, { path: 'a.pdf' }, ctx))).message,
    'a.pdf is not text but a PDF document. Its bytes can be read with encoding base64.'
  )
  t.equal(await code(() => run(readFile, { path: 'a.bin' }, ctx)), 'BINARY_FILE')
  writeFileSync(join(root, 'big.png'), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]))
  const { code: refused, details } = await failure(() => run(readFile, { path: 'big.png' }, ctx))
  t.same([refused, details?.size], ['TOO_LARGE', PNG.length + 5 * 1024 * 1024])
})

t.test('read_file refuses what it cannot read, and closes what it opened', async t => {
  const world = makeWorld(t, { d: {}, 'a.txt': 'a' })
  const before = openDescriptors(world)
  for (const [path, expected] of Object.entries({
    none: 'FILE_NOT_FOUND',
    d: 'NOT_A_FILE',
    '../x': 'INVALID_PATH',
    '': 'INVALID_PATH'
  }))
    t.equal(await code(() => run(readFile, { path }, world.ctx)), expected)
  writeFileSync(join(world.root, 'large'), Buffer.alloc(11_000_000, 'a\n'))
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await code(() => run(readFile, { path: 'large' }, world.ctx)), 'CANCELLED')
  t.equal(openDescriptors(world), before)
})

t.test('list_directory lists a folder, or a tree level by level', async t => {
  const world = makeWorld(t, {
    b: { 'c.txt': 'cc', d: { 'e.txt': '' } },
    'a.txt': 'a',
    '.git': { HEAD: 'x' },
    '.env': 'SECRET'
  })
  symlinkSync('b', join(world.root, 'link'))
  const before = snapshot(world.root)
  const paths = async (input: Parameters<typeof listDirectory.present>[1]) =>
    (await run(listDirectory, input, world.ctx)).entries.map(({ path }) => path)
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
  const cut = await run(listDirectory, input, world.ctx)
  t.same([cut.truncated, cut.entries.map(({ path }) => path)], [true, ['a.txt', 'b', 'b/c.txt', 'link']])
  t.same(listDirectory.present(cut, input), {
    title: '.',
    content:
      'a.txt\t1\nb/\nb/c.txt\t2\nlink\tsymlink\n(The first 4 entries found; list a folder inside, or raise the limit.)',
    metadata: { count: 4 },
    truncated: true
  })
  const { modified, ...entry } = cut.entries[0]!
  t.same(entry, { name: 'a.txt', path: 'a.txt', type: 'file', size: 1 })
  t.match(modified, /Z$/)
  mkdirSync(join(world.root, 'empty'))
  t.equal(
    listDirectory.present(await run(listDirectory, { path: 'empty' }, world.ctx), { path: 'empty' }).content,
    '(Nothing to list.)'
  )
  for (const [path, expected] of Object.entries({
    'a.txt': 'NOT_A_DIRECTORY',
    none: 'FILE_NOT_FOUND',
    '..': 'INVALID_PATH'
  }))
    t.equal(await code(() => run(listDirectory, { path }, world.ctx)), expected)
  t.equal(snapshot(world.root).replace(/^empty.*\n/m, ''), before)
  world.abort.abort(new ToolError('CANCELLED', 'gone'))
  t.equal(await code(() => run(listDirectory, { path: '.' }, world.ctx)), 'CANCELLED')
})

t.test('a subject names every path that is touched', async t => {
  t.same(readFile.subject({ path: 'a' }, NO_HISTORY), { paths: [{ path: 'a', access: 'read' }] })
  t.same(listDirectory.subject({ path: 'a' }, NO_HISTORY), { paths: [{ path: 'a', access: 'list' }] })
  t.same(listDirectory.subject({ path: 'a', recursive: true }, NO_HISTORY), {
    paths: [{ path: 'a', access: 'list', tree: true }]
  })
})
