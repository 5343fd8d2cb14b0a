// Tests of tools with a stubbed language server that gives unusual answers.
// tier: quick
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Static, TSchema } from 'typebox'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import type { Host } from '../../../src/host/host.ts'
import type {
  LanguageService,
  RenamedFile,
  Respondent,
  SourceLocation,
  SourcePosition
} from '../../../src/host/lsp/language-service.ts'
import type { RunContext } from '../../../src/tool/contexts.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import definition from '../../../src/tools/code/definition.ts'
import diagnostics from '../../../src/tools/code/diagnostics.ts'
import { findSymbolColumn } from '../../../src/tools/code/lib/position-param.ts'
import references from '../../../src/tools/code/references.ts'
import renameSymbol from '../../../src/tools/code/rename_symbol.ts'
import symbols from '../../../src/tools/code/symbols.ts'
import {
  catchToolError,
  createToolFixture,
  type FileTree,
  planOf,
  previewOf,
  requestOf,
  reviewOf,
  runPlanned,
  runTool
} from '../fixture.ts'

const answered: Respondent = { server: 'fake', root: '.', readiness: 'ready' }
const span = (line: number, column: number, end: number) => ({ start: { line, column }, end: { line, column: end } })

/** Creates a workspace with these language server answers. */
function worldWith(t: Test, tree: FileTree, languages: Partial<LanguageService>, more: Partial<RunContext> = {}) {
  const world = createToolFixture(t, tree)
  const fake = {
    onProgress: () => {},
    assertInstalled: async () => {},
    assertFindsSymbols: async () => {},
    isolationLevel: async () => 'read-only' as const,
    isRunning: () => true,
    ...languages
  }
  return { ...world, ctx: { ...world.ctx, host: { ...world.ctx.host, languages: fake } as unknown as Host, ...more } }
}

/** Like the engine: resolves the paths first and evaluates them. */
async function touch<I extends TSchema, O extends TSchema, P>(tool: Tool<I, O, P>, input: Static<I>, ctx: RunContext) {
  const { paths = [] } = await requestOf(tool, input, ctx)
  const plan = await planOf(tool, input, ctx)
  const uses = [...paths, ...(plan.paths ?? [])]
  ctx.host.files.allowedChanges.restrict()
  for (const { path, access, entry, tree = false } of uses) {
    const found = entry ? ctx.host.files.resolveEntry(path) : ctx.host.files.resolve(path)
    if (access === 'write') ctx.host.files.allowedChanges.add(found.path, { given: path, tree })
  }
  return { uses, plan }
}

const FILE = 'let old = 1\r\nuse(old)\r\n'
const TO_NEW = { path: 'a.js', line: 1, symbol: 'old', new_name: 'new' }
const edit = (line: number, column: number, end: number, text = 'new') => ({ ...span(line, column, end), text })
const RENAMED: RenamedFile = { path: 'a.js', hash: hashBytes(Buffer.from(FILE)), edits: [edit(1, 5, 8), edit(2, 5, 8)] }
const renames = (...files: RenamedFile[]): Partial<LanguageService> => ({ rename: async () => ({ files, answered }) })

t.test('a rename equals its preview, over moves, encodings and line endings', async t => {
  const utf16 = Buffer.from('\ufeffold 😀 old\n', 'utf16le')
  const tree = { 'a.js': FILE, lib: { 'old.js': 'old\n', 'b.js': utf16 } }
  const { ctx, root, files } = worldWith(
    t,
    tree,
    renames(
      RENAMED,
      { path: 'lib/old.js', movedTo: 'lib/new.js', hash: hashBytes(Buffer.from('old\n')), edits: [edit(1, 1, 4)] },
      { path: 'lib/b.js', hash: hashBytes(utf16), edits: [edit(1, 7, 10), edit(1, 1, 4)] }
    )
  )
  const { uses } = await touch(renameSymbol, TO_NEW, ctx)
  t.strictSame(
    uses.filter(({ access }) => access === 'write').map(({ path, entry = false }) => [path, entry]),
    [
      ['a.js', false],
      ['a.js', false],
      ['lib/old.js', true],
      ['lib/new.js', false],
      ['lib/b.js', false]
    ]
  )
  const forced = await reviewOf(renameSymbol, TO_NEW, ctx)
  const preview = await previewOf(renameSymbol, TO_NEW, ctx)
  const output = await runTool(renameSymbol, TO_NEW, ctx)
  const strictReason =
    'lib/b.js: In utf-16le the new text has bytes that programs may read as "="; the diff does not show them.'
  t.strictSame(preview, {
    title: 'Rename old to new',
    diff: output.files.map(({ diff }) => diff).join(''),
    notes: [strictReason]
  })
  t.strictSame(forced, { strict: strictReason })
  t.strictSame(
    output.files.map(({ path, from, edits }) => [path, from, edits]),
    [
      ['a.js', undefined, 2],
      ['lib/new.js', 'lib/old.js', 1],
      ['lib/b.js', undefined, 2]
    ]
  )
  const bytes = async (path: string) => (await files.snapshot(path))?.bytes
  t.same(await bytes('a.js'), Buffer.from('let new = 1\r\nuse(new)\r\n'))
  t.same(await bytes('lib/b.js'), Buffer.from('\ufeffnew 😀 new\n', 'utf16le'))
  t.same(await bytes('lib/new.js'), Buffer.from('new\n'))
  t.equal(await bytes('lib/old.js'), undefined)
  t.ok(root)
})

t.test('rejects impossible edits, and changes nothing', async t => {
  const refused = async (file: Partial<RenamedFile>, code: string, message: RegExp) => {
    const { ctx, files } = worldWith(t, { 'a.js': FILE, 'b.bin': '\0' }, renames({ ...RENAMED, ...file }))
    const error = await catchToolError(async () => {
      await touch(renameSymbol, TO_NEW, ctx)
      await runTool(renameSymbol, TO_NEW, ctx)
    })
    t.match({ code: error.code, message: error.message }, { code, message })
    t.equal((await files.snapshot('a.js'))?.hash, RENAMED.hash)
  }
  await refused(
    { edits: [edit(1, 5, 8), edit(1, 7, 9)] },
    'EXECUTION_ERROR',
    /^fake returned edits of a.js that overlap/
  )
  await refused({ edits: [edit(1, 5, 80)] }, 'EXECUTION_ERROR', /past the end of the file/)
  await refused({ edits: [edit(9, 1, 2)] }, 'EXECUTION_ERROR', /past the end of the file/)
  await refused({ hash: hashBytes(Buffer.from('other')) }, 'STALE_FILE', /^a.js was changed after fake read it/)
  await refused({ path: 'gone.js' }, 'STALE_FILE', /^gone.js was removed after fake read it/)
  await refused({ path: 'b.bin' }, 'BINARY_FILE', /^b.bin is not a text file/)
  await refused({ path: '../out.js' }, 'INVALID_PATH', /outside/)
  await refused({ movedTo: 'sub/../../x.js' }, 'INVALID_PATH', /not a\s+folder/)
  await refused({ path: '/usr/lib/x.js' }, 'INVALID_PATH', /outside the workspace: \/usr\/lib\/x.js/)
  await refused({ movedTo: '/tmp/x.js' }, 'INVALID_PATH', /outside the workspace: \/tmp\/x.js/)
})

t.test('reports nothing to rename, and too much', async t => {
  const attempt = async (files: RenamedFile[]) => {
    const { ctx } = worldWith(t, { 'a.js': FILE }, renames(...files))
    return catchToolError(async () => {
      await touch(renameSymbol, TO_NEW, ctx)
      await runTool(renameSymbol, TO_NEW, ctx)
    })
  }
  t.match(await attempt([]), { code: 'INVALID_PARAMS', message: /fake finds nothing to rename/ })
  const many = Array.from({ length: 2_001 }, (_, i) => ({ ...RENAMED, path: `f${i}.js` }))
  t.match(await attempt(many), { code: 'TOO_LARGE', message: /2001 files; the limit is 2000/ })
})

t.test('bounds a large rename', async t => {
  const text = 'use(old)\n'.repeat(5_000)
  const edits = Array.from({ length: 5_000 }, (_, i) => edit(i + 1, 5, 8))
  const { ctx } = worldWith(t, { 'a.js': text }, renames({ path: 'a.js', hash: hashBytes(Buffer.from(text)), edits }))
  await touch(renameSymbol, TO_NEW, ctx)
  const output = await runTool(renameSymbol, TO_NEW, ctx)
  t.match(output.files, [{ path: 'a.js', edits: 5_000, diff: /^--- a\/a\.js/, diff_truncated: true }])
  t.ok(output.files[0]!.diff.length < 51_200)
  const { title, content } = renameSymbol.present(output, TO_NEW)
  t.equal(title, 'new: a.js')
  t.ok(content.length < 60_000)
  t.match(content, /\n\(The diff is truncated\. Read the file\.\)\n\(From fake\.\)$/)
})

t.test('does not overwrite a file that changed after the preview', async t => {
  const { ctx, root } = worldWith(t, { 'a.js': FILE }, renames(RENAMED))
  const { plan } = await touch(renameSymbol, TO_NEW, ctx)
  await plan.preview!()
  writeFileSync(join(root, 'a.js'), 'let other\n')
  t.match(await catchToolError(() => runPlanned(renameSymbol, TO_NEW, ctx, plan)), { code: 'STALE_FILE' })
})

t.test('does not show unreadable files before approval', async t => {
  const both = renames(RENAMED, { ...RENAMED, path: 'b.js' })
  const { ctx } = worldWith(t, { 'a.js': FILE, 'b.js': FILE }, both, { canReveal: ({ path }) => path !== 'b.js' })
  await touch(renameSymbol, TO_NEW, ctx)
  t.strictSame(await previewOf(renameSymbol, TO_NEW, ctx), {
    title: 'Rename old to new',
    text: 'a.js\nb.js',
    notes: [
      'Reading one of the files requires approval: the changes of this file are shown in the result, after approval.'
    ]
  })
  t.match(await runTool(renameSymbol, TO_NEW, ctx), { files: [{ path: 'a.js' }, { path: 'b.js' }] })
})

t.test('while the project is loading, no rule auto-approves a rename', async t => {
  const loading = async () => ({ files: [RENAMED], answered: { ...answered, readiness: 'loading' as const } })
  const { ctx } = worldWith(t, { 'a.js': FILE }, { rename: loading })
  await touch(renameSymbol, TO_NEW, ctx)
  const why = 'fake has not loaded the whole project yet: the rename may be incomplete.'
  t.equal(await reviewOf(renameSymbol, TO_NEW, ctx), why)
  t.match(await previewOf(renameSymbol, TO_NEW, ctx), { notes: [why] })
})

t.test('reports a server that knows only some files, whose renames no rule auto-approves', async t => {
  const partly = { ...answered, readiness: 'partial' as const }
  const servers = {
    rename: async () => ({ files: [RENAMED], answered: partly }),
    references: async () => ({ places: [], answered: partly })
  }
  const { ctx } = worldWith(t, { 'a.js': FILE }, servers)
  await touch(renameSymbol, TO_NEW, ctx)
  const why = 'fake knows only the queried files and their imports'
  const told = `${why}: the rename may be incomplete.`
  t.equal(await reviewOf(renameSymbol, TO_NEW, ctx), told)
  t.match(await previewOf(renameSymbol, TO_NEW, ctx), { notes: [told] })
  const at = { path: 'a.js', line: 2, symbol: 'old' }
  t.match(references.present!(await runTool(references, at, ctx), at).content, `(${why}: there may be more results.)`)
})

t.test('an unsandboxed server requires approval, and is never started ahead', async t => {
  const { ctx } = worldWith(
    t,
    { 'a.js': FILE },
    { ...renames(RENAMED), isolationLevel: async () => undefined, isRunning: () => false }
  )
  t.match(await requestOf(definition, { path: 'a.js', line: 1, col: 1 }, ctx), {
    effect: 'execute',
    reasons: { approval: /runs without a sandbox/ }
  })
  t.match(await catchToolError(() => touch(renameSymbol, TO_NEW, ctx)), {
    code: 'LSP_UNAVAILABLE',
    message: /diagnostics/
  })
})

t.test('names locations outside and in unreadable files without text', async t => {
  const places: SourceLocation[] = [
    { path: 'a.js', ...span(1, 5, 8) },
    { path: '/usr/lib/lib.d.ts', ...span(3, 1, 2), outside: true },
    { path: '.env', ...span(1, 1, 2) },
    { path: 'gone.js', ...span(1, 1, 2) },
    { path: 'wide.js', ...span(1, 301, 304) }
  ]
  const asked: SourcePosition[] = []
  const define = async (at: SourcePosition) => {
    asked.push(at)
    return { places, answered: { ...answered, version: '1', readiness: 'loading' as const } }
  }
  const tree = { 'a.js': FILE, '.env': 'A=secret\n', 'wide.js': `${'x'.repeat(300)}old${'y'.repeat(300)}` }
  const { ctx } = worldWith(t, tree, { definition: define })
  const output = await runTool(definition, { path: 'a.js', line: 2, symbol: 'old' }, ctx)
  t.strictSame(asked, [{ path: 'a.js', line: 2, column: 5 }])
  const told = (line: number, column: number, end: number) => ({ line, column, end_line: line, end_column: end })
  t.strictSame(output.places, [
    { path: 'a.js', ...told(1, 5, 8), text: 'let old = 1' },
    { path: '/usr/lib/lib.d.ts', ...told(3, 1, 2), outside: true },
    { path: '.env', ...told(1, 1, 2), withheld: true },
    { path: 'gone.js', ...told(1, 1, 2) },
    { path: 'wide.js', ...told(1, 301, 304), text: `…${'x'.repeat(60)}old${'y'.repeat(137)}…` }
  ])
  t.match(
    definition.present(output, { path: 'a.js', line: 2, symbol: 'old' }).content,
    [
      'a.js:1:5: let old = 1',
      '/usr/lib/lib.d.ts:3:1 (outside the workspace)',
      '.env:1:1 (reading requires approval)'
    ].join('\n')
  )
  t.match(definition.present(output, { path: 'a.js', line: 2, symbol: 'old' }).content, /\(fake has not loaded/)
})

t.test('omits names and messages of unreadable files', async t => {
  const found = { severity: 'error' as const, message: 'secret', ...span(1, 1, 2) }
  const { ctx } = worldWith(
    t,
    { '.env': 'A=secret\n', 'a.js': FILE },
    {
      workspaceSymbols: async () => ({
        symbols: [
          { name: 'A', kind: 'variable', path: '.env', ...span(1, 1, 2) },
          { name: 'old', kind: 'variable', container: 'm', path: 'a.js', ...span(1, 5, 8) }
        ],
        answered: [answered]
      }),
      diagnostics: async () => ({
        diagnostics: [
          { ...found, path: '.env' },
          { ...found, path: 'a.js', severity: 'hint', message: 'fine', code: '7', source: 'js' }
        ],
        status: 'partial',
        answered: [{ ...answered, document: { path: 'a.js', hash: 'sha256:0', unsaved: true } }]
      })
    }
  )
  const listed = await runTool(symbols, { query: 'x' }, ctx)
  t.match(listed, { symbols: [{ name: 'old', container: 'm' }], total: 2, withheld: 1 })
  t.match(
    symbols.present(listed, { query: 'x' }).content,
    /^a.js:1:5 variable m › old\n\(Symbols omitted because reading their files requires approval: 1\.\)/
  )
  const all = await runTool(diagnostics, {}, ctx)
  t.strictSame(
    all.diagnostics.map(({ path, message, withheld }) => [path, message, withheld]),
    [
      ['.env', undefined, true],
      ['a.js', 'fine', undefined]
    ]
  )
  t.equal(
    diagnostics.present(all, {}).content,
    [
      '.env:1:1 (reading requires approval): error',
      'a.js:1:5: hint (js 7): fine'.replace(':5', ':1'),
      '(The check is not complete yet: there may be more problems.)',
      '(From fake.)',
      '(The language server used the unsaved text of a.js in an editor.)'
    ].join('\n')
  )
  const first = await runTool(diagnostics, { limit: 1 }, ctx)
  t.match(diagnostics.present(first, { limit: 1 }).content, /\(The first 1 of 2 results;/)
  t.match(
    diagnostics.present({ ...first, counts: { ...first.counts, error: 2 } }, { severity: 'error', limit: 1 }).content,
    /\(The first 1 of 2 results;/,
    'what was not asked for does not count'
  )
  t.match(await runTool(diagnostics, { severity: 'warning', limit: 1 }, ctx), {
    diagnostics: [{ path: '.env' }],
    counts: { error: 1, warning: 0, information: 0, hint: 1 },
    truncated: false
  })
})

t.test('reports the reason of a wait as progress', async t => {
  const told: unknown[] = []
  let tell = (_: string) => {}
  const { ctx } = worldWith(
    t,
    { 'a.js': FILE },
    {
      onProgress: listener => {
        tell = listener
      },
      definition: async () => {
        tell('starting fake')
        await new Promise(setImmediate)
        tell('loading')
        return { places: [], answered }
      }
    }
  )
  const steps = definition.run({ path: 'a.js', line: 1, col: 1 }, ctx, undefined) as AsyncGenerator
  for (let step = await steps.next(); !step.done; step = await steps.next()) told.push(step.value)
  t.strictSame(told[0], { message: 'starting fake' })
})

t.test('finds a whole name, at any position', async t => {
  t.equal(findSymbolColumn('old', 'older(old)'), 7)
  t.equal(findSymbolColumn('old', 'older'), undefined)
  t.equal(findSymbolColumn('a.b', 'x = 😀 + a.b'), 11, 'the last part is meant, and characters are counted')
  t.equal(findSymbolColumn('<T>', 'f<T>()'), 3)
  t.equal(findSymbolColumn('naïve', 'naïve naïvety'), 1)
  t.equal(findSymbolColumn('x', ''), undefined)
  const name = fc.constantFrom('old', 'x', '_y', '$z', 'größe', '名前')
  const between = fc
    .array(fc.constantFrom(' ', '\t', '😀', '.', '(', '"', '1+'), { minLength: 1 })
    .map(all => all.join(''))
  fc.assert(
    fc.property(fc.array(fc.tuple(between, name)), between, name, (before, gap, wanted) => {
      const others = before.filter(([, other]) => other !== wanted)
      const head = others.map(([space, other]) => `${space} ${other} `).join('') + gap
      return findSymbolColumn(wanted, `${head} ${wanted} end`) === [...head].length + 2
    })
  )
})
