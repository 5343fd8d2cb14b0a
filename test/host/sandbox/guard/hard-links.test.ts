// Tests of hard links of secrets: files with plain names that are hidden like the secrets.
// tier: full
import { linkSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../../support/needs.ts'
import { waitUntil } from '../../../support/wait.ts'
import { BACKENDS } from '../backends.ts'
import { SECRET, startSandboxFixture } from '../fixture.ts'

const READ_ALL = `find . -type f -exec cat {} + 2>/dev/null; grep -rl ${SECRET} . 2>/dev/null; true`

for (const { name, part, backends } of BACKENDS)
  for (const level of ['workspace', 'read-only'] as const) {
    // Landlock cannot take a file out of a folder that may be written.
    if (name === 'landlock' && level === 'workspace') continue
    t.test(`hard links of secrets are hidden at ${level} with ${name}`, needs(part, 'linux'), async t => {
      const world = await startSandboxFixture(t, { backends })
      const link = (from: string, to: string) => {
        mkdirSync(path.dirname(world.at('workspace', to)), { recursive: true })
        linkSync(world.at('workspace', from), world.at('workspace', to))
      }
      world.write('workspace/.env', `TOKEN=${SECRET}`)
      world.write('workspace/.aws/deep/anything', SECRET)
      world.write('workspace/conf/id_rsa', SECRET)
      world.write('workspace/plain', 'plain\n')
      link('plain', 'linked/plain')
      t.equal((await world.run('cat linked/plain', { level })).output, 'plain\n', 'scanned before')
      link('.env', 'notes.txt')
      link('.env', 'node_modules/a/b/c.js')
      link('.aws/deep/anything', 'src/anything')
      link('conf/id_rsa', 'conf/key')
      const { output } = await world.run(`${READ_ALL}; cat linked/plain`, { level })
      t.notMatch(output, SECRET)
      t.match(output, /plain\n$/)
      rmSync(world.at('workspace/notes.txt'))
      world.write('workspace/notes.txt', 'notes\n')
      t.equal((await world.run('cat notes.txt', { level })).output, 'notes\n', 'an ordinary file again')
    })
  }

t.test('cannot be moved, linked again or changed', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/.env', SECRET)
  linkSync(world.at('workspace/.env'), world.at('workspace/notes'))
  const { output } = await world.run(`mv notes x; ln notes y; cp notes z; echo x >notes; chmod 777 notes
    for i in x y z notes; do cat $i; done; true`)
  t.notMatch(output, SECRET)
  t.equal(world.read('workspace/notes'), SECRET)
})

t.test('a link that appears while a program reads withholds its output', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/.env', SECRET)
  const reading = world.run('while [ ! -e notes ]; do sleep 0.05; done; cat notes', { level: 'read-only' })
  await waitUntil('the program to run', async () => (await world.run('true', { level: 'read-only' })).exit_code === 0)
  linkSync(world.at('workspace/.env'), world.at('workspace/notes'))
  await t.rejects(reading, { code: 'SENSITIVE_PATH' })
})

t.test('where secrets are configured to be read, so are their links', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t, { settings: root => ({ read: [`${root}/fixtures`] }) })
  world.write('workspace/fixtures/.env', 'a fixture\n')
  linkSync(world.at('workspace/fixtures/.env'), world.at('workspace/notes'))
  t.equal((await world.run('cat notes fixtures/.env')).output, 'a fixture\na fixture\n')
})
