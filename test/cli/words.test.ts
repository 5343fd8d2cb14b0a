import t from 'tap'
import { Terminal } from '../../src/cli/terminal.ts'
import { eventLine } from '../../src/cli/words.ts'
import type { Event } from '../../src/client/client.ts'

const terminal = new Terminal(process.stdout, process.stderr, { color: false, quiet: true, json: false })
const line = (event: object) => eventLine(terminal, { time: '2026-01-02T03:04:05.678Z', ...event } as Event)

t.test('an event that was cut, or that only a newer server knows, leads to all of it', async t => {
  const cut = { tool_call_id: 'tc_1', truncated: true, href: '/calls/tc_1' }
  t.equal(line({ type: 'tool.call', ...cut }), '03:04:05.678 tool.call tc_1 /calls/tc_1')
  t.equal(line({ type: 'stream.snapshot', truncated: true, href: '/state' }), '03:04:05.678 stream.snapshot /state')
  t.equal(line({ type: 'moon.rose', href: '/moon' }), '03:04:05.678 moon.rose /moon')
  t.equal(line({ type: 'moon.rose' }), '03:04:05.678 moon.rose')
})
