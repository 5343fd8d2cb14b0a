import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { run } from '../../support/wait.ts'
import { PLUGIN } from './neovim.ts'

t.test('passes the unit tests of its modules', needs('nvim'), async t => {
  const script = path.join(PLUGIN, 'test/run.lua')
  const running = run('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`])
  const { stdout, ...ended } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  t.ok(stdout.includes('ok '), 'there are tests', { ended })
  for (const told of stdout.trim().split(/\n(?=(?:not )?ok )/)) t.match(told, /^ok /, told.split('\n', 1).join())
})

t.test('opens its help as installed, with tags for every topic', needs('nvim'), async t => {
  const folder = makeTestFolder(t)
  cpSync(path.join(PLUGIN, 'doc'), path.join(folder, 'doc'), { recursive: true })
  const flags = ['--headless', '-u', 'NONE', '-i', 'NONE']
  const open = `silent! help toolgate | call writefile([bufname()], '${folder}/opened')`
  await run('nvim', [...flags, '--cmd', `set rtp^=${PLUGIN}`, '-c', open, '-c', 'qa!'])
  t.match(readFileSync(path.join(folder, 'opened'), 'utf8'), /clients\/nvim\/doc\/toolgate\.txt$/m)

  await run('nvim', [...flags, '-c', `helptags ${folder}/doc`, '-c', 'qa!'])
  const [shipped, generated] = [PLUGIN, folder].map(each => readFileSync(path.join(each, 'doc/tags'), 'utf8'))
  t.equal(shipped, generated)
})
