// tier: full
import { readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { RACE_CASES, type RaceCase, runRace } from './race.ts'

// `npx node scripts/race.ts` makes many times as many.
for (const heat of RACE_CASES)
  t.test(`${heat.swapped} swapped: ${heat.does}`, async t => {
    const { leaked, touched, holding, swaps, done, refused } = await runRace(heat, { swaps: 1_000, tries: 50 })
    t.strictSame({ leaked, touched, holding }, { leaked: [], touched: [], holding: [] })
    t.comment(`${swaps} swaps, ${done} tries went well, ${refused} were refused`)
  })

t.test('check-then-open leaks, as a control', async t => {
  const never = new Int32Array(new SharedArrayBuffer(4))
  const naive: RaceCase = {
    swapped: 'file',
    does: 'read as if nobody else were there',
    attempt(_files, _i, root) {
      const file = path.join(root, 'race/f')
      try {
        if (realpathSync(file) !== file) throw new ToolError('INVALID_PATH', 'outside')
        // Gives the swapping process a turn, on a busy machine too.
        Atomics.wait(never, 0, 0, 1)
        return readFileSync(file, 'utf8')
      } catch {
        // It is missing for a moment.
      }
      throw new ToolError('INVALID_PATH', 'outside')
    }
  }
  const { leaked } = await runRace(naive, { swaps: 1_000, tries: 1_000 })
  t.ok(leaked.length > 0, 'so the others had the chance to')
})
