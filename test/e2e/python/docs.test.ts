// Tests of the examples in the document of the Python client.
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { DEBIAN_PYTHON, needs } from '../../support/needs.ts'
import { checkExamples, clone, PYTHON, read, start } from '../docs/world.ts'
import { CLIENT } from './python.ts'

/** The sources: the examples use none of them. */
const SOURCES = /^(?:bench|clients|examples|scripts|src|tools|web)$/

t.test('the examples of docs/python.md give the shown output', needs('python3-httpx'), async t => {
  execaSync(process.execPath, ['scripts/build.ts'])
  const { cwd, env } = clone(t, SOURCES)
  symlinkSync(path.resolve('dist'), path.join(cwd, 'dist'))
  await start(t, process.execPath, ['bin/toolgate.cjs', 'serve', '--log-level', 'error'], { cwd, env })
  const withClient = {
    ...env,
    PATH: `${path.dirname(DEBIAN_PYTHON)}:${env.PATH}`,
    PYTHONPATH: path.join(CLIENT, 'src'),
    PYTHONDONTWRITEBYTECODE: '1'
  }
  await checkExamples(t, read(PYTHON), { cwd, env: withClient })
})
