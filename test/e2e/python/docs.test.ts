// Tests of the examples in the document of the Python client.
import { symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { DEBIAN_PYTHON, needs } from '../../support/needs.ts'
import { checkExamples, clone, PYTHON, read, start } from '../docs/world.ts'
import { CLIENT } from './python.ts'

/** The sources: the examples use none of them. */
const SOURCES = /^(?:bench|clients|examples|scripts|src|tools|web)$/

/** Starts a model that reads LICENSE with a tool and answers with what it contains. Returns the environment of its clients. */
async function startModel(t: Test) {
  const call = { name: 'read_file', arguments: JSON.stringify({ path: 'LICENSE', limit: 1 }) }
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as { messages: { role: string; content: string }[] }
    const { role, content } = messages.at(-1)!
    const message =
      role === 'tool'
        ? { role: 'assistant', content: `The file LICENSE says: ${content}` }
        : { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message }] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { MODEL_URL: `http://127.0.0.1:${port}`, MODEL_KEY: 'none', MODEL: 'model' }
}

t.test('the examples of docs/python.md give the shown output', needs('python3-httpx'), async t => {
  execaSync(process.execPath, ['scripts/build.ts'])
  const { cwd, env } = clone(t, SOURCES)
  symlinkSync(path.resolve('dist'), path.join(cwd, 'dist'))
  await start(t, process.execPath, ['bin/toolgate.cjs', 'serve', '--log-level', 'error'], { cwd, env })
  const withClient = {
    ...env,
    PATH: `${path.dirname(DEBIAN_PYTHON)}:${env.PATH}`,
    PYTHONPATH: path.join(CLIENT, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...(await startModel(t))
  }
  await checkExamples(t, read(PYTHON), { cwd, env: withClient })
})
