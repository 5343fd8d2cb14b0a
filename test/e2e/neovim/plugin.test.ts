import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { run } from '../../support/wait.ts'
import { PLUGIN } from './neovim.ts'

t.test('passes the unit tests of its modules', needs('nvim'), async t => {
  const script = path.join(PLUGIN, 'test/run.lua')
  const running = run('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`])
  const { stdout, ...ended } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  t.ok(stdout.includes('ok '), 'there are tests', { ended })
  for (const told of stdout.trim().split(/\n(?=(?:not )?ok )/)) t.match(told, /^ok /, told.split('\n', 1).join())
})
