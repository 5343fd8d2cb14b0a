import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { parseCodeBlocks } from '../../markdown.ts'
import { LIMIT_MS } from '../../support/wait.ts'
import { checkExamples, clone, read, start } from './world.ts'

t.test('runs the commands of the README in order, in an empty folder', async t => {
  const readme = read('README.md')
  const commands = parseCodeBlocks(readme).filter(({ language, mark }) => language === 'sh' && mark === undefined)
  t.same(
    commands.map(({ text }) => text),
    ['npm ci && npm start', 'npm ci && npm test']
  )
  const { cwd, env } = clone(t)
  const project = path.join(env.HOME, 'my/project')
  mkdirSync(project, { recursive: true })
  t.match(readme, '`npm start -- --root ~/my/project`')
  // It builds first.
  const limitMs = 2 * LIMIT_MS
  await start(t, 'npm', ['start', '--silent', '--', '--root', project], { cwd, env, limitMs })
  await checkExamples(t, readme, { cwd: env.HOME, env, before: [] })
  t.same(readdirSync(project), ['hello.txt'])
  t.equal(read(path.join(project, 'hello.txt')), 'Hello, Toolgate\n')
})
