// Every server, every process of a hub, and PostgreSQL are killed in turn under load, and nothing is lost, doubled or out of order.
// tier: e2e
import t from 'tap'
import { HubWorld } from '../soak/hub-world.ts'
import { needs } from '../support/needs.ts'

const KINDS = ['server', 'hub', 'postgres', 'server', 'hub', 'server'] as const

t.test('nothing is lost when each part is killed in turn', needs('postgres'), async t => {
  const world = new HubWorld()
  t.teardown(() => world.remove())
  await world.start()
  // Parts that are taken together are different ones.
  const parts = KINDS.map(kind => ({ kind, part: world.takePart(kind) }))
  for (const { kind, part } of parts) {
    const stopLoad = world.startLoad()
    await part!.kill()
    t.same(await part!.restart(), [], `${kind}: what was acknowledged is there`)
    t.ok((await stopLoad()) > 0, `${kind}: calls were answered meanwhile`)
  }
  await world.settle()
  const { events, faults } = await world.check()
  t.same(faults, [])
  t.ok(events > 0, `${events} events`)
})
