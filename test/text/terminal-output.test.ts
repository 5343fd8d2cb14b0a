// Tests of output as a terminal shows it.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { toShownOutput } from '../../src/text/shown-output.ts'
import { renderTerminalOutput } from '../../src/text/terminal-output.ts'

const CASES: readonly [name: string, output: string, shown: string][] = [
  ['progress', 'get 1%\rget 50%\rget 100%\n\u001b[2K\u001b[1Gok\n', 'get 100%\nok\n'],
  ['backspaces', 'abc\b\bX\n', 'aXc\n'],
  ['too many backspaces', '\b\ba\b\b\bb', 'b'],
  ['a shorter frame leaves the rest', 'long line\rab\n', 'abng line\n'],
  ['erased after the cursor', '50 %, much\r60 %\u001b[K\n', '60 %\n'],
  ['erased before the cursor', 'abcdef\u001b[3D\u001b[1K\n', '    ef\n'],
  ['colors', '\u001b[1;31mred\u001b[0m plain \u009b4mline\n', 'red plain line\n'],
  ['several lines are written again', 'one\ntwo\n\u001b[2A\u001b[2KONE\n\u001b[2KTWO\n', 'ONE\nTWO\n'],
  ['lines below are erased', 'one\ntwo\nthree\n\u001b[3F\u001b[Jdone\n', 'done\n'],
  ['up beyond the first line', '\u001b[9Aa\n', 'a\n'],
  ['titles and links', '\u001b]0;title\u0007text \u001b]8;;http://a.test\u001b\\link\u001b]8;;\u001b\\', 'text link'],
  ['hidden cursor and character sets', '\u001b[?25lhi\u001b[?25h\u001b(B', 'hi'],
  ['an unfinished sequence', 'a\rb\u001b[3', 'b'],
  ['characters beyond the BMP', '😀😀\r日\n', '日😀\n'],
  ['a cleared screen hides nothing', 'before\n\u001b[2J\u001b[Hafter\n', 'before\nafter\n'],
  ['a column that is not there yet', 'a\u001b[5Gb\n', 'a   b\n']
]

t.test('applies what a terminal applies', async t => {
  for (const [name, output, shown] of CASES) t.equal(renderTerminalOutput(output), shown, name)
  for (const plain of ['', 'a\tb\n', 'a\r\nb\r\r\nc', 'zürich ✓\n', 'tail\r'])
    t.equal(renderTerminalOutput(plain), plain, 'other texts stay as they are')
})

t.test('shows little more than was written', async t => {
  const part = fc.oneof(
    fc.constantFrom(
      '\r',
      '\n',
      '\b',
      '\u001b[2K',
      '\u001b[1K',
      '\u001b[J',
      '\u001b[3A',
      '\u001b[2B',
      '\u001b[999999999C',
      '\u001b['
    ),
    fc.string({ maxLength: 8 })
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), parts => {
      const output = parts.join('')
      const shown = toShownOutput(output)
      return shown.length <= output.length + 20_000 && !shown.includes('\b') && !shown.includes('\u001b')
    })
  )
  t.pass()
})

t.test('names binary output', async t => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex').toString('utf8')
  t.match(toShownOutput(`before\n${png}\nafter\n`), /^before\n\[Binary output omitted: \d+ characters\]\nafter\n$/)
  const names = './src/main.ts\0./README.md\0./a b.txt\0'
  t.equal(toShownOutput(names), names, 'names that end with NUL are text')
  t.equal(toShownOutput('caf\uFFFD is not valid\n'), 'caf\uFFFD is not valid\n', 'one wrong byte is no binary')
})
