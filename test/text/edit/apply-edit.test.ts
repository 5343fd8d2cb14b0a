// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { applyEdit, type Edit } from '../../../src/text/edit/apply-edit.ts'
import { detectEol } from '../../../src/text/encoding.ts'
import { runs } from '../../support/property.ts'

const apply = (text: string, edit: Partial<Edit>) =>
  applyEdit(text, detectEol(text), { old: '', new: '', places: 'one', ...edit })

const edited = (text: string, match: string, similarity = 1, replacements = 1) => ({
  outcome: 'edited',
  text,
  match,
  similarity,
  replacements
})

t.test('tries each way of matching, in order', async t => {
  const cases: [string, string, string, string, string, string][] = [
    ['exactly', 'one two three', 'two', '2', 'one 2 three', 'exact'],
    ['literally', 'a $& b', '$&', "$1$'", "a $1$' b", 'exact'],
    ['exactly, in a file with CRLF', 'a\r\nb\r\n', 'a', 'x\ny', 'x\r\ny\r\nb\r\n', 'exact'],
    ['LF for CRLF', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\n', 'x\r\ny\r\nc\r\n', 'line_endings'],
    ['CRLF for LF', 'a\nb\nc\n', 'a\r\nb', 'x\r\ny', 'x\ny\nc\n', 'line_endings'],
    ['the CRLF part of a mixed file', 'z\na\r\nb\r\nc\n', 'a\nb', 'x\ny', 'z\nx\r\ny\r\nc\n', 'line_endings'],
    ['white space at line ends', 'a  \nb\t\nc\n', 'a\nb', 'x\ny', 'x\ny\nc\n', 'whitespace'],
    ['white space, the line end too', 'a  \nb\t\nc\n', 'a\nb\n', '', 'c\n', 'whitespace'],
    ['white space at the end of the file', 'a \nb', 'a\nb\n', 'x\n', 'x', 'whitespace'],
    [
      'deeper in the file',
      'if x:\n    a()\n        b()\n',
      'a()\n    b()',
      'a()\n    c()\n',
      'if x:\n    a()\n        c()\n\n',
      'indentation'
    ],
    ['shallower in the file', 'a\n  b\n', '    a\n      b\n', '    x\n      y\n  z\n', 'x\n  y\nz\n', 'indentation'],
    [
      'tabs in the file',
      'f\n\ta\n\t\tb\n',
      '  a\n    b\n',
      '  a\n    c\n      d\n',
      'f\n\ta\n\t\tc\n\t\t\td\n',
      'indentation'
    ],
    [
      'spaces in the file',
      'f\n  a\n    b\n',
      '\ta\n\t\tb\n',
      '\ta\n\t\tb\n\t\t\tc\n',
      'f\n  a\n    b\n      c\n',
      'indentation'
    ],
    [
      'tabs in the file, all of it deeper',
      'f\n\ta\n\t\tb\n',
      'a\n    b\n',
      'a\n    c\n        d\n',
      'f\n\ta\n\t\tc\n\t\t\td\n',
      'indentation'
    ],
    [
      'spaces in the file, all of it deeper',
      'f\n  a\n    b\n',
      'a\n\tb\n',
      'a\n\tc\n\t\td\n',
      'f\n  a\n    c\n      d\n',
      'indentation'
    ],
    ['blank lines have no indentation', '    a\n\n    b\n', 'a\n  \nb\n', 'x\n\ny\n', '    x\n\n    y\n', 'indentation']
  ]
  for (const [name, text, old, now, result, match] of cases)
    t.same(apply(text, { old, new: now }), edited(result, match), name)
})

t.test('matches other escapes, and applies them to the new text', async t => {
  const cases: [string, string, string, string, string][] = [
    ['a line break', 'a\nb\nc\n', 'a\\nb', 'x\\ny', 'x\ny\nc\n'],
    ['a line break, in a file with CRLF', 'a\r\nb\r\nc\r\n', 'a\\nb', 'x\\ny', 'x\r\ny\r\nc\r\n'],
    ['quotes', 'say("a")\n', 'say(\\"a\\")', 'say(\\"b\\")', 'say("b")\n'],
    ['quotes alone', 'say("a\\n")\n', 'say(\\"a\\n\\")', 'say(\\"b\\n\\")', 'say("b\\n")\n'],
    ['backslashes', 'a = /\\d+/\n', 'a = /\\\\d+/', 'a = /\\\\w+/', 'a = /\\w+/\n'],
    ['codes', 'caf\u00e9 \u{1f600}\n', 'caf\\u00e9 \\ud83d\\ude00', '\\xe9\\u{1f600}', '\u00e9\u{1f600}\n'],
    ['the file has line breaks as escapes', 'a = "x\\ty\\nz"\n', 'x\ty\nz', 'p\tq\nr', 'a = "p\\tq\\nr"\n'],
    [
      'the file has quotes escaped',
      `a = "<p class=\\"b\\">\\n"\n`,
      '<p class="b">',
      '<p class="c">',
      'a = "<p class=\\"c\\">\\n"\n'
    ],
    [
      'entities',
      'if (a < b && c) {}\n',
      'if (a &lt; b &amp;&amp; c)',
      'if (a &gt; b &#38;&#x26; d)',
      'if (a > b && d) {}\n'
    ],
    ['and another indentation', '  a("x")\n  b\n', 'a(\\"x\\")\nb', 'a(\\"y\\")\nc', '  a("y")\n  c\n']
  ]
  for (const [name, text, old, now, result] of cases)
    t.same(apply(text, { old, new: now }), edited(result, 'escapes'), name)
  t.match(apply('a\nb\na\nb\n', { old: 'a\\nb' }), { outcome: 'ambiguous', match: 'escapes', places: 2 })
  t.match(apply('"a" "a"', { old: '\\"a\\"', new: '\\"b\\"', places: 'all' }), { text: '"b" "b"', match: 'escapes' })
  t.match(apply('a\n\n', { old: '\\n', new: 'x' }), { outcome: 'not_found' }, 'white space alone stands nowhere')
  t.match(apply('"a"', { old: '\\"a\\"', new: '\\ud83d' }), { text: '\\ud83d' }, 'half a character is no text')
})

t.test('matches confusables, and inserts the new text unchanged', async t => {
  const cases: [string, string, string, string, string][] = [
    ['curly quotes in the file', 'a \u201cb\u201d \u2018c\u2019 d\n', '"b" \'c\'', '"x"', 'a "x" d\n'],
    ['curly quotes in the old text', 'a "b" d\n', '\u201cb\u201d', '\u201cx\u201d', 'a \u201cx\u201d d\n'],
    ['dashes', 'a \u2013 b \u2014 c \u2212 1\n', 'b - c - 1', 'x', 'a \u2013 x\n'],
    ['spaces', 'a\u00a0b\u202fc\u3000d\n', 'b c d', 'x', 'a\u00a0x\n'],
    ['dots', 'wait\u2026 what\n', 'wait...', 'go', 'go what\n'],
    ['dots in the old text', 'wait... what\n', 'wait\u2026', 'go', 'go what\n'],
    ['full width', '\uff41\uff42\uff08\uff09 c\n', 'ab()', 'x', 'x c\n'],
    ['accents apart in the file', 'a cafe\u0301 b\n', 'caf\u00e9', 'tea', 'a tea b\n'],
    ['accents apart in the old text', 'a caf\u00e9 b\n', 'cafe\u0301', 'tea', 'a tea b\n'],
    ['marks in another order', 'a\u0323\u0302 b\n', 'a\u0302\u0323', 'x', 'x b\n'],
    ['syllables apart', '\u1112\u1161\u11ab b\n', '\ud55c', 'x', 'x b\n'],
    ['voiced kana apart', '\u304b\u3099 b\n', '\u304c', 'x', 'x b\n'],
    ['signs for letters', '3 k\u2126 b\n', 'k\u03a9', 'x', '3 x b\n'],
    ['accents apart, with a quote', 'le \u2019cafe\u0301\u2019\n', "'caf\u00e9'", 'x', 'le x\n'],
    ['what cannot be seen', 'a\u200bb\u00adc d\n', 'abc', 'x', 'x d\n'],
    ['and white space at line ends', 'a\u2019b \nc\n', "a'b\nc\n", 'x\n', 'x\n'],
    ['and another indentation', '\u00a0\u00a0a\u2019b\n', "a'b\n", 'x\n', '\u00a0\u00a0x\n']
  ]
  for (const [name, text, old, now, result] of cases)
    t.same(apply(text, { old, new: now }), edited(result, 'look_alikes'), name)
  t.match(apply('\u201ca\u201d \u201fa\u201d', { old: '"a"' }), {
    outcome: 'ambiguous',
    match: 'look_alikes',
    places: 2
  })
  t.match(apply('wait\u2026', { old: '..' }), { outcome: 'not_found' }, 'part of a character')
  t.match(
    apply('\u2019e\u0323\u0302', { old: "'\u1eb9" }),
    { outcome: 'not_found' },
    'a letter without one of its marks'
  )
  t.match(
    apply('it\u2019s "a"', { old: 'it\'s \\"a\\"' }),
    { match: 'fuzzy' },
    'one slip of each kind is more than one'
  )
})

t.test('indents what replaces a quote without its margin', async t => {
  const cases: [string, string, string, string, string, string][] = [
    ['a deleted line', 'if x:\n    return None\n    y = 1\n', 'return None\n', '', 'if x:\n    y = 1\n', 'indentation'],
    [
      'several lines',
      'if x:\n    return None\n',
      'return None\n',
      'if y:\n    return y\nreturn None\n',
      'if x:\n    if y:\n        return y\n    return None\n',
      'indentation'
    ],
    ['in a file with CRLF', '{\r\n\ta;\r\n}\r\n', 'a;', 'b;\nc;', '{\r\n\tb;\r\n\tc;\r\n}\r\n', 'indentation'],
    ['unless all other lines have it', '{\n  a;\n}\n', 'a;\n', 'b;\n  c;\n', '{\n  b;\n  c;\n}\n', 'exact'],
    ['unless one line replaces it', '{\n  a;\n}\n', 'a;\n', 'b;\n', '{\n  b;\n}\n', 'exact'],
    ['unless something precedes it', '{ a;\n}\n', 'a;\n', 'b;\nc;\n', '{ b;\nc;\n}\n', 'exact'],
    ['unless the line goes on', '{\n  a; b;\n}\n', 'a;', 'c;\nd;', '{\n  c;\nd; b;\n}\n', 'exact']
  ]
  for (const [name, text, old, now, result, match] of cases)
    t.same(apply(text, { old, new: now }), edited(result, match), name)
})

t.test('indents by tabs where the file is, and the quote does not show it', async t => {
  const file = 'f {\n\ta\n}\nlast\n'
  const cases: [string, string, string, string, string, string][] = [
    ['spaces', file, 'last\n', 'g {\n    b\n        c\n}\n', 'f {\n\ta\n}\ng {\n\tb\n\t\tc\n}\n', 'indentation'],
    [
      'a comment in a block',
      file,
      'last',
      'g {\n    /*\n     * b\n     */\n}',
      'f {\n\ta\n}\ng {\n\t/*\n\t * b\n\t */\n}\n',
      'indentation'
    ],
    ['not in a file with spaces too', `${file}  x\n`, 'last', 'g\n    b', 'f {\n\ta\n}\ng\n    b\n  x\n', 'exact'],
    ['not other widths', file, 'last', 'g\n   b', 'f {\n\ta\n}\ng\n   b\n', 'exact'],
    ['not beside tabs', file, 'last', 'g\n\tb\n    c', 'f {\n\ta\n}\ng\n\tb\n    c\n', 'exact'],
    ['not where the quote shows tabs', file, '\ta\n', '    b\n', 'f {\n    b\n}\nlast\n', 'exact']
  ]
  for (const [name, text, old, now, result, match] of cases)
    t.same(apply(text, { old, new: now }), edited(result, match), name)
})

t.test('finds a quote that leaves out lines by its first and last', async t => {
  const text = "import path from 'path'\nimport vm from 'vm'\nimport Q from 'q'\nimport esc from 'esc'\n\nconst V = 1\n"
  const old = "import path from 'path'\nimport Q from 'q'\nimport esc from 'esc'\n\nconst V = 1\n"
  const now = text.replace('\n\n', "\nimport dup from 'dup'\n\n")
  for (const end of ['\n', '\r\n']) {
    const inFile = (lines: string) => `first\n${lines}last\n`.replaceAll('\n', end)
    t.match(apply(inFile(text), { old, new: now }), {
      ...edited(inFile(now), 'fuzzy', 0.793),
      window: { first: 1, last: 6 }
    })
  }
  t.match(apply(`${text}${text}`, { old, new: now }), { outcome: 'ambiguous', match: 'fuzzy', places: 2 })
  t.match(
    apply('\na\n\nb\nc\n', { old: '\na\nb\nc\n', new: '\nx\n' }),
    { match: 'fuzzy', text: '\nx\n' },
    'an empty first line does not begin at the end of another'
  )
})

t.test('rejects a similar place beside which the new text stands already', async t => {
  const text = 'alpha beta gamma\ndelta epsilon zeta\neta theta iota\n'
  t.match(apply(text, { old: 'delta epsilom zeta\n', new: 'alpha beta gamma\ndelta\n' }), {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates: [{ start_line: 2, end_line: 2 }]
  })
  t.match(apply(text, { old: 'delta epsilom zeta\n', new: 'delta\neta theta iota\n' }), {
    outcome: 'not_found',
    repeats: true
  })
})

t.test('tolerates and reports a small error', async t => {
  const text = 'first line\nthe quick brown fox\njumps over the dog\nlast line\n'
  const result = apply(text, { old: 'the quikc brown fox\njumps ovr the dog\n', new: 'gone\n' })
  t.match(result, { ...edited('first line\ngone\nlast line\n', 'fuzzy', 0.921), window: { first: 1, last: 2 } })
  const missing = 'alpha beta gamma\ndelta epsilon\nzeta eta theta\niota kappa\nlambda mu nu\n'
  t.match(
    apply(missing, { old: 'alpha beta gamma\nzeta eta theta\niota kappa\nlambda mu nu\n', new: 'x\n' }),
    { match: 'fuzzy', text: 'x\n' },
    'a line left out'
  )
})

t.test('rejects an ambiguous match', async t => {
  const candidate = (line: number, text: string, similarity = 1) => ({
    start_line: line,
    end_line: line,
    similarity,
    text
  })
  t.same(apply('a b\na c\n', { old: 'a' }), {
    outcome: 'ambiguous',
    match: 'exact',
    candidates: [candidate(1, 'a'), candidate(2, 'a')],
    places: 2
  })
  t.match(apply('aaa', { old: 'aa' }), { outcome: 'ambiguous', places: 2 }, 'overlapping')
  t.match(apply('x  y \nz\nx  y\t\n', { old: 'x  y\n' }), {
    outcome: 'ambiguous',
    match: 'whitespace',
    places: 2
  })
  t.match(apply(' item one;\n\titem one;\n', { old: '  item one;' }), {
    outcome: 'ambiguous',
    match: 'indentation',
    places: 2
  })
  t.match(apply('const value = 1x\nother\nconst value = 1y\n', { old: 'const value = 1z' }), {
    outcome: 'ambiguous',
    match: 'fuzzy',
    places: 2
  })
})

t.test('replaces every match if requested, but never by similarity', async t => {
  t.same(apply('a b a', { old: 'a', new: 'aa', places: 'all' }), edited('aa b aa', 'exact', 1, 2))
  t.same(apply('aaa', { old: 'aa', new: 'b', places: 'all' }), edited('ba', 'exact', 1, 1))
  t.same(apply('a \nb\na\t\n', { old: 'a\n', new: 'x\n', places: 'all' }), edited('x\nb\nx\n', 'whitespace', 1, 2))
  const many = 'a\n'.repeat(2_500)
  t.same(apply(many, { old: 'a', new: 'b', places: 'all' }), edited(many.replaceAll('a', 'b'), 'exact', 1, 2_500))
  t.match(apply(many, { old: 'a' }), { outcome: 'ambiguous', places: 1_000 })
  t.match(apply('the quick brown fox\n', { old: 'the quikc brown fox', places: 'all' }), {
    outcome: 'not_found',
    match: 'fuzzy'
  })
})

t.test('reports missing text with the nearest match', async t => {
  const text = 'function alpha() {\n  return 1\n}\nfunction beta() {\n  return 2\n}\n'
  const result = apply(text, { old: 'fn alpha() -> int { return }', new: '' })
  t.match(result, { outcome: 'not_found', candidates: [{ start_line: 1, similarity: Number }] })
  t.same(apply('', { old: 'x' }), {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates: [],
    places: 0
  })
  t.same(apply('a\n\nb', { old: '  \n' }), {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates: [],
    places: 0
  })
})

t.test('an exact edit is a replacement by position', async () => {
  const parts = fc.tuple(
    fc.string(),
    fc.string({ minLength: 1 }),
    fc.string(),
    fc.string({ unit: fc.constantFrom('$&', '$1', '\\n', 'x', "$'") })
  )
  fc.assert(
    fc.property(parts, ([before, old, after, now]) => {
      const text = before + old + after
      const places = [...text].map((_, i) => i).filter(i => text.startsWith(old, i))
      const result = apply(text, { old, new: now })
      return places.length === 1
        ? result.outcome === 'edited' && result.match === 'exact' && result.text === before + now + after
        : result.outcome === 'ambiguous' &&
            result.places === text.split('').filter((_, i) => text.startsWith(old, i)).length
    }),
    runs(500)
  )
})

t.test('where lines belong is uncertain', async t => {
  /** A file, an old and a new text, and the result; `uncertain` ones are asked about. */
  const cases: [name: string, file: string, old: string, now: string, result: object][] = [
    [
      'a further line that may lack the indentation, too',
      'f()\n{\n\tprint(a, b);\n}\n',
      'print(a, b);',
      'print(a,\n\t\t  b);',
      { ...edited('f()\n{\n\tprint(a,\n\t\t  b);\n}\n', 'exact'), uncertain: true }
    ],
    [
      'with a line at the indentation of the first, nothing is',
      'f()\n{\n\tif (a) b();\n}\n',
      'if (a) b();',
      'if (a) {\n\t\tb();\n\t}',
      edited('f()\n{\n\tif (a) {\n\t\tb();\n\t}\n}\n', 'exact')
    ],
    [
      'look-alike characters besides',
      'f()\n{\n\tprint(“a”, b);\n}\n',
      'print("a", b);',
      'print("a",\n\t\t  b);',
      { ...edited('f()\n{\n\tprint("a",\n\t\t  b);\n}\n', 'look_alikes'), uncertain: true }
    ],
    [
      'four spaces, in a file with spaces behind tabs',
      'f()\n{\n\tif (a &&\n\t    b)\n\t\tc();\n\td();\n}\n',
      'd();',
      'd(e,\n    f);',
      { ...edited('f()\n{\n\tif (a &&\n\t    b)\n\t\tc();\n\td(e,\n\t\tf);\n}\n', 'indentation'), uncertain: true }
    ]
  ]
  for (const [name, file, old, now, result] of cases) t.strictSame(apply(file, { old, new: now }), result, name)
})

t.test('a quote that fits within lines, and whole lines with others between, is ambiguous', async t => {
  const file = 'int f(int code)\n{\n\tswitch (code) {\n\tcase 1:\n\t\treturn 2;\n\t}\n}\n'
  // The line of the switch is forgotten, or the first line is quoted from its middle.
  t.match(apply(file, { old: '{\n\tcase 1:\n\t\treturn 2;', new: '{\n\tcase 3:' }), {
    outcome: 'ambiguous',
    match: 'exact',
    places: 2,
    candidates: [
      { start_line: 3, end_line: 5, similarity: 1 },
      { start_line: 2, end_line: 5 }
    ]
  })
  const branches = 'if (a) {\n\tb();\n} else {\n}\n'
  t.match(apply(branches, { old: '\tb();\n}', new: '\te();\n}' }), {
    outcome: 'ambiguous',
    candidates: [
      { start_line: 2, end_line: 3 },
      { start_line: 2, end_line: 4 }
    ]
  })
  t.match(apply(branches, { old: '\tb();\n}', new: '\te();\n}', places: 'all' }), { text: branches.replace('b', 'e') })
  for (const [text, old] of [
    ['if (a) {\n\tb();\n\tc();\n} else {\n\td();\n}\nx\n', '\tc();\n}'],
    ['f(a) {\n\tc();\n}\n', '{\n\tc();']
  ] as const)
    t.match(apply(text, { old, new: old.replace('c', 'e') }), { match: 'exact', text: text.replace('c', 'e') })
})
