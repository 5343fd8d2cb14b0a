import path from 'node:path'
import t from 'tap'
import { parseCodeBlocks } from '../../markdown.ts'
import { LIMIT_MS } from '../../support/wait.ts'
import { checkExamples, clone, read, start } from './world.ts'

t.test('runs the commands of the README in order, in a clone', async t => {
  const readme = read('README.md')
  const commands = parseCodeBlocks(readme).filter(({ language, mark }) => language === 'sh' && mark === undefined)
  t.same(
    commands.map(({ text }) => text),
    ['npm ci && npm start', 'npm ci && npm test']
  )
  const { cwd, env } = clone(t)
  // It builds first.
  await start(t, 'npm', ['start', '--silent'], { cwd, env, limitMs: 2 * LIMIT_MS })
  await checkExamples(t, readme, { cwd, env })
  t.equal(read(path.join(cwd, 'hello.txt')), 'Hello, Toolgate')
})
