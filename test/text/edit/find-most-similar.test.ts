// tier: full
import fc from 'fast-check'
import { distance } from 'fastest-levenshtein'
import t from 'tap'
import { EditDistanceColumns } from '../../../src/text/edit/edit-distance.ts'
import { encodeLines } from '../../../src/text/edit/encoded-lines.ts'
import { findMostSimilar } from '../../../src/text/edit/find-most-similar.ts'
import { type LineWindow, nonOverlapping } from '../../../src/text/edit/line-window.ts'
import { leastOf, runs } from '../../support/property.ts'
import { findGoodWindows } from './naive-fuzzy.ts'

const LIMITS = { threshold: 0.7, margin: 0.02 }

const line = fc
  .array(fc.constantFrom('foo', 'bar', 'if (x)', 'return', 'a', 'b;', '{', '}', '', 'ä€', '\u{1f600}'), {
    maxLength: 6
  })
  .map(words => words.join(' ').trimEnd())
/** Few distinct lines, so that many repeat, and runs of the same one. */
const file = fc
  .tuple(
    fc.array(line, { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 25 })
  )
  .map(([lines, runs]) =>
    runs.flatMap(([which, times]) => Array.from({ length: times }, () => lines[which % lines.length]!))
  )
const slip = fc.record({ at: fc.nat(), remove: fc.integer({ max: 4, min: 0 }), insert: fc.string({ maxLength: 4 }) })
const slips = fc.array(slip, { maxLength: 5 })
const unrelated = fc.array(line, { minLength: 1, maxLength: 9 })

/** Part of a file, misquoted, or something else. */
const quote = fc
  .tuple(file, fc.nat(), fc.integer({ min: 1, max: 30 }), slips, unrelated, fc.nat({ max: 5 }))
  .map(([lines, at, height, slips, other, dice]) => {
    if (dice === 0) return { lines, wanted: other }
    const first = at % lines.length
    const misquoted = slips.reduce(
      (text, { at, remove, insert }) => {
        const from = at % (text.length + 1)
        return text.slice(0, from) + insert + text.slice(from + remove)
      },
      lines.slice(first, first + height).join('\n')
    )
    return { lines, wanted: misquoted.split('\n').map(line => line.trimEnd()) }
  })
  .filter(({ wanted }) => wanted.join('').trim() !== '')

/** Blocks of some hundred characters, each of which may be an error. */
const block = fc
  .tuple(
    fc.array(fc.array(fc.stringMatching(/^[a-z]{1,9}[ (){};]?$/), { minLength: 1, maxLength: 8 }), {
      minLength: 30,
      maxLength: 70
    }),
    fc.nat(),
    fc.integer({ min: 6, max: 24 }),
    fc.constantFrom(1, 2, 6, 12, 18),
    fc.boolean(),
    fc.infiniteStream(fc.nat({ max: 99 }))
  )
  .map(([words, at, height, percent, twice, dice]) => {
    const once = words.map(line => line.join(''))
    const first = at % (once.length - height)
    const roll = () => dice.next().value
    const misquoted = [...once.slice(first, first + height).join('\n')].flatMap(char =>
      roll() >= percent ? [char] : [[], [char, 'x'], ['y']][roll() % 3]!
    )
    const lines = twice ? [...once, ...once.slice(first, first + height)] : once
    return { lines, wanted: misquoted.join('').split('\n') }
  })

const clash = (one: LineWindow, other: LineWindow) => one.first <= other.last && other.first <= one.last

/** Returns whether the result equals that of comparing every window. Ties may be resolved either way. */
function isAsMeant(
  lines: readonly string[],
  wanted: readonly string[],
  met: Record<'none' | 'one' | 'several', number>
) {
  const { good } = findMostSimilar(lines, wanted, LIMITS)
  const all = findGoodWindows(lines, wanted, LIMITS)
  const meant = nonOverlapping(all, 3)
  met[meant.length === 0 ? 'none' : meant.length === 1 ? 'one' : 'several']++
  if (meant.length <= 1) return fc.stringify(good) === fc.stringify(meant)
  const told = good.every(one => all.some(other => fc.stringify(one) === fc.stringify(other)))
  return told && good.length > 1 && good.every((one, i) => good.every((other, j) => i === j || !clash(one, other)))
}

t.test('equals the result of comparing every window', async t => {
  const met = { none: 0, one: 0, several: 0 }
  fc.assert(
    fc.property(quote, ({ lines, wanted }) => isAsMeant(lines, wanted, met)),
    runs(3_000)
  )
  t.ok(Math.min(...Object.values(met)) > leastOf(3_000, 1 / 30), `every outcome was met often: ${JSON.stringify(met)}`)
})

t.test('also for blocks of many lines', async t => {
  const met = { none: 0, one: 0, several: 0 }
  fc.assert(
    fc.property(block, ({ lines, wanted }) => isAsMeant(lines, wanted, met)),
    runs(60)
  )
  t.ok(met.one > 0 && met.several > 0, `both were met: ${JSON.stringify(met)}`)
})

t.test('the distance to the end of each line is that of the best stretch ending there', async t => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      unrelated,
      fc.integer({ min: 0, max: 200 }),
      (lines, wanted, bound) => {
        const symbols = encodeLines(lines, wanted)
        const pattern = wanted.join('\n')
        if (pattern === '') return true
        const text = lines.join('\n')
        const [free, held] = ([0, 1] as const).map(
          edge => new EditDistanceColumns(symbols.pattern, symbols.count, edge)
        ) as [EditDistanceColumns, EditDistanceColumns]
        for (const columns of [free, held]) columns.reset(bound)
        return (
          [...text].length === 0 ||
          Array.from({ length: text.length }, (_, at) => at + 1).every(end => {
            for (const columns of [free, held]) columns.advance(symbols.text[end - 1]!)
            const all = Array.from({ length: end + 1 }, (_, start) => distance(text.slice(start, end), pattern))
            const known = (distance: number) => Math.min(distance, bound + 1)
            return (
              free.distance === known(Math.min(...all)) &&
              held.distance === known(all[0]!) &&
              (!held.isOutOfBound || all[0]! > bound)
            )
          })
        )
      }
    ),
    runs(200)
  )
  t.pass()
})
