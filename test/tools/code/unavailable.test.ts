// Tests of language tools for files without an installed server: a person is not asked about a call that must fail.
// tier: full
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'

t.test('refuses a call without a server before a person is asked, as one that a retry does not help', async t => {
  const { call, get } = await startApp(t, { 'a.unknown': 'text\n', 'a.zig': 'const a = 1;\n' })
  const at = { line: 1, col: 1 }
  for (const [tool, more] of [
    ['hover', at],
    ['definition', at],
    ['references', at],
    ['symbols', {}],
    ['diagnostics', {}]
  ] as const)
    for (const path of ['a.unknown', 'a.zig']) {
      const { status, error } = await call(tool, { path, ...more })
      t.match({ status, error }, { status: 'error', error: { code: 'LSP_UNAVAILABLE', recoverable: false } }, tool)
    }
  t.same((await get('/approvals')).approvals, [])
})

t.test('says that language servers are switched off before a person is asked', async t => {
  const language_servers = { ...defaultSettings().language_servers, enabled: false }
  const { call } = await startApp(t, { 'a.ts': 'let a = 1\n' }, { settings: { language_servers } })
  t.match(await call('hover', { path: 'a.ts', line: 1, col: 5 }), {
    status: 'error',
    error: { code: 'LSP_UNAVAILABLE', message: /disabled/, recoverable: false }
  })
})
