// Checks that every expectation of users is shown by a test that exists.
// tier: quick
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { EXPECTATIONS } from './expectations.ts'

t.test('each expectation is shown by a test', async t => {
  for (const { expected, test } of EXPECTATIONS.flatMap(({ expectations }) => expectations)) {
    const [file, title] = test.split(' > ') as [string, string]
    const full = path.resolve('test', file)
    t.ok(existsSync(full) && readFileSync(full, 'utf8').includes(title), `${expected} ${test}`)
  }
})
