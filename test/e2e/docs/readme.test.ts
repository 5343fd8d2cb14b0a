import { globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { blocksOf } from '../../documents.ts'
import { run } from '../../support/wait.ts'
import { checkExamples, clone, read, start } from './world.ts'

t.test('the commands of the README start it, and its examples do what they say', async t => {
  const readme = read('README.md')
  const [first] = blocksOf(readme)
  t.equal(first!.text, 'npm ci && npm start')
  const { cwd, env } = clone(t)
  await start(t, 'npm', ['start', '--silent'], { cwd, env })
  await checkExamples(t, readme, { cwd, env, before: [] })

  const program = blocksOf(readme).find(({ mark }) => mark === 'program')!.text
  t.ok(program.split('\n').length < 15, 'the client needs few lines')
  const [discovery] = globSync(path.join(env.HOME, '.local/state/toolgate/run/*.json'))
  const { url, token } = JSON.parse(read(discovery!)) as { url: string; token: string }
  writeFileSync(path.join(cwd, 'program.mjs'), program)
  writeFileSync(path.join(cwd, 'hello.txt'), 'Hello, Toolgate\n')
  const { stdout } = await run(process.execPath, ['program.mjs'], {
    cwd,
    env: { ...env, TOOLGATE_URL: url, TOKEN: token }
  })
  t.match(stdout, /^-Hello, Toolgate\n\+Hi, Toolgate\n/m, 'the program shows the diff')
  t.equal(read(path.join(cwd, 'hello.txt')), 'Hi, Toolgate\n')
})
