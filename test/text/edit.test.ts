import fc from 'fast-check'
import { distance } from 'fastest-levenshtein'
import t from 'tap'
import { bestDistancesByLine, Pace } from '../../src/text/approximate.ts'
import { applyEdit, type Edit, FUZZY_THRESHOLD } from '../../src/text/edit.ts'
import { eolOf } from '../../src/text/encoding.ts'
import { mostSimilar } from '../../src/text/fuzzy.ts'

const goOn = async () => true

const apply = (text: string, edit: Partial<Edit>) =>
  applyEdit(text, eolOf(text), { old: '', new: '', places: 'one', ...edit }, goOn)

const edited = (text: string, match: string, similarity = 1, replacements = 1) => ({
  outcome: 'edited',
  text,
  match,
  similarity,
  replacements
})

t.test('each way of matching, in its order', async t => {
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
    t.same(await apply(text, { old, new: now }), edited(result, match), name)
})

t.test('a small slip is forgiven and told', async t => {
  const text = 'first line\nthe quick brown fox\njumps over the dog\nlast line\n'
  const result = await apply(text, { old: 'the quikc brown fox\njumps ovr the dog\n', new: 'gone\n' })
  t.same(result, edited('first line\ngone\nlast line\n', 'fuzzy', 0.921))
  const missing = 'alpha beta gamma\ndelta epsilon\nzeta eta theta\niota kappa\nlambda mu nu\n'
  t.match(
    await apply(missing, { old: 'alpha beta gamma\nzeta eta theta\niota kappa\nlambda mu nu\n', new: 'x\n' }),
    { match: 'fuzzy', text: 'x\n' },
    'a line left out'
  )
})

t.test('what could mean two places means none', async t => {
  const candidate = (line: number, text: string, similarity = 1) => ({
    start_line: line,
    end_line: line,
    similarity,
    text
  })
  t.same(await apply('a b\na c\n', { old: 'a' }), {
    outcome: 'ambiguous',
    match: 'exact',
    candidates: [candidate(1, 'a'), candidate(2, 'a')],
    places: 2,
    complete: true
  })
  t.match(await apply('aaa', { old: 'aa' }), { outcome: 'ambiguous', places: 2 }, 'overlapping')
  t.match(await apply('x  y \nz\nx  y\t\n', { old: 'x  y\n' }), {
    outcome: 'ambiguous',
    match: 'whitespace',
    places: 2
  })
  t.match(await apply(' item one;\n\titem one;\n', { old: '  item one;' }), {
    outcome: 'ambiguous',
    match: 'indentation',
    places: 2
  })
  t.match(await apply('const value = 1x\nother\nconst value = 1y\n', { old: 'const value = 1z' }), {
    outcome: 'ambiguous',
    match: 'fuzzy',
    places: 2
  })
})

t.test('every place is replaced when every place is meant, but never by similarity', async t => {
  t.same(await apply('a b a', { old: 'a', new: 'aa', places: 'all' }), edited('aa b aa', 'exact', 1, 2))
  t.same(await apply('aaa', { old: 'aa', new: 'b', places: 'all' }), edited('ba', 'exact', 1, 1))
  t.same(
    await apply('a \nb\na\t\n', { old: 'a\n', new: 'x\n', places: 'all' }),
    edited('x\nb\nx\n', 'whitespace', 1, 2)
  )
  t.match(await apply('the quick brown fox\n', { old: 'the quikc brown fox', places: 'all' }), {
    outcome: 'not_found',
    match: 'fuzzy'
  })
})

t.test('what is not there is told with what is nearest', async t => {
  const text = 'function alpha() {\n  return 1\n}\nfunction beta() {\n  return 2\n}\n'
  const result = await apply(text, { old: 'fn alpha() -> int { return }', new: '' })
  t.match(result, { outcome: 'not_found', candidates: [{ start_line: 1, similarity: Number }], complete: true })
  t.same(await apply('', { old: 'x' }), {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates: [],
    places: 0,
    complete: true
  })
  t.same(await apply('a\n\nb', { old: '  \n' }), {
    outcome: 'not_found',
    match: 'fuzzy',
    candidates: [],
    places: 0,
    complete: true
  })
})

t.test('a search that is ended replaces nothing', async t => {
  const text = Array.from({ length: 3000 }, (_, i) => `line ${i} with some more text in it`).join('\n')
  const old = text.slice(5000, 9000).replaceAll('more', 'mroe')
  const result = await applyEdit(text, 'lf', { old, new: 'x', places: 'one' }, async () => false)
  t.match(result, { outcome: 'not_found', complete: false })
})

t.test('an exact edit is a replacement by position', async () => {
  const parts = fc.tuple(
    fc.string(),
    fc.string({ minLength: 1 }),
    fc.string(),
    fc.string({ unit: fc.constantFrom('$&', '$1', '\\n', 'x', "$'") })
  )
  await fc.assert(
    fc.asyncProperty(parts, async ([before, old, after, now]) => {
      const text = before + old + after
      const places = [...text].map((_, i) => i).filter(i => text.startsWith(old, i))
      const result = await apply(text, { old, new: now })
      return places.length === 1
        ? result.outcome === 'edited' && result.match === 'exact' && result.text === before + now + after
        : result.outcome === 'ambiguous' &&
            result.places === text.split('').filter((_, i) => text.startsWith(old, i)).length
    }),
    { numRuns: 500 }
  )
})

const words = fc
  .array(fc.constantFrom('foo', 'bar', 'if (x)', 'return', '  a', 'b;', '{', '}', 'ä€'), { minLength: 1, maxLength: 5 })
  .map(parts => parts.join(' '))

t.test('the least distance to a line end is that of the best stretch ending there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { minLength: 1, maxLength: 5 }),
      fc.array(words, { minLength: 1, maxLength: 4 }),
      async (lines, wanted) => {
        const pattern = wanted.join('\n')
        const text = lines.join('\n')
        const found = await bestDistancesByLine(lines, pattern, new Pace(goOn))
        let end = -1
        return lines.every((line, i) => {
          end += line.length + 1
          const all = Array.from({ length: end + 1 }, (_, start) => distance(text.slice(start, end), pattern))
          return found![i] === Math.min(...all)
        })
      }
    ),
    { numRuns: 150 }
  )
})

t.test('the best windows are those of comparing every window', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.integer({ min: 1, max: 7 }),
      fc.string(),
      async (lines, at, height, slip) => {
        const first = at % lines.length
        const wanted = lines.slice(first, first + height)
        wanted[0] = slip + wanted[0]
        const pattern = wanted.join('\n')
        const play = Math.max(1, Math.floor(wanted.length / 5))
        let best = 0
        for (let last = 0; last < lines.length; last++)
          for (
            let count = Math.max(1, wanted.length - play);
            count <= Math.min(wanted.length + play, last + 1);
            count++
          ) {
            const text = lines.slice(last - count + 1, last + 1).join('\n')
            best = Math.max(best, 1 - distance(text, pattern) / Math.max(text.length, pattern.length))
          }
        const { windows } = await mostSimilar(lines, wanted, { threshold: FUZZY_THRESHOLD, margin: 0.02 }, goOn)
        return best < FUZZY_THRESHOLD || windows[0]!.similarity === best
      }
    ),
    { numRuns: 150 }
  )
})
