// tier: quick
import assert from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { EXACT, INDENTATION, PatchTarget } from '../../../src/text/patch/target.ts'
import { runs } from '../../support/property.ts'

const lines = (most: number) => fc.array(fc.constantFrom('a', 'b', ' a', ''), { minLength: 1, maxLength: most })

t.test('finds lines at any position, like a full search', async () => {
  fc.assert(
    fc.property(lines(30), lines(4), fc.constantFrom(EXACT, INDENTATION), (file, wanted, level) => {
      const ground = new PatchTarget(`${file.join('\n')}\n`)
      const all = file.map((_, at) => at).filter(at => ground.matchesAt(level, { lines: wanted, open: undefined }, at))
      const blank = level !== EXACT && wanted.every(line => line === '')
      assert.deepStrictEqual(ground.findPlaces(level, { lines: wanted, open: undefined }), blank ? [] : all)
    }),
    runs(2000)
  )
})

t.test('almost repetitive lines are not slow to reject', async t => {
  const ground = new PatchTarget('a\nb\n'.repeat(50_000))
  const wanted = [...Array.from({ length: 2000 }, (_, i) => (i % 2 ? 'b' : 'a')), 'b']
  t.same(ground.findPlaces(EXACT, { lines: wanted, open: undefined }), [])
})
