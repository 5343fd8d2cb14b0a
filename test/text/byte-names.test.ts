// Tests of the spelling of names that are not UTF-8.
// tier: quick
import t from 'tap'
import { pathByteLength, spellBytes, toSystemPath } from '../../src/text/byte-names.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')

t.test('bytes that are no characters are spelled', async t => {
  t.equal(spellBytes(bytes('\xe9dir/a')), '\\xe9dir/a')
  t.equal(spellBytes(bytes('a\xff\xfeb')), 'a\\xff\\xfeb')
  t.equal(spellBytes(Buffer.from('café/日本/😀')), 'café/日本/😀')
  t.equal(spellBytes(Buffer.concat([Buffer.from('日'), bytes('\xe6'), Buffer.from('本')])), '日\\xe6本')
  t.equal(spellBytes(bytes('cut off \xf0\x9f\x98')), 'cut off \\xf0\\x9f\\x98')
  t.equal(spellBytes(bytes('surrogate \xed\xa0\x80')), 'surrogate \\xed\\xa0\\x80')
})

t.test('a backslash that would be taken for a spelling is spelled', async t => {
  t.equal(spellBytes(bytes('\\xe9')), '\\x5cxe9')
  t.equal(spellBytes(bytes('\\x5c')), '\\x5cx5c')
  t.equal(spellBytes(bytes('\\x41 \\n \\')), '\\x41 \\n \\', 'others stay')
})

t.test('only the spelling of a name is taken for one', async t => {
  t.strictSame(toSystemPath('a/b'), 'a/b')
  t.strictSame(toSystemPath('\\xe9dir/a'), bytes('\xe9dir/a'))
  t.strictSame(toSystemPath('\\x5cxe9'), bytes('\\xe9'))
  for (const text of ['\\x41', '\\xc3\\xa9', '\\x2e\\x2e', 'a\\x5cb', '\\xE9', '\\xe9/\\xc3\\xa9'])
    t.strictSame(toSystemPath(text), text)
  t.equal(pathByteLength('\\xe9dir'), 4)
  t.equal(pathByteLength('é'), 2)
})

t.test('spelling loses nothing, and no two names have one spelling', async t => {
  const pieces = ['\\', 'x', '5c', 'e9', '\xe9', '\xc3', '\xa9', '/', 'a', '8', '\xff', '\xf0\x9f\x98\x80']
  const seen = new Map<string, string>()
  for (let number = 0; number < pieces.length ** 4; number++) {
    const name = bytes(
      [0, 1, 2, 3].map(at => pieces[Math.floor(number / pieces.length ** at) % pieces.length]).join('')
    )
    const spelled = spellBytes(name)
    const raw = name.toString('latin1')
    if ((seen.get(spelled) ?? raw) !== raw || !Buffer.from(toSystemPath(spelled)).equals(name)) t.fail(spelled)
    seen.set(spelled, raw)
  }
  t.ok(seen.size > 1_000)
})
