// tier: quick
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { quoteArgv } from '../../src/text/shell-quote.ts'
import { runs } from '../support/property.ts'

t.test('quotes all but plain words', async t => {
  t.equal(quoteArgv(['npm', 'run', 'build:all', '--', '-t', 'a b']), "npm run build:all -- -t 'a b'")
  t.equal(quoteArgv(['A=b', 'A=b', '', '*', "it's", '~']), "'A=b' A=b '' '*' 'it'\\''s' '~'")
})

t.test('bash reads the same words back', async t => {
  const word = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0') && text.isWellFormed())
  const words = fc.array(word, { minLength: 1, maxLength: 8 })
  const read = (line: string) =>
    execaSync('bash', ['-c', `printf '%s\\0' ${line}`])
      .stdout.split('\0')
      .slice(0, -1)
  fc.assert(
    fc.property(words, words => t.strictSame(read(quoteArgv(['x', ...words])), ['x', ...words])),
    runs(100)
  )
})
