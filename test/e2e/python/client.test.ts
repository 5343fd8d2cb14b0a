// Tests of the Python client: its types, its tests against the server, and that it names operations as the other client does.
import { globSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { Client } from '../../../src/client/client.ts'
import { needs } from '../../support/needs.ts'
import { CLIENT, python } from './python.ts'

const TESTS = globSync('tests/test_*.py', { cwd: CLIENT }).toSorted()

t.test('has strict types, as its tests do', needs('mypy', 'python3-httpx'), async t => {
  t.match(await python(['-m', 'mypy', '--cache-dir', '/dev/null']), /^Success: no issues found in \d+ source files\n$/)
})

t.test('works with the server', needs('python3-httpx'), async t => {
  execaSync(process.execPath, ['scripts/build.ts'])
  t.ok(TESTS.length > 0, 'there are tests')
  for (const file of TESTS) {
    const output = await python(['-m', 'pytest', '-q', '-p', 'no:cacheprovider', file], {
      env: { PYTHONPATH: `${path.join(CLIENT, 'src')}:${path.join(CLIENT, 'tests')}` }
    })
    t.match(output, /^\d+ passed in /m, file)
  }
})

/** Operations that Python has besides: calls are waited for without a loop over `get`. */
const ONLY_IN_PYTHON = ['close', 'discover', 'submit', 'url', 'wait']
/** Operations that Python lacks: a front end is a program that shows texts to people. */
const ONLY_IN_TYPESCRIPT = ['connection', 'register_front_end']

t.test('has the operations of the TypeScript client, by the same names', needs('python3-httpx'), async t => {
  const list = 'from toolgate import *; print(*[n for n in dir(CLIENT) if n[0] != "_"])'
  const env = { PYTHONPATH: path.join(CLIENT, 'src') }
  const typescript = Object.getOwnPropertyNames(Client.prototype)
    .filter(name => name !== 'constructor')
    .map(name => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
  for (const client of ['Toolgate', 'AsyncToolgate']) {
    const names = (await python(['-c', list.replace('CLIENT', client)], { env })).trim().split(' ')
    const withoutOwn = names.filter(name => !ONLY_IN_PYTHON.includes(name))
    t.same(withoutOwn.toSorted(), typescript.filter(name => !ONLY_IN_TYPESCRIPT.includes(name)).toSorted(), client)
  }
})
