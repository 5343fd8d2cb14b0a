// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { foldPath } from '../../../src/host/files/policy/name-patterns.ts'
import { SecretNames } from '../../../src/host/files/policy/secret-names.ts'
import { SENSITIVE_FILE_NAMES, SENSITIVE_NAMES } from '../../../src/host/files/policy/sensitive-names.ts'
import { Excludes } from '../../../src/host/search/ripgrep-exclude.ts'
import { leastOf, runs } from '../../support/property.ts'

const FURTHER = ['vault/*.txt', 'mine*', '*.own']
const secrets = new SecretNames(FURTHER)

const part = fc.oneof(
  fc.constantFrom(
    ...[...SENSITIVE_NAMES, ...SENSITIVE_FILE_NAMES, ...FURTHER]
      .flatMap(pattern => pattern.split('/'))
      .map(name => name.replaceAll('*', 'x'))
  ),
  fc.constantFrom('src', 'index.ts', '.docker', 'config.json', 'credentials.md', '.env.example', 'vault', 'a.txt', 'ſ')
)
/** Signs that some file systems drop, or take for others. */
const ending = fc.constantFrom('', '', '', '', '~', '.bak', '.', ' ', ':stream', '\u200b', '．bak')
const name = fc
  .tuple(part, ending, fc.boolean())
  .map(([text, end, isUpper]) => (isUpper ? text.toUpperCase() : text) + end)
const separator = fc.constantFrom('/', '/', '/', '／')
const path = fc.array(fc.tuple(separator, name), { minLength: 1, maxLength: 5 }).map(parts =>
  parts
    .map(([between, each]) => between + each)
    .join('')
    .slice(1)
)

t.test('a listed file is sensitive exactly if its whole path is', async t => {
  const excludes = new Excludes([], secrets)
  const outcomes = { true: 0, false: 0 }
  fc.assert(
    fc.property(path, file => {
      const isSensitive = secrets.covers(foldPath(file).split('/'))
      outcomes[`${isSensitive}`] += 1
      // The second answer is from what is known of the folder.
      for (const round of ['first', 'second'])
        if (excludes.isSensitive(file) !== isSensitive) throw new Error(`${round}: ${file} is ${isSensitive}`)
    }),
    runs(20_000)
  )
  t.ok(Math.min(outcomes.true, outcomes.false) >= leastOf(20_000, 0.1), JSON.stringify(outcomes))
})
