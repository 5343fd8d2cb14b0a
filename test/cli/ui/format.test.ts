// tier: quick
import t from 'tap'
import { parseParams } from '../../../src/cli/params.ts'
import { formatEventLine } from '../../../src/cli/ui/format.ts'
import { formatSchemaType } from '../../../src/cli/ui/format-schema-type.ts'
import { formatClock, formatDue } from '../../../src/cli/ui/format-time.ts'
import { Terminal } from '../../../src/cli/ui/terminal.ts'
import type { Event } from '../../../src/client/client.ts'

const terminal = new Terminal(process.stdout, process.stderr, { color: false, quiet: true, json: false })
/** Local time, in any time zone. */
const time = new Date(2026, 0, 2, 3, 4, 5, 678).toISOString()
const line = (event: object) => formatEventLine(terminal, { time, ...event } as Event)

t.test('a truncated or unknown event links to all of it', async t => {
  const cut = { tool_call_id: 'tc_1', truncated: true, href: '/calls/tc_1' }
  t.equal(line({ type: 'tool.call', ...cut }), '2026-01-02 03:04:05.678 tool.call tc_1 /calls/tc_1')
  t.equal(
    line({ type: 'stream.snapshot', truncated: true, href: '/state' }),
    '2026-01-02 03:04:05.678 stream.snapshot /state'
  )
  t.equal(line({ type: 'moon.rose', href: '/moon' }), '2026-01-02 03:04:05.678 moon.rose /moon')
  t.equal(line({ type: 'moon.rose' }), '2026-01-02 03:04:05.678 moon.rose')
})

t.test('formats the type of a param, and parses it', async t => {
  const types = {
    string: { type: 'string' },
    '"a" | "b"': { enum: ['a', 'b'] },
    'string | string[]': { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    'string | null': { type: ['string', 'null'] },
    '(integer | boolean)[]': { type: 'array', items: { oneOf: [{ type: 'integer' }, { type: 'boolean' }] } },
    '{ start, end? }[]': {
      type: 'array',
      items: { type: 'object', required: ['start'], properties: { start: { type: 'integer' }, end: {} } }
    },
    '{ [name]: string }': { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
    object: { type: 'object' },
    'any[]': { type: 'array' },
    any: {}
  }
  for (const [told, schema] of Object.entries(types)) t.equal(formatSchemaType(schema), told)
  const properties = {
    globs: types['string | string[]'],
    size: { type: ['integer', 'string'] },
    rest: {},
    count: { type: 'integer' }
  }
  const read = (...given: string[]) => parseParams(given, { properties })
  t.same(read('globs=*.ts', 'size=3', 'rest=[1]', 'count=x'), { globs: '*.ts', size: 3, rest: '[1]', count: 'x' })
  t.same(read('globs=["*.ts","*.js"]', 'size=3x'), { globs: ['*.ts', '*.js'], size: '3x' })
  t.same(read('globs=[ab].ts'), { globs: '[ab].ts' }, 'what is no JSON is text where it may be')
})

t.test('formats a future time in local time, with the remaining time', async t => {
  const now = new Date(2026, 0, 31, 12, 0, 30).getTime()
  const at = (ms: number) => formatDue(new Date(now + ms).toISOString(), now)
  t.equal(at(20_000), '12:00 (in 20 s)')
  t.equal(at(180_000), '12:03 (in 3 min)')
  t.equal(at(7_200_000), '14:00 (in 2 h)')
  t.equal(at(86_340_000), '2026-02-01 11:59 (in 23 h 59 min)')
  t.equal(at(90 * 86_400_000).slice(-12), '(in 90 days)')
  t.equal(at(-1_000), '12:00 (over)')
  t.equal(formatClock(new Date(now).toISOString(), now), '12:00')
})
