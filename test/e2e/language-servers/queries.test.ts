// Tests of queries over HTTP to the servers for TypeScript.
import t from 'tap'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { startTypeScriptProject, successData, TYPESCRIPT, TYPESCRIPT_PROJECT } from './world.ts'

const hash = (text: string) => hashBytes(Buffer.from(text))
const LINES = {
  greet: TYPESCRIPT_PROJECT['src/greet.ts'].split('\n'),
  main: TYPESCRIPT_PROJECT['src/main.ts'].split('\n')
}
const place = (path: string, line: number, column: number, name: string) => ({
  path,
  line,
  column,
  end_line: line,
  end_column: column + name.length,
  text: (path === 'src/greet.ts' ? LINES.greet : LINES.main)[line - 1]
})
const DEFINED = place('src/greet.ts', 2, 17, 'greet')
const USES = [
  DEFINED,
  place('src/main.ts', 1, 10, 'greet'),
  place('src/main.ts', 3, 32, 'greet'),
  place('src/main.ts', 4, 10, 'greet')
]

for (const [server, { part, settings }] of Object.entries(TYPESCRIPT))
  t.test(`${server} answers queries`, needs('sandbox', part), async t => {
    const { done } = await startTypeScriptProject(t, TYPESCRIPT_PROJECT, { settings: { language_servers: settings } })
    const by = (path: string) => ({
      server,
      root: '.',
      readiness: 'ready',
      document: { path, hash: hash(TYPESCRIPT_PROJECT[path as keyof typeof TYPESCRIPT_PROJECT]) }
    })
    const asked = async (tool: string, params: object) => {
      const { answered, ...rest } = successData(await done(tool, params))
      return { ...rest, answered: [answered].flat() }
    }

    const first = await asked('definition', { path: 'src/main.ts', line: 3, symbol: 'greet' })
    t.match(first, { places: [DEFINED], truncated: false, answered: [{ ...by('src/main.ts'), readiness: /./ }] })
    const again = await asked('definition', { path: './src/../src/main.ts', line: 4, col: 10 })
    t.match(again, { places: [DEFINED], answered: [by('src/main.ts')] })

    const used = await asked('references', { path: 'src/greet.ts', line: 2, symbol: 'greet' })
    t.strictSame(used.places, USES)
    t.match(used, { total: 4, truncated: false, answered: [by('src/greet.ts')] })
    t.match(await asked('references', { path: 'src/greet.ts', line: 2, symbol: 'greet', limit: 2 }), {
      places: USES.slice(0, 2),
      total: 4,
      truncated: true
    })

    const hovered = await asked('hover', { path: 'src/main.ts', line: 3, symbol: 'greet' })
    t.match(hovered, { text: /greet\(name: string\): string[\s\S]*Says hello/, answered: [by('src/main.ts')] })
    t.match(await asked('hover', { path: 'src/main.ts', line: 2, col: 1 }), { text: null })

    const listed = await asked('symbols', { path: 'src/greet.ts' })
    t.match(listed, { symbols: [{ name: 'greet', kind: 'function', path: 'src/greet.ts' }], total: 1 })
    const found = await asked('symbols', { query: 'greet' })
    t.match(found, { symbols: [{ name: 'greet', kind: 'function', path: 'src/greet.ts', line: 2 }] })

    const none = await asked('diagnostics', { path: 'src/main.ts' })
    t.match(none, { diagnostics: [], status: 'complete', counts: { error: 0 } })
  })

t.test('answers from the content on disk or in an editor', needs('sandbox', 'tsc'), async t => {
  const { done, write, request } = await startTypeScriptProject(t)
  const counted = async (path?: string) => {
    const { counts, answered } = successData(await done('diagnostics', { ...(path !== undefined && { path }) }))
    return { errors: counts.error, document: answered[0]?.document }
  }
  t.match(await counted('src/main.ts'), { errors: 0, document: { hash: hash(TYPESCRIPT_PROJECT['src/main.ts']) } })

  const numbers = TYPESCRIPT_PROJECT['src/greet.ts'].replace('name: string', 'name: number')
  write('src/greet.ts', numbers)
  t.match(await counted('src/main.ts'), { errors: 2 }, 'somebody else changed a file behind its back')

  const buffers = [{ path: 'src/main.ts', content: "import { greet } from './greet.js'\n\ngreet(1)\n" }]
  await request('PUT', '/buffers', { buffers })
  const unsaved = { path: 'src/main.ts', hash: hash(buffers[0]!.content), unsaved: true }
  t.strictSame(await counted('src/main.ts'), { errors: 0, document: unsaved })
  t.match(successData(await done('definition', { path: 'src/main.ts', line: 3, symbol: 'greet' })), {
    places: [{ line: 2 }],
    answered: { document: unsaved }
  })
  await request('DELETE', '/buffers?path=src/main.ts')
  t.match(await counted('src/main.ts'), { errors: 2, document: { hash: hash(TYPESCRIPT_PROJECT['src/main.ts']) } })

  write('src/more.ts', 'export const wrong: number = "x"\n')
  const { diagnostics } = successData(await done('diagnostics', { path: 'src' }))
  t.strictSame(
    diagnostics.map(({ path, line, severity }: { path: string; line: number; severity: string }) => [
      path,
      line,
      severity
    ]),
    [
      ['src/main.ts', 3, 'error'],
      ['src/main.ts', 4, 'error'],
      ['src/more.ts', 1, 'error']
    ]
  )
})

t.test('rejects unsupported queries', needs('sandbox', 'tsc'), async t => {
  const app = await startTypeScriptProject(t, { ...TYPESCRIPT_PROJECT, 'notes.xyz': 'a b\n', 'binary.ts': '\0\0' })
  const refused = async (tool: string, params: object, code: string, message: RegExp) =>
    t.match(await app.done(tool, params), { status: 'error', error: { code, message } }, JSON.stringify(params))
  const at = { path: 'src/main.ts', line: 3 }
  await refused('hover', at, 'INVALID_PARAMS', /^\/params\/col: is required/)
  await refused('hover', { ...at, col: 1, symbol: 'fox' }, 'INVALID_PARAMS', /^\/params\/symbol: cannot be combined/)
  await refused(
    'hover',
    { ...at, symbol: 'wolf' },
    'INVALID_PARAMS',
    /"wolf" is not on line 3, which has const, fox, loud, greet\.$/
  )
  await refused('hover', { ...at, line: 2, symbol: 'x' }, 'INVALID_PARAMS', /which has no names\.$/)
  await refused('hover', { ...at, line: 99, symbol: 'x' }, 'INVALID_PARAMS', /^\/params\/line: is past the end/)
  await refused('hover', { ...at, line: 99, col: 1 }, 'INVALID_PARAMS', /There is no line 99/)
  await refused('hover', { ...at, col: 400 }, 'INVALID_PARAMS', /Line 3 has 41 characters/)
  await refused('hover', { path: 'gone.ts', line: 1, col: 1 }, 'FILE_NOT_FOUND', /gone.ts/)
  await refused('hover', { path: 'src', line: 1, col: 1 }, 'NOT_A_FILE', /folder/)
  await refused('hover', { path: 'binary.ts', line: 1, symbol: 'x' }, 'INVALID_PARAMS', /is not a text file/)
  await refused('hover', { path: 'notes.xyz', line: 1, col: 1 }, 'LSP_UNAVAILABLE', /knows no language server/)
  await refused('diagnostics', { path: 'gone' }, 'FILE_NOT_FOUND', /gone/)
  await refused('symbols', {}, 'INVALID_PARAMS', /is required, but not both/)
  await refused('symbols', { path: 'src/main.ts', query: 'x' }, 'INVALID_PARAMS', /is required, but not both/)
  await refused('rename_symbol', { path: 'src/main.ts', line: 2, col: 1, new_name: 'x' }, 'INVALID_PARAMS', /rename/)
})

t.test('a call cancelled while a server starts ends at once', needs('sandbox', 'tsc'), async t => {
  const { post, get } = await startTypeScriptProject(t)
  const { tool_call_id } = await post('/calls?wait_ms=0', {
    tool: 'definition',
    params: { path: 'src/main.ts', line: 3, symbol: 'greet' }
  })
  await post(`/calls/${tool_call_id}/cancel`, {})
  t.match(await get(`/calls/${tool_call_id}?wait_ms=120000`), { status: /cancelled|success/ })
})

t.test('names a missing server, with its installation', async t => {
  const { PATH } = process.env
  process.env.PATH = ''
  t.teardown(() => {
    process.env.PATH = PATH
  })
  const app = await startApp(t, { 'a.go': 'package a\n', 'a.unknown': 'text\n' })
  t.match((await app.call('definition', { path: 'a.go', line: 1, col: 1 })).error, {
    code: 'LSP_UNAVAILABLE',
    details: { language: 'go', server: 'gopls', install: 'go install golang.org/x/tools/gopls@latest' }
  })
  t.match((await app.call('definition', { path: 'a.unknown', line: 1, col: 1 })).error, { code: 'LSP_UNAVAILABLE' })
})
