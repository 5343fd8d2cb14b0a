// Tests of mount points that a sandbox created, and of their removal.
// tier: quick
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { startSandboxFixture } from '../fixture.ts'

/** Returns every path under a folder. */
const all = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()

t.test('a secret removed at the start of a command leaves no placeholder', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  for (const name of ['.env', 'deep/.env']) world.write(`workspace/${name}`, 'x')
  world.write('workspace/empty.pem', '')
  const program = { file: '/bin/true', args: [], cwd: world.root, env: {} }
  const kept = await world.sandbox.confine(program, { level: 'workspace', network: [] }, world.workspace)
  for (const name of ['.env', 'deep/.env']) rmSync(path.join(world.root, name))
  const files = kept.inherit.map(file => openSync(file, 'r'))
  execFileSync(kept.file, kept.args, { env: kept.env, stdio: ['ignore', 'ignore', 'inherit', ...files] })
  for (const file of files) closeSync(file)
  t.same(all(world.root), ['.env', 'deep', 'deep/.env', 'empty.pem'], 'they were needed to mount something on')
  await kept.released()
  t.same(all(world.root), ['deep', 'empty.pem'])
})
