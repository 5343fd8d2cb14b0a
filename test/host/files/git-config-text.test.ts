// Compares the reader of git's configuration with git itself.
// tier: quick
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { parseConfigText } from '../../../src/host/files/policy/git-config-text.ts'
import { leastOf, runs } from '../../support/property.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

/** Returns the settings as git reads them; undefined if it refuses the file. */
function readWithGit(file: string): [string, string][] | undefined {
  try {
    const { stdout } = execaSync('git', ['config', '--file', file, '--list', '--null'], {
      stdio: ['ignore', 'pipe', 'ignore']
    })
    return stdout
      .split('\0')
      .slice(0, -1)
      .map(pair => {
        const end = pair.indexOf('\n')
        return end < 0 ? [pair, 'true'] : [pair.slice(0, end), pair.slice(end + 1)]
      })
  } catch {
    return undefined
  }
}

const HEADERS = [
  '[core]',
  '[Core "a.b"]',
  '[filter "x\\"y\\\\"]',
  '[include] path = a',
  '[a.B]',
  '[ core ]',
  ' [x "é"] y'
]
const NAMES = ['hooksPath', 'x-1', '\t path', 'A ']
const VALUES = [
  '',
  ' ',
  'a/b',
  '!sh -c',
  'é',
  '"',
  '\\"',
  '\\\\',
  '\\n',
  '\\t',
  '\\\n',
  '\\\r\n',
  '# c',
  '; d',
  '=',
  '  ',
  '"a b"',
  '" #"'
]

/** Some versions of git turn each unquoted blank into a space. */
const withPlainBlanks = (settings: readonly (readonly [string, string])[]) =>
  settings.map(([key, value]) => [key, value.replaceAll(/\s/g, ' ')])

const header = fc.constantFrom(...HEADERS)
const variable = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...VALUES), { maxLength: 5 }))
  .map(([name, values]) => `${name}=${values.join('')}`)
const line = fc.oneof(header, variable, variable, fc.constantFrom('# comment', '', 'alone', '; x "'))
const ending = fc.constantFrom('\n', '\r\n')

t.test('reads what git reads', t => {
  const file = path.join(makeTestFolder(t), 'config')
  let accepted = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(line, ending), { maxLength: 5 }), lines => {
      const text = `[core]\n\tbare = false\n${lines.flat().join('')}`
      writeFileSync(file, text)
      const expected = readWithGit(file)
      if (!expected) return
      accepted += 1
      assert.deepEqual(withPlainBlanks(parseConfigText(text)), withPlainBlanks(expected))
    }),
    runs(600)
  )
  t.ok(accepted >= leastOf(600, 0.2), `${accepted} texts were valid`)
  t.end()
})
