// Tests of the macOS profile as text; other suites test its effect on such a machine.
// tier: quick
import t from 'tap'
import { buildProfile } from '../../../src/host/sandbox/seatbelt-profile.ts'

const evil = '/ws/a")(allow default)("'
const places = {
  read: ['/usr', evil],
  write: ['/ws'],
  kept: ['/ws/.git'],
  hidden: ['/ws/.env'],
  mounted: ['/ws/state/own'],
  mountedWritable: []
}

t.test('paths are parameters, and denials follow permissions, except for placeholders', async t => {
  const { text, parameters } = buildProfile(places)
  t.strictSame(
    parameters.filter(one => one !== '-D'),
    [
      'READ_0=/usr',
      `READ_1=${evil}`,
      'READ_2=/ws',
      'WRITE_0=/ws',
      'KEPT_0=/ws/.git',
      'HIDDEN_0=/ws/.env',
      'MOUNTED_0=/ws/state/own'
    ]
  )
  t.notMatch(text, '/ws')
  const at = (rule: string) => text.indexOf(rule)
  const order = [
    '(deny default)',
    '(allow file-read* (subpath (param "READ_0")) (subpath (param "READ_1")) (subpath (param "READ_2")))',
    '(allow file-write* (subpath (param "WRITE_0")))',
    '(deny file-write* (regex',
    '(deny file-write* (subpath (param "KEPT_0")))',
    '(deny file-read* file-write* (subpath (param "HIDDEN_0")))',
    '(allow file-read* (subpath (param "MOUNTED_0")))'
  ].map(at)
  t.ok(order.every(place => place >= 0))
  t.strictSame(
    order,
    order.toSorted((a, b) => a - b)
  )
  t.notMatch(text, /network/)
})

t.test('without writable paths there is no rule that allows writing', async t => {
  const { text, parameters } = buildProfile({
    read: ['/usr'],
    write: [],
    kept: [],
    hidden: [],
    mounted: [],
    mountedWritable: []
  })
  t.notMatch(text, /param "(?:WRITE|KEPT|HIDDEN|MOUNTED)/)
  t.strictSame(parameters, ['-D', 'READ_0=/usr'])
})
