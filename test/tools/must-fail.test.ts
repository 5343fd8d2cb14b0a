// Tests of calls that must fail because of the workspace, or of what is installed: they fail before a person is asked.
// tier: quick
import path from 'node:path'
import t from 'tap'
import { startApp } from '../start-app.ts'
import { makeTestFolder } from '../support/test-folder.ts'

const FILES = {
  'a.ts': 'let a = 1\n',
  'notes.unknown': 'text\n',
  'crate/Cargo.toml': '[package]\nname = "crate"\n',
  'go/go.mod': 'module example.com/a\n',
  'python/uv.lock': ''
}

const CASES: [tool: string, params: object, error: { code: string; message: RegExp; recoverable?: boolean }][] = [
  [
    'symbols',
    { query: 'a' },
    { code: 'LSP_UNAVAILABLE', message: /^No language server for typescript is installed\./, recoverable: false }
  ],
  [
    'rename_symbol',
    { path: 'notes.unknown', line: 1, col: 1, new_name: 'b' },
    { code: 'LSP_UNAVAILABLE', message: /knows no language server/, recoverable: false }
  ],
  ['format_code', { paths: ['missing.ts'] }, { code: 'FILE_NOT_FOUND', message: /missing\.ts does not exist/ }],
  ['run_tests', {}, { code: 'INVALID_PARAMS', message: /cannot be detected/ }],
  ['run_tests', { path: 'missing' }, { code: 'FILE_NOT_FOUND', message: /missing does not exist/ }],
  [
    'run_tests',
    { runner: 'jest' },
    { code: 'EXECUTION_ERROR', message: /^jest is not installed in the workspace\.$/, recoverable: false }
  ],
  [
    'run_tests',
    { path: 'crate' },
    {
      code: 'EXECUTION_ERROR',
      message: /^cargo is not installed: cargo is not on the search path of commands\.$/,
      recoverable: false
    }
  ],
  ['run_tests', { path: 'go' }, { code: 'EXECUTION_ERROR', message: /^go is not installed/, recoverable: false }],
  ['install_package', { packages: ['a'] }, { code: 'INVALID_PARAMS', message: /cannot be detected/ }],
  [
    'install_package',
    { packages: ['serde'], cwd: 'crate' },
    { code: 'EXECUTION_ERROR', message: /^cargo is not installed/, recoverable: false }
  ],
  ['git_status', {}, { code: 'FILE_NOT_FOUND', message: /repository/ }],
  ['git_commit', { message: 'Begin', files: ['a.ts'] }, { code: 'FILE_NOT_FOUND', message: /repository/ }],
  ['git_push', {}, { code: 'FILE_NOT_FOUND', message: /repository/ }]
]

t.test('a machine without programs', async t => {
  const { call, get, read } = await startApp(t, FILES, {
    environment: { ...process.env, PATH: path.join(makeTestFolder(t), 'nothing') }
  })
  for (const [tool, params, error] of CASES) {
    const ended = await call(tool, params)
    t.match(
      { status: ended.status, error: ended.error },
      { status: 'error', error },
      `${tool} ${JSON.stringify(params)}`
    )
  }
  const formatted = await call('format_code', { paths: ['notes.unknown', 'a.ts'] })
  t.match(formatted, {
    status: 'success',
    result: { data: { changed: [], failed: [{ path: 'notes.unknown' }, { path: 'a.ts' }] } }
  })
  t.equal(read('a.ts'), FILES['a.ts'])
  t.same((await get('/approvals')).approvals, [])
})
