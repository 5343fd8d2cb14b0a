// Tests of MCP servers that send more notifications than can be handled.
// tier: full
// run: alone (the memory of this process is measured)
import path from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { getServerState, scriptedServer, waitUntilReady, withMcpServers } from './scripted-settings.ts'

/** Number of notifications in a flood. */
const FLOOD = 50_000
/** Number of notifications that are handled, however many come. */
const MAX_PER_SECOND = 200
/** Far less than the library needs to handle all of them. */
const MAX_GROWTH_BYTES = 256 * 1_048_576

const effects = { '*': 'read' as const }

t.test('a server that floods with notifications', async t => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => void lines.push(line) })
  const app = await startApp(t, {}, { log, settings: withMcpServers({ one: scriptedServer('plain', { effects }) }) })
  await waitUntilReady(app, 'one')
  const before = process.memoryUsage().rss
  const began = performance.now()
  for (const method of ['notifications/message', 'notifications/progress']) {
    const call = app.call('mcp:one:flood', { method, count: FLOOD })
    const [flooded, greeted, health] = await Promise.all([
      call,
      app.call('mcp:one:greet', { name: 'Ada' }),
      app.get('/health')
    ])
    t.match(flooded, { status: 'success', result: { content: 'flooded' } })
    t.match(greeted, { status: 'success', result: { content: 'Hello, Ada.' } })
    t.match(health, { version: '0.0.0-test' })
  }
  const forwarded = 2 * FLOOD - (await getServerState(app, 'one')).dropped_notifications
  const seconds = (performance.now() - began) / 1_000
  const most = MAX_PER_SECOND * Math.ceil(seconds + 1)
  t.ok(forwarded > 0 && forwarded <= most, `${forwarded} of ${2 * FLOOD} were handled, of ${most} in ${seconds} s`)
  const grown = process.memoryUsage().rss - before
  t.ok(grown < MAX_GROWTH_BYTES, `memory grew by ${grown} bytes`)
  const warnings = lines.map(line => JSON.parse(line)).filter(({ server }) => server === 'one')
  t.match(warnings, [{ workspace: 'default', msg: /too many notifications; further ones are dropped/ }])
  t.equal(warnings.length, 1)
})

t.test('learns of changed tools amid a flood', async t => {
  const seen = path.join(makeTestFolder(t), 'greeting')
  const app = await startApp(t, {}, { settings: withMcpServers({ one: scriptedServer('plain', { effects }, seen) }) })
  await waitUntilReady(app, 'one')
  const events = await app.events('?types=tools.changed')
  t.match(await app.call('mcp:one:flood', { method: 'notifications/tools/list_changed', count: 10_000 }), {
    status: 'success'
  })
  t.match(await app.call('mcp:one:change', { words: 'Says goodbye.' }), { status: 'success' })
  t.match((await events.type('tools.changed')).at(-1), { changed: ['mcp:one:greet'] })
  t.notOk((await getServerState(app, 'one')).dropped_notifications)
})
