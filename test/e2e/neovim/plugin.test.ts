// The parts of the client for Neovim by themselves.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { PLUGIN } from './neovim.ts'

t.test('its parts do what they say', needs('nvim'), async t => {
  const script = path.join(PLUGIN, 'test/run.lua')
  const run = promisify(execFile)('nvim', ['--headless', '-u', 'NONE', '-i', 'NONE', '-c', `luafile ${script}`])
  const { stdout, ...ended } = await run.catch((failed: { stdout: string; stderr: string }) => failed)
  t.ok(stdout.includes('ok '), 'there are tests', { ended })
  for (const told of stdout.trim().split(/\n(?=(?:not )?ok )/)) t.match(told, /^ok /, told.split('\n', 1).join())
})
