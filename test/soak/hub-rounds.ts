// Kills servers, hubs and their PostgreSQL at random moments under load, and checks after each round, outside of these processes, that every
// event of each journal is at the hub once, in its order, that nothing acknowledged is lost, and that a reader of all events has missed none.
// Prints figures as JSON, and exits with 1 if anything was wrong.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres.ts'
import { HubWorld } from './hub-world.ts'

const MAX_KILLS = 3
const MAX_CALM_MS = 800
const MAX_ABSENCE_MS = 1_500
const MAX_FAULTS = 20

const { values } = parseArgs({
  options: { hub: { type: 'boolean', default: false }, rounds: { type: 'string', default: '100' } }
})
if (findPostgres() === undefined) {
  console.log('Skipped: it needs a PostgreSQL (apt-get install postgresql).')
  process.exit()
}

const world = new HubWorld()
const killed = { server: 0, hub: 0, postgres: 0 }
const stats = { rounds: 0, took_s: 0, killed, writes: 0, events: 0, faults: [] as string[] }
const began = performance.now()
try {
  await world.start()
  while (stats.rounds < Number(values.rounds) && stats.faults.length < MAX_FAULTS) {
    stats.rounds += 1
    const stopLoad = world.startLoad()
    await Promise.all(Array.from({ length: randomInt(1, MAX_KILLS + 1) }, killOne))
    await pause(randomInt(MAX_CALM_MS))
    stats.writes += await stopLoad()
    await world.settle()
    const { events, faults } = await world.check()
    stats.events = events
    stats.faults.push(...faults.map(fault => `round ${stats.rounds}: ${fault}`))
    console.error(`round ${stats.rounds}: ${JSON.stringify({ killed, writes: stats.writes, events, faults })}`)
  }
} finally {
  await world.remove()
}
stats.took_s = Math.round((performance.now() - began) / 1_000)
console.log(JSON.stringify(stats, null, 2))
process.exitCode = stats.faults.length > 0 ? 1 : 0

/** Kills a part at a random moment, and starts it again after a random time, unless another one does that already. */
async function killOne() {
  await pause(randomInt(MAX_CALM_MS))
  const kinds = Object.keys(killed) as (keyof typeof killed)[]
  const kind = kinds[randomInt(kinds.length)]!
  const part = world.takePart(kind)
  if (!part) return
  await part.kill()
  killed[kind] += 1
  await pause(randomInt(MAX_ABSENCE_MS))
  stats.faults.push(...(await part.restart()).map(fault => `round ${stats.rounds}: ${fault}`))
}
