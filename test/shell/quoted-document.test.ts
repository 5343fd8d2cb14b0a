// Tests that a here-document in a word has the value that bash gives it.
// tier: full
import { execaSync } from 'execa'
import fc from 'fast-check'
import t from 'tap'
import { quotedDocument } from '../../src/shell/word-value.ts'
import { runs } from '../support/property.ts'

const LINES = [
  '',
  'a',
  ' $x `y` "q" it\'s',
  '\ttab',
  'EOF ',
  'EOFX',
  ' EOF',
  '\tEOF',
  'EOF)',
  '\tEOF)"',
  ')',
  ')"',
  '\\',
  '$(echo no)',
  '#'
]
const word = fc.record({
  start: fc.constantFrom("<<'EOF'", '<<"EOF"', '<<\\EOF', "<<-'EOF'", "<< 'EOF'", '<<EOF'),
  lines: fc.array(fc.constantFrom(...LINES), { maxLength: 6 }),
  end: fc.constantFrom('EOF\n)"', 'EOF\n\n )"', '\tEOF\n)"', 'EOF)"', 'EOF\necho no)"')
})

t.test('a quoted document is what bash makes of it', async t => {
  let literal = 0
  fc.assert(
    fc.property(word, ({ start, lines, end }) => {
      const raw = `"$(cat ${start}\n${[...lines, end].join('\n')}`
      const value = quotedDocument(raw)
      if (value === undefined) return
      literal += 1
      const { stdout, exitCode } = execaSync('bash', ['-c', `printf '%s|' ${raw}`], { reject: false, env: { x: 'no' } })
      if (exitCode !== 0 || stdout !== `${value}|`) throw new Error(`${JSON.stringify(raw)}: ${stdout}`)
    }),
    runs(2_000)
  )
  t.ok(literal > 20)
})
