// Tests of language server responses in all forms of the protocol, and of invalid ones.
// tier: full
import { mock } from 'node:test'
import iconv from 'iconv-lite'
import t, { type Test } from 'tap'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { FAKE_SERVER, FAKE_SERVERS, startWithFakeServer } from './fake-fixture.ts'

const FILES = { 'a.yaml': 'one 🦊 two\nthree\n', 'b.yaml': '🦊🦊 four\n' }
/** Enough for a server to start, also on a busy machine; two tests wait as long. */
const START_MS = 10_000
const ANSWER_MS = 100
const AT = { path: 'a.yaml', line: 1, col: 1 }
const range = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to }
})

/** Queries a server with this behaviour from now on, except for its initialization. */
async function place(t: Test, first: object = {}) {
  const app = await startWithFakeServer(t, FILES, { behaviour: first })
  return async (behaviour: object, tool: string, params: object = AT): Promise<Json> => {
    app.write('fake.json', JSON.stringify({ ...first, ...behaviour }))
    return app.call(tool, params)
  }
}
const where = ({ path, line, column, end_line, end_column }: Json) =>
  `${path} ${line}:${column}-${end_line}:${end_column}`

t.test('places', needs('sandbox'), async t => {
  const asked = await place(t)
  const places = async (definition: unknown) => {
    const { result, error } = await asked({ definition }, 'definition')
    return result?.data.places.map(where) ?? error
  }
  const uri = '$ROOT/b.yaml'
  t.same(await places({ uri, range: range(0, 5, 9) }), ['b.yaml 1:4-1:8'], 'one, counted in the text of its file')
  t.same(await places([{ uri: '$ROOT/a.yaml', range: range(0, 7, 10) }]), ['a.yaml 1:7-1:10'])
  t.same(
    await places([{ targetUri: uri, targetRange: range(0, 0, 9), targetSelectionRange: range(0, 5, 9) }]),
    ['b.yaml 1:4-1:8'],
    'a link'
  )
  t.same(await places(null), [])
  t.same(
    await places([
      { uri: 'file:///usr/include/x.h', range: range(2, 4, 6) },
      { uri: '$ROOT/gone.yaml', range: range(2, 4, 6) },
      { uri: 'jdt://contents/x', range: range(0, 0, 0) },
      { uri, range: range(99, 0, 5) }
    ]),
    ['/usr/include/x.h 3:5-3:7', 'gone.yaml 3:5-3:7', 'b.yaml 2:1-2:1'],
    'outside, gone, in no file, and beyond the end'
  )
  const byBytes = await place(t, { capabilities: { positionEncoding: 'utf-8' } })
  const { result } = await byBytes({ definition: { uri, range: range(0, 9, 13) } }, 'definition')
  t.same(result.data.places.map(where), ['b.yaml 1:4-1:8'], 'by bytes')
})

t.test('hovers', needs('sandbox'), async t => {
  const asked = await place(t)
  const text = async (contents: unknown) =>
    (await asked({ hover: contents && { contents, range: range(0, 4, 6) } }, 'hover')).result.data
  t.match(await text({ kind: 'markdown', value: ' **a** ' }), {
    text: '**a**',
    line: 1,
    column: 5,
    end_line: 1,
    end_column: 6
  })
  t.match(await text(['a', { language: 'ts', value: 'let b' }, '']), { text: 'a\n\n```ts\nlet b\n```' })
  t.match(await text(null), { text: null, truncated: false })
  t.strictSame((await text('🦊'.repeat(20_000))).truncated, false)
  const { text: cut, truncated } = await text('🦊'.repeat(20_001))
  t.strictSame([cut === '🦊'.repeat(20_000), truncated], [true, true], 'a longer one is cut, and said to be')
})

t.test('symbols', needs('sandbox'), async t => {
  const asked = await place(t)
  const symbols = async (all: unknown, params: object) => {
    const { result, error } = await asked({ symbols: all }, 'symbols', params)
    return (
      result?.data.symbols.map(
        ({ name, kind, container = '', ...at }: Json) => `${container}/${name} ${kind} ${where(at)}`
      ) ?? error
    )
  }
  const inner = { name: 'in', kind: 6, range: range(1, 0, 5), selectionRange: range(1, 0, 5) }
  t.same(
    await symbols(
      [{ name: 'out', kind: 5, range: range(0, 0, 10), selectionRange: range(0, 7, 10), children: [inner] }],
      { path: 'a.yaml' }
    ),
    ['/out class a.yaml 1:7-1:10', 'out/in method a.yaml 2:1-2:6']
  )
  const information = {
    name: 'x',
    kind: 99,
    containerName: 'y',
    location: { uri: '$ROOT/b.yaml', range: range(0, 5, 9) }
  }
  t.same(await symbols([information], { path: 'a.yaml' }), ['y/x symbol b.yaml 1:4-1:8'])
  t.same(await symbols(null, { path: 'a.yaml' }), [])
  t.same(
    await symbols([information, { ...information, location: { uri: '$ROOT/a.yaml' } }], { query: 'x' }),
    ['y/x symbol b.yaml 1:4-1:8', 'y/x symbol a.yaml 1:1-1:1'],
    'by name, with or without a place'
  )
  t.match(await (await place(t))({}, 'symbols', { query: 'x' }), {
    error: {
      code: 'LSP_UNAVAILABLE',
      message: 'No language server of this workspace can find symbols by name.'
    }
  })
})

t.test('a search by name starts the server of the main language', needs('sandbox'), async t => {
  const files = { 'a.yaml': 'one\n', 'b.yaml': 'two\n', 'c/d.py': 'three\n', 'e.py': 'four\n', 'f.rs': 'five\n' }
  const four = { name: 'four', kind: 12, location: { uri: '$ROOT/e.py', range: range(0, 0, 4) } }
  const app = await startWithFakeServer(t, files, { behaviour: { symbols: [four] } })
  const { result, error } = await app.call('symbols', { query: 'four' })
  t.match(result?.data ?? error, {
    symbols: [{ name: 'four', path: 'e.py', line: 1 }],
    answered: [{ server: 'pyright' }]
  })
  t.same(
    (await app.states()).map(({ server }) => server),
    ['pyright'],
    'no other is started'
  )
})

t.test('trusts an empty answer of a server that has loaded the project', needs('sandbox'), async t => {
  const symbols = [{ name: 'a', kind: 5, location: { uri: '$ROOT/a.yaml', range: range(0, 0, 3) } }]
  const known = { hover: { contents: 'known' }, symbols }
  for (const [tool, params, told] of [
    ['hover', AT, { text: 'known' }],
    ['symbols', { path: 'a.yaml' }, { symbols: [{ name: 'a' }] }]
  ] as const) {
    const asked = await place(t, { ...known, reads_ms: 500 })
    const { result, error } = await asked({}, tool, params)
    t.match(result?.data ?? error, told, tool)
  }
})

t.test('waits once for a server that loads forever', needs('sandbox'), async t => {
  const options = { behaviour: { reads_ms: 600_000 }, settings: { start_ms: START_MS } }
  const app = await startWithFakeServer(t, FILES, options)
  const events = await app.events('?types=tool.progress,tool.result')
  const waits = async () => {
    const { tool_call_id, result } = await app.call('definition', AT)
    t.equal(result.data.answered.readiness, 'loading')
    const all = await events.type('tool.result', event => event.tool_call_id === tool_call_id)
    t.not(all.length, 0)
    return events.seen.filter((event: Json) => event.tool_call_id === tool_call_id && /loading/.test(event.message))
      .length
  }
  t.equal(await waits(), 1)
  t.equal(await waits(), 0, 'the next question is answered at once')
})

t.test('waits once for the diagnostics of a server that loads forever', needs('sandbox'), async t => {
  const settings = {
    servers: { ...FAKE_SERVERS, clangd: { command: FAKE_SERVER } },
    start_ms: START_MS,
    answer_ms: ANSWER_MS
  }
  const app = await startWithFakeServer(t, { 'a.c': 'a\nloads headers\n' }, { settings })
  await app.call('definition', { path: 'a.c', line: 1, col: 1 })
  const timeouts = mock.method(AbortSignal, 'timeout')
  t.teardown(() => timeouts.mock.restore())
  const { result } = await app.call('diagnostics', { path: 'a.c' })
  t.match(result.data, { diagnostics: [], answered: [{ readiness: 'loading' }] })
  t.not(result.data.status, 'complete')
  const limits = timeouts.mock.calls.map(({ arguments: [ms] }) => ms)
  t.ok(limits.includes(ANSWER_MS), 'it is awaited only as long as an answer')
})

t.test('waits until a server that reports progress has loaded the project', needs('sandbox'), async t => {
  const settings = { servers: { ...FAKE_SERVERS, clangd: { command: FAKE_SERVER } } }
  const app = await startWithFakeServer(t, { 'a.c': 'a\nloads headers\n' }, { settings })
  const events = await app.events()
  const { result: early } = await app.call('hover', { path: 'a.c', line: 1, col: 1 })
  t.equal(early.data.answered.readiness, 'loading', 'answers about one file do not wait')
  const asking = app.call('definition', { path: 'a.c', line: 1, col: 1 })
  await events.type('tool.progress', ({ message }) => message === 'clangd is loading the project: headers')
  app.write('a.c', 'a\nloaded\n')
  await app.call('hover', { path: 'a.c', line: 1, col: 1 })
  const { result } = await asking
  t.match(result.data.answered, { server: 'clangd', readiness: 'partial' }, 'it has no compilation database')
})

t.test('handles unsupported requests', needs('sandbox'), async t => {
  t.match(await (await place(t, { capabilities: { hoverProvider: false } }))({}, 'hover'), {
    error: {
      code: 'LSP_UNAVAILABLE',
      message: 'The language server yaml-language-server does not support hover information.'
    }
  })
})

t.test('refuses to rename where a server has read other text', needs('sandbox'), async t => {
  const names = Array.from({ length: 51 }, (_, i) => `${i}.yaml`)
  const changes = (line: number) =>
    Object.fromEntries(names.map(name => [`$ROOT/${name}`, [{ range: range(line, 5, 9), newText: 'x' }]]))
  const app = await startWithFakeServer(t, FILES, { behaviour: {} })
  for (const name of names) app.write(name, iconv.encode('# Это комментарий\nkey: name # имя\n', 'koi8-r'))
  const rename = async (line: number) => {
    app.write('fake.json', JSON.stringify({ rename: { changes: changes(line) } }))
    return app.call('rename_symbol', { ...AT, new_name: 'x' })
  }
  t.match(await rename(1), { status: 'awaiting_approval' }, 'only ASCII precedes it')
  t.match(await rename(0), {
    status: 'error',
    error: {
      code: 'EXECUTION_ERROR',
      message:
        /^yaml-language-server reads files as UTF-8, but these files have another encoding: .*\. The positions of the changes are uncertain, so nothing was changed\. Save the files in UTF-8, or edit them without rename_symbol\.$/
    }
  })
})

t.test('renames', needs('sandbox'), async t => {
  const edit = (newText: string, at = range(0, 0, 3)) => ({ range: at, newText })
  const asked = await place(t, { capabilities: { renameProvider: { prepareProvider: true } }, prepare: range(0, 0, 3) })
  const rename = (behaviour: object) => asked(behaviour, 'rename_symbol', { ...AT, new_name: 'x' })
  const refused = async (rename_edit: unknown, error: object, more: object = {}) =>
    t.match((await rename({ rename: rename_edit, ...more })).error, error, JSON.stringify(rename_edit))

  const { status, approval } = await rename({
    rename: {
      documentChanges: [
        { textDocument: { uri: '$ROOT/a.yaml', version: 1 }, edits: [edit('y', range(0, 7, 10)), edit('x')] },
        { textDocument: { uri: '$ROOT/b.yaml', version: null }, edits: [edit('z', range(0, 5, 9))] }
      ]
    }
  })
  t.equal(status, 'awaiting_approval')
  t.match(approval.preview.diff, /-one 🦊 two\n\+x 🦊 y\n[\s\S]*-🦊🦊 four\n\+🦊🦊 z\n/)

  const changes = (edits: object[], uri = '$ROOT/a.yaml') => ({ changes: { [uri]: edits } })
  await refused(null, { code: 'INVALID_PARAMS' })
  await refused(changes([edit('x')]), { code: 'INVALID_PARAMS', message: /nothing to rename/ }, { prepare: null })
  await refused(
    changes([edit('x')]),
    { code: 'INVALID_PARAMS', message: /You cannot rename this element/ },
    { prepare: 'fault' }
  )
  const overlapping = {
    code: 'EXECUTION_ERROR',
    message: /a\.yaml overlaps another change of the file\. Nothing was changed/
  }
  await refused(changes([edit('x'), edit('y', range(0, 2, 5))]), overlapping)
  await refused(changes([edit('x', range(0, 3, 1))]), overlapping)
  const beyond = { code: 'EXECUTION_ERROR', message: /a\.yaml is outside the file\. Nothing was changed/ }
  await refused(changes([edit('x', range(0, 0, 99))]), beyond)
  await refused(changes([edit('x', range(9, 0, 0))]), beyond)
  const snippet = { range: range(0, 0, 3), snippet: { kind: 'snippet', value: '$1' } }
  await refused(
    {
      documentChanges: [
        { textDocument: { uri: '$ROOT/a.yaml', version: 1 }, edits: [edit('y', range(0, 7, 10)), snippet] }
      ]
    },
    { code: 'EXECUTION_ERROR', message: /of a\.yaml is not plain text\. Nothing was changed/ }
  )
  await refused(changes([edit('x')], 'file:///etc/passwd'), { code: 'INVALID_PATH', message: /outside the workspace/ })
  await refused(
    { documentChanges: [{ kind: 'create', uri: '$ROOT/new.yaml' }] },
    { code: 'EXECUTION_ERROR', message: /would create a file/ }
  )
  await refused(
    { documentChanges: [{ textDocument: { uri: '$ROOT/a.yaml', version: 99 }, edits: [edit('x')] }] },
    { code: 'STALE_FILE' }
  )
})
