// Quiet hours, also where the clock of the time zone is set.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { findQuietEnd } from '../../src/notify/quiet-hours.ts'
import { runs } from '../support/property.ts'

const at = (text: string) => Date.parse(text)
const end = (time: string, quiet: Parameters<typeof findQuietEnd>[1]) => {
  const found = findQuietEnd(at(time), quiet)
  return found === undefined ? undefined : new Date(found).toISOString()
}

t.test('they end at the next such time of the time zone', async t => {
  const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' }
  t.equal(end('2026-01-10T20:59:59.999Z', night), undefined)
  t.equal(end('2026-01-10T21:00:00.000Z', night), '2026-01-11T06:00:00.000Z')
  t.equal(end('2026-01-11T05:59:59.999Z', night), '2026-01-11T06:00:00.000Z')
  t.equal(end('2026-01-11T06:00:00.000Z', night), undefined)
  const noon = { from: '12:00', to: '12:30', time_zone: 'UTC' }
  t.equal(end('2026-01-11T12:29:00.000Z', noon), '2026-01-11T12:30:00.000Z')
})

t.test('the clock is set while they last', async t => {
  const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' }
  t.equal(end('2026-03-28T22:00:00.000Z', night), '2026-03-29T05:00:00.000Z')
  t.equal(end('2026-10-24T22:00:00.000Z', night), '2026-10-25T06:00:00.000Z')
})

t.test('nothing is quiet at their end, and all is before it', async () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(parts => parts.map(part => String(part).padStart(2, '0')).join(':'))
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe')
  const day = fc.integer({ min: at('2026-01-01'), max: at('2027-01-01') })
  fc.assert(
    fc.property(clock, clock, zone, day, (from, to, time_zone, time) => {
      fc.pre(from !== to)
      const quiet = { from, to, time_zone }
      const found = findQuietEnd(time, quiet)
      if (found === undefined) return true
      return findQuietEnd(found, quiet) === undefined && findQuietEnd(found - 1, quiet) === found && found > time
    }),
    runs(200)
  )
})
