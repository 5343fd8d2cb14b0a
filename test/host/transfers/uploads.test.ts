// Tests of what becomes of uploads that nothing else removes.
// tier: quick
import { readdirSync, utimesSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { Uploads } from '../../../src/host/transfers/uploads.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

t.test('removes uploads that were given up, and those of calls that have ended', async t => {
  const folder = makeTestFolder(t)
  const uploads = new Uploads(folder)
  const begin = (age_ms: number, tool_call_id?: string) => {
    const { id } = uploads.begin({ request: {} })
    if (tool_call_id !== undefined) uploads.bind(id, tool_call_id, 0)
    const time = (Date.now() - age_ms) / 1_000
    utimesSync(path.join(folder, 'uploads', id), time, time)
    return id
  }
  const day = 86_400_000
  begin(day + 60_000)
  begin(120_000, 'ended')
  const kept = [begin(day - 60_000), begin(2 * day, 'in flight'), begin(0, 'submitted just now')]
  uploads.sweep(id => id === 'in flight')
  const left = readdirSync(path.join(folder, 'uploads')).filter(name => !name.endsWith('.json'))
  t.same(left.sort(), kept.sort())
})

t.test('limits the number of uploads of a token', async t => {
  const uploads = new Uploads(makeTestFolder(t))
  for (let i = 0; i < 32; i++) uploads.begin({ owner: 'one', request: {} })
  t.throws(() => uploads.begin({ owner: 'one', request: {} }), { code: 'QUOTA_EXCEEDED' })
  t.ok(uploads.begin({ owner: 'another', request: {} }))
})
