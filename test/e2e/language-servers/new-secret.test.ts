// Tests that a language server does not live on beside a secret that has become visible to it, and stops no other program.
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { within } from '../../support/wait.ts'
import { LSP_PROJECTS, writeFiles } from './projects.ts'

const project = LSP_PROJECTS.find(({ server }) => server === 'clangd')!

t.test('a server is started again after a secret was saved', needs('sandbox', ...project.parts), async t => {
  const { call, root, write } = await startApp(t, { '.env': 'API_KEY=first\n' })
  writeFiles(project, root)
  const ask = () => within('diagnostics', call('diagnostics', { path: project.file }))
  t.match(await ask(), { status: 'success' })
  writeFileSync(path.join(root, 'env.new'), 'API_KEY=resaved-alpha\n')
  renameSync(path.join(root, 'env.new'), path.join(root, '.env'))
  const code = await within('a program', call('run_code', { language: 'bash', code: 'echo hello' }))
  t.match(code, { status: 'success', result: { data: { exit_code: 0 } } })
  write('guess.c', 'enum {\n#include ".env"\n};\n')
  const asked = await within('diagnostics', call('diagnostics', { path: 'guess.c' }))
  t.equal(asked.status, 'success', JSON.stringify(asked.error))
  t.notMatch(JSON.stringify(asked), 'resaved')
  t.match(await ask(), { status: 'success' })
})
