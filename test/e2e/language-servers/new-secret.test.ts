// Tests that a language server that runs while a secret is saved stops no other program.
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { within } from '../../support/wait.ts'
import { LSP_PROJECTS, writeFiles } from './projects.ts'

const project = LSP_PROJECTS.find(({ server }) => server === 'clangd')!

t.test('programs run beside a server after a secret was saved', needs('sandbox', ...project.parts), async t => {
  const { call, root } = await startApp(t, { '.env': 'API_KEY=first\n' })
  writeFiles(project, root)
  const ask = () => within('diagnostics', call('diagnostics', { path: project.file }))
  t.match(await ask(), { status: 'success' })
  writeFileSync(path.join(root, 'env.new'), 'API_KEY=resaved-alpha\n')
  renameSync(path.join(root, 'env.new'), path.join(root, '.env'))
  const code = await within('a program', call('run_code', { language: 'bash', code: 'echo hello' }))
  t.match(code, { status: 'success', result: { data: { exit_code: 0 } } })
  t.match(await ask(), { status: 'success' })
})
